package partition

import (
	"context"
	"io/fs"
	"maps"
	"slices"

	"example.com/jlq/index"
	"example.com/jlq/internal/jsonl"
	"example.com/jlq/internal/segment"
)

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
