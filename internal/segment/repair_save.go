package segment

import (
	"io"

	"example.com/jlq/internal/vfs"
)

// joinBytes is how near to each other two damaged ranges are saved in one
// file, which costs less than a file and two syncs for each.
const joinBytes = 4 << 10

// kept is a run of bytes that is saved in one file, and the ranges in it.
type kept struct {
	start, end int64
	ranges     []*Damage
}

// keeps returns what is to be saved, in the order of the file.
func (r *PairRepair) keeps() []kept {
	var all []kept
	for i := range r.Damages {
		all = joinKept(all, &r.Damages[i])
	}
	if r.Tail != nil {
		all = joinKept(all, r.Tail)
	}
	return all
}

func joinKept(all []kept, d *Damage) []kept {
	// Blank lines behind the end of the file stand for bytes that are not
	// there. They are saved as NUL bytes, so that the lines are known.
	end := max(d.End, d.Start+int64(d.Slots))
	if n := len(all); n > 0 && d.Start-all[n-1].end <= joinBytes {
		last := &all[n-1]
		last.end, last.ranges = end, append(last.ranges, d)
		return all
	}
	return append(all, kept{d.Start, end, []*Damage{d}})
}

// nameAsides says where the damaged bytes will be kept, unless other bytes
// have the name.
func (r *PairRepair) nameAsides() {
	for _, k := range r.keeps() {
		for _, d := range k.ranges {
			d.Saved = r.tornAt(k.start)
		}
	}
}

// save sets all damaged ranges aside, and says where they are.
func (r *PairRepair) save(rec vfs.File) error {
	src := &zeroExtended{&stepped{rec, r.opts.Step}, r.recInfo.Size}
	for _, k := range r.keeps() {
		name, err := setAside(r.fsys, r.Pair, src, k.start, k.end, r.opts.Perm)
		if err != nil {
			return err
		}
		for _, d := range k.ranges {
			d.Saved = name
		}
	}
	return nil
}

// zeroExtended reads as if NUL bytes without end followed the first size
// bytes.
type zeroExtended struct {
	r    io.ReaderAt
	size int64
}

// ReadAt implements [io.ReaderAt].
func (z *zeroExtended) ReadAt(p []byte, off int64) (int, error) {
	n := min(max(z.size-off, 0), int64(len(p)))
	clear(p[n:])
	if n == 0 {
		return len(p), nil
	}
	if err := readFull(z.r, p[:n], off); err != nil {
		return 0, err
	}
	return len(p), nil
}
