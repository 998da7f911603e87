package partition

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"example.com/jlq/index"
	"example.com/jlq/internal/jsonl"
	"example.com/jlq/internal/segment"
)

// RepairOptions say what [Repair] may do.
type RepairOptions struct {
	// Execute does what is otherwise only planned.
	Execute bool

	// Renumber lets records behind damage get other offsets than they had,
	// where nothing proves how many were lost before them. Without it such a
	// log is left as it is.
	Renumber bool
}

// RepairReport says what [Repair] found to do.
type RepairReport struct {
	Actions []RepairAction // in the order in which they are done
	Shifts  []string       // records that may change their offsets, and why
	Left    []string       // what cannot be repaired
	Begun   bool           // something has been changed
	Done    bool           // the actions have been done
}

// Repair plans how a damaged log is put right and, with Execute, does it. It
// takes the writer's lock ([ErrLocked] when another has it) and needs nothing
// of the log but its files.
//
// Damaged bytes are never deleted: they are first saved in a file beside the
// records, <base>.torn-<position>. A record that is lost in the middle leaves
// a blank line, of the same length where it is known, so that all records
// behind it keep their positions and, as far as the index or the next segment
// proves how many were lost, their offsets. Damage that reaches the end of the
// last segment is cut off. An index that is not that of the records is derived
// again. It is safe to be interrupted, and to be run again.
func Repair(ctx context.Context, path string, opts *Options, how RepairOptions) (report RepairReport, err error) {
	r := repairer{ctx: ctx, p: &Partition{opts: opts.withDefaults()}, how: how}
	err = r.run(path)
	return r.report, errors.Join(err, r.p.locks.Release())
}

// repairer is one run of Repair.
type repairer struct {
	ctx    context.Context
	p      *Partition
	how    RepairOptions
	report RepairReport

	found   []segment.Files
	bases   []uint64      // of all segments, those that are away too
	meta    *segment.Meta // nil where there is none, or none that can be read
	badMeta error         // why it cannot be read
	keptAs  string        // the name that it gets, or has got
	away    []string      // what is said of the segments that are away
	plans   []*segment.PairRepair
	torn    segment.Torn

	done, total int64 // bytes, for the progress
}

func (r *repairer) run(path string) error {
	if err := r.locate(path); err != nil {
		return err
	}
	if err := r.plan(); err != nil {
		return err
	}
	r.tell()
	if !r.how.Execute || len(r.report.Shifts) > 0 && !r.how.Renumber {
		return nil
	}
	if err := r.execute(); err != nil {
		return err
	}
	r.report.Done = true
	r.tell() // where the bytes are is known only now
	return nil
}

// locate finds the log, locks it and reads its promise.
func (r *repairer) locate(path string) (err error) {
	p := r.p
	if p.place, err = segment.Locate(p.opts.FS, path); err != nil {
		return err
	}
	if err := p.refuseSegment(); err != nil {
		return err
	}
	if err := p.refuseNetwork(); err != nil {
		return err
	}
	if p.place.Bare {
		return r.lockBare()
	}
	if err := p.locks.Take(p.opts.FS, path); err != nil {
		return err
	}
	r.meta, err = p.readMeta()
	if corrupt, ok := errors.AsType[*CorruptError](err); ok {
		r.badMeta, r.keptAs, err = corrupt.Err, p.metaPath()+badSuffix, nil
	}
	return err
}

func (r *repairer) lockBare() error {
	pair := segment.BarePair(r.p.place.Path)
	if err := r.p.locks.Take(r.p.opts.FS, pair.Records); err != nil {
		return err
	}
	return ignoreMissing(r.p.locks.Take(r.p.opts.FS, pair.Index))
}

// plan surveys every segment.
func (r *repairer) plan() error {
	pairs, err := r.list()
	if err != nil {
		return err
	}
	if err := r.missing(pairs); err != nil {
		return err
	}
	if len(r.bases) == 0 && r.meta == nil && r.badMeta == nil {
		return &fs.PathError{Op: "repair", Path: r.p.place.Path, Err: ErrNotLog}
	}
	for _, pair := range pairs {
		info, err := r.p.opts.FS.Stat(pair.Records)
		if err != nil {
			return err
		}
		r.total += info.Size
	}
	for i, pair := range pairs {
		plan, err := segment.PlanRepair(r.p.opts.FS, pair, r.options(pairs, i))
		if err != nil {
			return err
		}
		r.done += plan.Size()
		r.plans = append(r.plans, plan)
	}
	return nil
}

