package partition

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"example.com/jlq/internal/segment"
)

// Problem is one thing that [Partition.Verify] found.
type Problem struct {
	Kind     string `json:"kind"`            // see the Kind constants
	Path     string `json:"path"`            // the file
	Offset   uint64 `json:"offset"`          // of the first record concerned
	Records  uint64 `json:"records"`         // how many there are; 0 where it is none
	Position int64  `json:"position"`        // in the records file
	Length   int64  `json:"length"`          // bytes concerned
	Reason   string `json:"reason"`          // what is wrong, for people, and what to do about it
	Note     bool   `json:"note,omitempty"`  // worth telling, not a fault
	Saved    string `json:"saved,omitempty"` // of a gap, the file that has what was lost
}

// Kinds of [Problem].
const (
	KindRecord  = "record"  // a line that is not a valid record
	KindNUL     = "nul"     // a run of NUL bytes
	KindTail    = "tail"    // bytes without a newline at the end
	KindGap     = "gap"     // blank lines that repair left in the place of lost records: a note
	KindEntry   = "entry"   // index entries that are not where lines end
	KindSplit   = "split"   // records that are more or fewer lines than the index has records there
	KindShift   = "shift"   // an edit that changed the length of the file: the index is wrong from there on
	KindBehind  = "behind"  // whole lines that the index does not reach
	KindAhead   = "ahead"   // index entries past the end of the records
	KindIndex   = "index"   // the index as a whole: missing, partial, of another file
	KindSegment = "segment" // segments that do not join up, or are away
	KindMeta    = "meta"    // partition.json, and what does not agree with it
	KindBOM     = "bom"     // a byte order mark
)

// Verified counts what a run of Verify has read.
type Verified struct {
	Records uint64 // lines that are records or stand in their place; in a bare file a complete last one without newline too
	Bytes   int64  // of the records files
}

// Verify reads the whole log and yields every problem, in the order of the
// records. It changes nothing and takes no lock: a log that is being written
// is verified up to where it was published when its segment's turn came. An
// error (I/O, the end of ctx) is the last pair.
//
// Lines are checked as the writer was to check them: as partition.json says,
// and for a bare file as Options.Validate says. They are checked on as many
// goroutines as the process may run at once, which end before Verify does;
// memory is bounded, whatever the log holds. Options.Progress is called from
// within.
//
// What was done to a log by one edit is one problem: when an index disagrees
// with the lines, Verify looks for what explains all that follows. So such a
// problem is yielded some lines late, behind those of at most 1,024 others.
func (p *Partition) Verify(ctx context.Context) iter.Seq2[Problem, error] {
	return p.VerifyCount(ctx, new(Verified))
}

// VerifyCount is [Partition.Verify], which counts in n what it has read. n is
// complete when the sequence ends.
func (p *Partition) VerifyCount(ctx context.Context, n *Verified) iter.Seq2[Problem, error] {
	return func(yield func(Problem, error) bool) {
		p.newVerifier(ctx, n, yield).verify()
	}
}

func (p *Partition) newVerifier(ctx context.Context, n *Verified, yield func(Problem, error) bool) *verifier {
	return &verifier{p: p, ctx: ctx, yield: yield, read: n,
		check: p.opts.Validate, limit: p.lineLimit(nil),
		block: examineBlock, patience: patience, examine: (*walk).examine}
}

// errStopped: the caller has left the loop.
var errStopped = errors.New("stopped")

// verifier is one run of Verify.
type verifier struct {
	p     *Partition
	ctx   context.Context
	yield func(Problem, error) bool
	read  *Verified
	check Validate
	limit int // the longest line that is looked into
	meta  *segment.Meta
	held  *Problem // a gap, which the next may extend
	total int64    // bytes of all records files

	found    []segment.Files // the segments
	halfMade []segment.Files // and those that a roll was making
	widows   []widow         // and those of which the index alone is there
	dropped  Problem         // those that a trim dropped meanwhile: a note

	block    int64         // bytes that are examined at a time
	patience time.Duration // how long a live writer is waited for, without a sync
	examine  func(*walk) error
}

