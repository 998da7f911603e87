package partition

import (
	"errors"
	"io/fs"
	"math"

	"example.com/jlq/internal/segment"
)

// A writer may drop segments while its log is verified: start is durable in
// partition.json first, then the files go. So what is not there is looked for
// in partition.json again, before anything is said about it.

// begin reads partition.json and lists the segments. What it finds wrong is told
// once both are of one time.
func (v *verifier) begin() ([]segment.Pair, error) {
	for {
		pairs, told, err := v.look()
		short := v.meta != nil && (len(pairs) == 0 || pairs[0].Base > v.meta.Start)
		if (err != nil || len(told) > 0 || short) && v.movedOn() {
			if v.ctx.Err() != nil {
				return nil, v.ctx.Err()
			}
			continue
		}
		for _, p := range told {
			if err == nil && !v.yield(p, nil) {
				return nil, errStopped
			}
		}
		return pairs, err
	}
}

// look is one attempt of begin. What it would tell is returned.
func (v *verifier) look() (pairs []segment.Pair, told []Problem, err error) {
	yield := v.yield
	defer func() { v.yield = yield }()
	v.yield = func(p Problem, _ error) bool {
		told = append(told, p)
		return true
	}
	v.meta, v.total = nil, 0
	if !v.p.place.Bare {
		if err := v.readMeta(); err != nil {
			return nil, nil, err
		}
	}
	pairs, err = v.segments()
	return pairs, told, err
}

// movedOn reports whether the log begins, or is appended to, elsewhere than
// partition.json said when it was read.
func (v *verifier) movedOn() bool {
	if v.meta == nil {
		return false
	}
	now, ok := v.metaNow()
	return ok && (now.Start != v.meta.Start || now.Synced.Base != v.meta.Synced.Base)
}

// metaNow is partition.json as it is now. Where it cannot be read, what was
// found stands.
func (v *verifier) metaNow() (segment.Meta, bool) {
	now, known, err := segment.ReadMeta(v.p.opts.FS, v.p.place.Path)
	return now, known && err == nil
}

// open opens segment i, or returns nil where it was dropped, or moved away,
// since it was listed.
func (v *verifier) open(pairs []segment.Pair, i int) (*segment.Handle, error) {
	h, err := segment.OpenHandle(v.p.opts.FS, pairs[i])
	if v.p.place.Bare || err == nil && h.Idx != nil || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return h, err
	}
	if now, ok := v.metaNow(); ok && v.meta != nil && now.Start > max(pairs[i].Base, v.meta.Start) {
		v.drop(pairs[i].Base, min(now.Start, behind(pairs, i)))
		if h != nil {
			err = h.Close()
		}
		return nil, ignoreMissing(err)
	}
	if err == nil {
		return h, nil
	}
	return nil, v.report(Problem{Kind: KindSegment, Path: pairs[i].Records, Offset: pairs[i].Base,
		Reason: "the segment went away (moved or lost) while the log was verified; put its two files back"})
}

// drop notes that the records [from, to) were dropped.
func (v *verifier) drop(from, to uint64) {
	if v.dropped.Records == 0 {
		v.dropped = Problem{Kind: KindSegment, Path: segment.PairAt(v.p.place.Path, from).Records, Offset: from, Note: true,
			Reason: "dropped while the log was verified, before it was the turn of these records"}
	}
	v.dropped.Records += to - from
}

// overtaken tells what was dropped.
func (v *verifier) overtaken() error {
	if v.dropped.Records == 0 {
		return nil
	}
	return v.report(v.dropped)
}

// behind is the base of the segment behind segment i; MaxUint64 where that is
// the last, of which only its lines say where it ends.
func behind(pairs []segment.Pair, i int) uint64 {
	if i+1 < len(pairs) {
		return pairs[i+1].Base
	}
	return math.MaxUint64
}

func endsAt(offset uint64) segmentEnd { return segmentEnd{offset, offset} }
