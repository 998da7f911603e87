package partition

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"

	"example.com/jlq/index"
	"example.com/jlq/internal/segment"
)

// Problem is one thing that [Partition.Verify] found.
type Problem struct {
	Kind     string `json:"kind"`           // see the Kind constants
	Path     string `json:"path"`           // the file
	Offset   uint64 `json:"offset"`         // of the first record concerned
	Records  uint64 `json:"records"`        // how many there are; 0 where it is none
	Position int64  `json:"position"`       // in the records file
	Length   int64  `json:"length"`         // bytes concerned
	Reason   string `json:"reason"`         // what is wrong, for people
	Note     bool   `json:"note,omitempty"` // worth telling, not a fault
}

// Kinds of [Problem].
const (
	KindRecord  = "record"  // a line that is not a valid record
	KindNUL     = "nul"     // a run of NUL bytes
	KindTail    = "tail"    // bytes without a newline at the end
	KindEntry   = "entry"   // an index entry that is not where a line ends
	KindSplit   = "split"   // a line end that the index does not know
	KindBehind  = "behind"  // whole lines that the index does not reach
	KindAhead   = "ahead"   // index entries past the end of the records
	KindIndex   = "index"   // the index as a whole: missing, partial
	KindSegment = "segment" // segments that do not join up, or are away
	KindMeta    = "meta"    // partition.json
	KindBOM     = "bom"     // a byte order mark
)

// Verify reads the whole log and yields every problem, in the order of the
// records. It changes nothing and takes no lock: a log that is being written
// is verified up to where it was published when its segment's turn came. An
// error (I/O, the end of ctx) is the last pair.
//
// Lines are checked as the writer was to check them: as partition.json says,
// and for a bare file as Options.Validate says.
func (p *Partition) Verify(ctx context.Context) iter.Seq2[Problem, error] {
	return func(yield func(Problem, error) bool) {
		v := verifier{p: p, ctx: ctx, yield: yield, limit: p.lineLimit(nil), check: p.opts.Validate}
		if err := v.run(); err != nil && err != errStopped {
			yield(Problem{}, err)
		}
	}
}

// errStopped: the caller has left the loop.
var errStopped = errors.New("stopped")

// verifier is one run of Verify.
type verifier struct {
	p     *Partition
	ctx   context.Context
	yield func(Problem, error) bool
	check Validate
	limit int // the longest line that is looked into
	meta  *segment.Meta
	held  *Problem // the last one, which the next may extend
}

func (v *verifier) run() error {
	if !v.p.place.Bare {
		if err := v.readMeta(); err != nil {
			return err
		}
	}
	pairs, err := v.p.place.Pairs(v.p.opts.FS)
	if err != nil {
		return err
	}
	if err := v.noSegments(pairs); err != nil {
		return err
	}
	next := uint64(0)
	for i, pair := range pairs {
		if err := v.joins(i, pair, next); err != nil {
			return err
		}
		count, err := v.pair(pair, i == len(pairs)-1)
		if err != nil {
			return err
		}
		next = pair.Base + count
	}
	return v.flush()
}

// readMeta reads partition.json, which says how lines were to be checked.
func (v *verifier) readMeta() error {
	meta, ok, err := segment.ReadMeta(v.p.opts.FS, v.p.place.Path)
	if corrupt, is := errors.AsType[*CorruptError](err); is {
		return v.report(Problem{Kind: KindMeta, Path: corrupt.Path, Reason: corrupt.Err.Error()})
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

// noSegments reports a promise of records where there are none.
func (v *verifier) noSegments(pairs []segment.Pair) error {
	if v.meta == nil || len(pairs) > 0 {
		return nil
	}
	pair := segment.PairAt(v.p.place.Path, v.meta.Synced.Base)
	return v.report(Problem{Kind: KindSegment, Path: pair.Records, Offset: pair.Base, Length: v.meta.Synced.Position,
		Reason: "the segment that partition.json names is away (moved or lost)"})
}

// joins compares the base of a segment with the end of the one before it.
func (v *verifier) joins(i int, pair segment.Pair, next uint64) error {
	if i == 0 {
		if v.meta == nil || pair.Base <= v.meta.Start {
			return nil
		}
		next = v.meta.Start
	}
	if pair.Base == next {
		return nil
	}
	return v.report(Problem{Kind: KindSegment, Path: pair.Records, Offset: next, Records: max(pair.Base, next) - min(pair.Base, next),
		Reason: fmt.Sprintf("the segment begins with offset %d where %d should follow", pair.Base, next)})
}

// pair verifies one segment and returns how many records it holds.
func (v *verifier) pair(pair segment.Pair, last bool) (uint64, error) {
	h, err := segment.OpenHandle(v.p.opts.FS, pair)
	if err != nil {
		return 0, err
	}
	defer h.Close()
	w, err := v.newWalk(h, last)
	if err != nil {
		return 0, err
	}
	return w.run()
}

// newWalk takes the sizes, those of the index first: what it has published
// by then is in the records.
func (v *verifier) newWalk(h *segment.Handle, last bool) (*walk, error) {
	w := &walk{v: v, h: h, last: last}
	if h.Idx != nil {
		info, err := h.Idx.Stat()
		if err != nil {
			return nil, err
		}
		w.idxSize = info.Size
		w.claimed = index.Count(info.Size)
	}
	info, err := h.Rec.Stat()
	if err != nil {
		return nil, err
	}
	w.size = info.Size
	w.entries = segment.NewEntryReader(h.Idx, 0, w.claimed)
	return w, nil
}

// report hands a problem on. One that continues the last is joined to it, so
// that a foreign index is one line and not a million.
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
	return nil
}

// extends reports whether p is the same trouble with the next record.
func (p *Problem) extends(h *Problem) bool {
	return (p.Kind == KindEntry || p.Kind == KindSplit || p.Kind == KindAhead) && p.Kind == h.Kind && p.Path == h.Path
}

// flush yields the problem that was held back.
func (v *verifier) flush() error {
	h := v.held
	v.held = nil
	if h != nil && !v.yield(*h, nil) {
		return errStopped
	}
	return nil
}

// readErr turns the end of a file that shrank into an error that says so.
func readErr(path string, err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return fmt.Errorf("%s became shorter while it was verified: %w", path, io.ErrUnexpectedEOF)
	}
	return err
}