func (v *verifier) verify() {
	if err := v.run(); err != nil && err != errStopped {
		v.yield(Problem{}, err)
	}
}

func (v *verifier) run() error {
	*v.read = Verified{}
	pairs, err := v.begin()
	if err != nil {
		return err
	}
	var end segmentEnd
	for i := range pairs {
		h, err := v.open(pairs, i)
		if err != nil {
			return err
		}
		if h == nil { // it is no longer there, and the next one is where it was
			end = endsAt(behind(pairs, i))
			continue
		}
		if end, err = v.pair(h, i, end, len(pairs)); err != nil {
			return err
		}
	}
	if err := v.overtaken(); err != nil {
		return err
	}
	if err := v.rolling(end); err != nil {
		return err
	}
	return v.flush()
}

// readMeta reads partition.json, which says how lines were to be checked.
func (v *verifier) readMeta() error {
	meta, ok, err := segment.ReadMeta(v.p.opts.FS, v.p.place.Path)
	if corrupt, is := errors.AsType[*CorruptError](err); is {
		return v.report(Problem{Kind: KindMeta, Path: corrupt.Path, Reason: corrupt.Err.Error() + "; " + v.repair()})
	}
	if err != nil {
		return err
	}
	if !ok {
		return v.report(Problem{Kind: KindMeta, Path: v.p.metaPath(), Note: true, Reason: "there is none, so nothing was promised of these records"})
	}
	v.meta = &meta
	v.limit = v.p.lineLimit(v.meta)
	v.check, err = ParseValidate(meta.Validate)
	return err
}

// checkAt is how the lines of the segment at base were checked: as
// partition.json says, but for those that its writer took over from another.
func (v *verifier) checkAt(base uint64) func(position int64) Validate {
	if v.meta == nil || v.check != Strict {
		return func(int64) Validate { return v.check }
	}
	return func(position int64) Validate {
		if v.meta.Strict(base, position) {
			return Strict
		}
		return Frame
	}
}

// repair says how what is wrong can be put right.
func (v *verifier) repair() string { return "jlq repair " + v.p.place.Path + " shows what can be done" }

// pair verifies segment i of n. end is where the one before it ends.
func (v *verifier) pair(h *segment.Handle, i int, end segmentEnd, n int) (segmentEnd, error) {
	defer h.Close() // it was only read
	if err := v.joins(i, h.Pair, end); err != nil {
		return segmentEnd{}, err
	}
	w, err := v.newWalk(h, i == n-1)
	if err != nil {
		return segmentEnd{}, err
	}
	return w.run()
}

// report hands a problem on. A gap that continues the last is joined to it.
func (v *verifier) report(p Problem) error {
	if h := v.held; h != nil && p.extends(h) {
		h.Records += p.Records
		h.Length += p.Length
		return nil
	}
	if err := v.flush(); err != nil {
		return err
	}
	v.held = &p
	if p.Kind == KindGap {
		return nil
	}
	return v.flush()
}

// extends reports whether p is the gap behind h.
func (p *Problem) extends(h *Problem) bool {
	return p.Kind == KindGap && h.Kind == KindGap && p.Saved == h.Saved && p.Position == h.Position+h.Length
}

// flush yields the problem that was held back.
func (v *verifier) flush() error {
	h := v.held
	v.held = nil
	if h == nil {
		return nil
	}
	if h.Kind == KindGap {
		h.Reason = gapReason(h)
	}
	if !v.yield(*h, nil) {
		return errStopped
	}
	return nil
}

// advance counts bytes that have been verified.
func (v *verifier) advance(n int64) {
	v.read.Bytes += n
	if v.p.opts.Progress != nil {
		v.p.opts.Progress(v.read.Bytes, max(v.total, v.read.Bytes))
	}
}

// readErr turns the end of a file that shrank into an error that says so.
func readErr(path string, err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return fmt.Errorf("%s became shorter while it was verified: %w", path, io.ErrUnexpectedEOF)
	}
	return err
}