// list is the segments that are repaired: not what lies below start, which has
// been dropped and was put back, or could not be removed. One without records that a roll was
// making is none, unless it lies behind the end and so proves that records are
// lost.
func (r *repairer) list() ([]segment.Pair, error) {
	if r.p.place.Bare {
		return r.p.place.Pairs(r.p.opts.FS)
	}
	found, err := r.p.place.Files(r.p.opts.FS)
	if err != nil {
		return nil, err
	}
	rest, half, err := r.p.apartHalfMade(found, r.meta)
	r.found = rest
	pairs := segment.WithRecords(rest)
	if r.meta != nil {
		pairs = segment.Kept(pairs, r.meta.Start)
	}
	for _, f := range half {
		if f.HasRecords && len(pairs) > 0 && err == nil {
			var beyond bool
			if beyond, err = r.beyond(pairs[len(pairs)-1], f.Base); beyond {
				pairs = append(pairs, f.Pair)
			}
		}
	}
	return pairs, err
}

// beyond reports whether base lies behind what the index of a segment
// describes.
func (r *repairer) beyond(last segment.Pair, base uint64) (bool, error) {
	info, err := r.p.opts.FS.Stat(last.Index)
	if err != nil {
		return false, ignoreMissing(err)
	}
	return base > last.Base+index.Count(info.Size), nil
}

// options say what segment i of the log should hold.
func (r *repairer) options(pairs []segment.Pair, i int) segment.RepairOptions {
	o := segment.RepairOptions{
		Check: r.check(pairs[i].Base), Complete: jsonl.Complete, MaxLine: r.p.lineLimit(r.meta),
		Perm: r.p.opts.filePerm(), Step: r.step, AnyLine: r.meta == nil, Bare: r.p.place.Bare, Synced: -1, Torn: &r.torn,
	}
	if next, ok := r.nextBase(pairs[i].Base); ok {
		o.Next = &next
		return o
	}
	if r.meta != nil || r.badMeta != nil {
		o.Synced = 0
	}
	if r.meta != nil && r.meta.Synced.Base == pairs[i].Base {
		o.Synced = r.meta.Synced.Position
	}
	return o
}

// check is how the lines of the segment at base were checked.
func (r *repairer) check(base uint64) func(int64, []byte) error {
	limit, meta := r.p.lineLimit(r.meta), r.meta
	switch {
	case meta == nil:
		return func(int64, []byte) error { return nil }
	case meta.Validate != segment.ValidateStrictName:
		return func(_ int64, rec []byte) error { return jsonl.CheckFrame(rec, limit) }
	}
	return func(position int64, rec []byte) error {
		if meta.Strict(base, position) {
			return jsonl.CheckStrict(rec, limit)
		}
		return jsonl.CheckFrame(rec, limit)
	}
}

// nextBase is where the segment behind that at base begins, be it away.
func (r *repairer) nextBase(base uint64) (next uint64, ok bool) {
	for _, b := range r.bases {
		if b > base {
			return b, true
		}
	}
	return 0, false
}

// step is called before each block that is read.
func (r *repairer) step(position int64) error {
	if r.p.opts.Progress != nil {
		r.p.opts.Progress(min(r.done+position, r.total), r.total)
	}
	return context.Cause(r.ctx)
}

// missing tells of segments that are away. Nothing can bring them back.
func (r *repairer) missing(pairs []segment.Pair) error {
	away := map[uint64]bool{}
	if m := r.meta; m != nil {
		if len(pairs) > 0 && pairs[0].Base > m.Start {
			away[m.Start] = true
		}
		if m.Synced.Position > 0 && !holds(pairs, m.Synced.Base) {
			away[m.Synced.Base] = true
		}
	}
	widows, err := r.p.widows(r.found, r.meta)
	if err != nil {
		return err
	}
	for _, w := range widows {
		away[w.base] = true
	}
	for _, base := range slices.Sorted(maps.Keys(away)) {
		e := SegmentAwayError{Path: segment.PairAt(r.p.place.Path, base).Records, Base: base}
		r.away = append(r.away, e.Error())
	}
	for _, pair := range pairs {
		away[pair.Base] = true
	}
	r.bases = slices.Sorted(maps.Keys(away))
	return nil
}

