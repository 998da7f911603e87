package segment

import (
	"errors"
	"io"
	"io/fs"
	"os"

	"example.com/jlq/index"
	"example.com/jlq/internal/vfs"
)

// Apply does what was planned. It may be interrupted anywhere, by a crash or
// an error, and planned and applied again:
//
//	save every damaged range    nothing has changed: the copies are found, identical
//	fill, newline, cut, sync    what was filled is a known gap, the rest is damaged as before
//	write again, sync           as before
//	index                       derived data: derived again
//
// The caller makes the new end the promise of partition.json when all pairs
// are repaired.
func (r *PairRepair) Apply() error {
	rec, err := r.fsys.Open(r.Records, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(r.apply(rec), rec.Close())
}

func (r *PairRepair) apply(rec vfs.File) error {
	if err := r.unchanged(rec, r.recInfo.Size); err != nil {
		return err
	}
	if r.touches() {
		if err := r.save(rec); err != nil {
			return err
		}
		if err := r.mend(rec); err != nil {
			return err
		}
	}
	if err := r.writeAgain(rec); err != nil {
		return err
	}
	if r.IndexWhy == "" {
		return nil
	}
	return r.writeIndex(rec)
}

// unchanged makes sure that no other program has replaced the file or written
// to it: what it wrote was not looked at, and must be neither cut nor
// overwritten. It is asked again before each step that could.
func (r *PairRepair) unchanged(f vfs.File, size int64) error {
	info, err := f.Stat()
	switch {
	case err != nil:
		return err
	case !info.Same(r.recInfo):
		return &fs.PathError{Op: "repair", Path: f.Name(), Err: ErrReplaced}
	case info.Size != size:
		return &fs.PathError{Op: "repair", Path: f.Name(), Err: ErrForeignWrite}
	}
	return nil
}

// mend changes the records file.
func (r *PairRepair) mend(rec vfs.File) error {
	old, closeOld, err := r.reopenIndex()
	if err != nil {
		return err
	}
	defer closeOld()
	size, err := r.mendNewline(rec)
	if err != nil {
		return err
	}
	for i := range r.Damages {
		if err := r.unchanged(rec, size); err != nil {
			return err
		}
		if err := r.fill(rec, old, &r.Damages[i]); err != nil {
			return err
		}
		size = max(size, r.Damages[i].Start+int64(r.Damages[i].Slots)) // it may go on behind the end
	}
	if err := r.cutTail(rec, size); err != nil {
		return err
	}
	if err := r.unchanged(rec, r.NewEnd); err != nil {
		return err
	}
	return rec.Sync()
}

// mendNewline writes the last newline where it is missing, and returns the
// size of the file.
func (r *PairRepair) mendNewline(rec vfs.File) (int64, error) {
	size := r.recInfo.Size
	if !r.Newline {
		return size, nil
	}
	if err := r.unchanged(rec, size); err != nil {
		return 0, err
	}
	_, err := rec.WriteAt([]byte{'\n'}, size)
	return size + 1, err
}

// cutTail cuts the damage at the end off a file of that size.
func (r *PairRepair) cutTail(rec vfs.File, size int64) error {
	if r.Tail == nil {
		return nil
	}
	if err := r.unchanged(rec, size); err != nil {
		return err
	}
	return rec.Truncate(r.NewEnd)
}

// reopenIndex opens the old index again, whose entries say where to fill.
func (r *PairRepair) reopenIndex() (*oldIndex, func(), error) {
	f, info, err := vfs.OpenRegular(r.fsys, r.Index)
	if errors.Is(err, fs.ErrNotExist) {
		return &oldIndex{}, func() {}, nil
	}
	if err != nil {
		return nil, nil, err
	}
	x := &oldIndex{r: f, size: info.Size, claimed: index.Count(info.Size)}
	return x, func() { f.Close() }, nil // it was only read
}

// writeAgain brings what nobody has promised to be on the disk there: after a
// failed fsync it may be in the page cache only, and marked clean there.
func (r *PairRepair) writeAgain(rec vfs.File) error {
	if r.opts.Synced < 0 {
		return nil
	}
	from := max(min(r.opts.Synced, r.NewEnd), unsyncedFrom(r.NewEnd, r.opts.MaxLine))
	if from < r.NewEnd {
		src := io.NewSectionReader(&stepped{rec, r.opts.Step}, from, r.NewEnd-from)
		if _, err := io.Copy(io.NewOffsetWriter(rec, from), src); err != nil {
			return err
		}
	}
	if err := rec.Sync(); err != nil || from == r.NewEnd {
		return err
	}
	return settle(r.fsys, rec, from, r.NewEnd)
}

// writeIndex derives the index from the lines, under a new inode: readers of
// other processes may have read entries of the old one.
func (r *PairRepair) writeIndex(rec vfs.File) error {
	if err := r.unchanged(rec, r.NewEnd); err != nil {
		return err
	}
	perm, err := keepPerm(r.fsys, r.Index, r.indexPerm())
	if err != nil {
		return err
	}
	return vfs.Replace(r.fsys, r.Index, perm, func(w io.Writer) error {
		b := index.NewBuilder(w, 0, true)
		src := io.NewSectionReader(&stepped{rec, r.opts.Step}, 0, r.NewEnd)
		if _, err := io.CopyBuffer(b, src, make([]byte, scanBlock)); err != nil {
			return err
		}
		return b.Flush()
	})
}

// indexPerm is the mode of an index that was missing.
func (r *PairRepair) indexPerm() fs.FileMode {
	if r.opts.Bare {
		return r.recInfo.Mode.Perm() // whoever reads a bare file reads its index
	}
	return r.opts.Perm
}