// execute does what was planned, the promise last.
func (r *repairer) execute() error {
	for i, plan := range r.plans {
		promised := r.badMeta != nil && i == len(r.plans)-1
		if plan.Left != "" || !plan.Needed() && !promised {
			continue
		}
		if err := context.Cause(r.ctx); err != nil {
			return err
		}
		if err := r.lockRecords(plan); err != nil {
			return err
		}
		r.done, r.total, r.report.Begun = 0, plan.Size(), true
		if err := plan.Apply(); err != nil {
			return err
		}
	}
	return r.promise()
}

// lockRecords excludes a writer that came to the file under another name.
func (r *repairer) lockRecords(plan *segment.PairRepair) error {
	if r.p.place.Bare {
		return nil
	}
	return r.p.locks.Take(r.p.opts.FS, plan.Records)
}

// promise writes partition.json anew where what it says does not hold any
// more.
func (r *repairer) promise() error {
	if r.badMeta != nil {
		return r.replaceMeta()
	}
	if r.meta == nil {
		return nil
	}
	m, _ := r.newMeta()
	if m == *r.meta {
		return nil
	}
	r.report.Begun = true
	return segment.WriteMeta(r.p.opts.FS, r.p.place.Path, m, r.p.opts.filePerm())
}

// newMeta is what partition.json says after the repair. why says what was
// wrong with it; that more is synced now is a matter of course.
func (r *repairer) newMeta() (m segment.Meta, why string) {
	m = *r.meta
	if len(r.plans) == 0 || r.plans[len(r.plans)-1].Left != "" {
		return m, ""
	}
	last := r.plans[len(r.plans)-1]
	mark := segment.Mark{Base: last.Base, Position: last.NewEnd}
	end := last.Base + last.NewRecords
	why = wrongSynced(m.Synced, last, end)
	if why != "" || last.Needed() {
		m.Synced, m.Unchecked = mark, m.Unchecked.UpTo(mark)
	}
	if m.Start > last.Base && m.Start > r.meta.Synced.Base {
		why = fmt.Sprintf("it says that the records begin at offset %d, where no segment does", m.Start)
		m.Start = r.plans[0].Base
	}
	return m, why
}

// wrongSynced says why what is said to be synced is not.
func wrongSynced(m segment.Mark, last *segment.PairRepair, end uint64) string {
	switch {
	case m.Base > last.Base && m.Base != end:
		return fmt.Sprintf("it says that the segment at offset %d is the last, and there is none", m.Base)
	case m.Base == last.Base && m.Position > last.NewEnd:
		return fmt.Sprintf("the records were synced up to %d and end at %d now", m.Position, last.NewEnd)
	case m.Base == last.Base && !last.SyncedFits() && !last.Needed():
		return fmt.Sprintf("it says that the records were synced up to %d, where no line ends", m.Position)
	}
	return ""
}

// replaceMeta keeps a partition.json that cannot be read under another name
// and writes one that promises what has been read and synced.
func (r *repairer) replaceMeta() error {
	r.report.Begun = true
	if err := r.keepBadMeta(); err != nil {
		return err
	}
	m := segment.Meta{Sync: SyncOS.String(), Validate: Frame.String(), Batch: r.p.opts.writer().BatchBytes()}
	for _, plan := range r.plans {
		// What is there must stay readable, however long it is.
		m.Batch = min(max(m.Batch, plan.Longest), segment.MaxBatch)
		m.Synced.Base = plan.Base
		if plan.Left == "" {
			m.Synced.Position = plan.NewEnd
		}
	}
	if len(r.plans) > 0 {
		m.Start = r.plans[0].Base
	}
	return segment.WriteMeta(r.p.opts.FS, r.p.place.Path, m, r.p.opts.filePerm())
}

// badSuffix marks a partition.json that could not be read. A name that is taken
// gets the next free "-n" behind it.
const badSuffix = ".bad"

// keepBadMeta gives the file another name. Without it, until a new one is
// there, nothing is promised of the log.
func (r *repairer) keepBadMeta() error {
	for i := 1; ; i++ {
		_, err := r.p.opts.FS.Lstat(r.keptAs)
		if errors.Is(err, fs.ErrNotExist) {
			break
		}
		if err != nil {
			return err
		}
		r.keptAs = fmt.Sprintf("%s%s-%d", r.p.metaPath(), badSuffix, i)
	}
	if err := r.p.opts.FS.Rename(r.p.metaPath(), r.keptAs); err != nil {
		return err
	}
	return r.p.opts.FS.SyncDir(r.p.place.Path)
}
