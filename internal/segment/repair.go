package segment

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"

	"example.com/jlq/index"
	"example.com/jlq/internal/vfs"
)

// RepairOptions say what a pair should hold.
type RepairOptions struct {
	// Check says why a line that begins at position is no record.
	Check func(position int64, rec []byte) error

	Complete func([]byte) bool // bytes are a whole JSON object or array
	MaxLine  int               // bytes of the largest record
	Next     *uint64           // the base of the next segment; nil for the last one
	Synced   int64             // what lies behind it is written again; -1 for nothing
	Perm     fs.FileMode       // of files that are made

	// AnyLine: nothing says what the lines were checked by, and Check takes
	// every line that holds no NUL bytes.
	AnyLine bool

	// Bare: the file may be without an index, and a last line that is
	// complete counts without its newline.
	Bare bool

	// Torn, where it is not nil, is shared by the pairs of one directory.
	// What Apply sets aside of one pair is no concern of the others.
	Torn *Torn

	// Step is called with the position before each block that is read, to
	// plan, to save, to fill. An error of it ends the work.
	Step func(position int64) error
}

// PairRepair is what is wrong with a pair and how it is put right: damaged
// ranges are overwritten in place by one blank line for each record that was
// lost, so that every position behind them, and with it the index, stays what
// it was. Damage at the end is cut. The index is derived again where it is
// not that of the lines.
type PairRepair struct {
	Pair
	Damages  []Damage
	Tail     *Damage // is cut
	LostTail uint64  // records that the index claims behind the new end
	Newline  bool    // the last record gets its newline
	IndexWhy string  // why the index is written anew; "" where it stays

	Longest    int64  // bytes of the longest line that is there
	NewRecords uint64 // how many there will be
	NewEnd     int64  // where the file will end

	// Shift says why the records from ShiftFrom on, counted within the
	// segment, may not have the offsets that they had; "" where all keep them.
	Shift     string
	ShiftFrom uint64

	Left string // what cannot be repaired; nothing is then done to the pair

	fsys    vfs.FS
	opts    RepairOptions
	recInfo vfs.Info
	syncFit bool // what was synced ends where a line does
	line    []byte
}

// Size is that of the records file.
func (r *PairRepair) Size() int64 { return r.recInfo.Size }

// SyncedFits reports whether what was synced is there and ends with a line.
func (r *PairRepair) SyncedFits() bool { return r.syncFit }

// PlanRepair reads a pair and says what there is to repair. It changes
// nothing. The caller holds the writer's locks.
func PlanRepair(fsys vfs.FS, pair Pair, opts RepairOptions) (*PairRepair, error) {
	r := &PairRepair{Pair: pair, fsys: fsys, opts: opts, syncFit: opts.Synced <= 0}
	if err := plain(fsys, pair.Records); err != nil {
		return nil, err
	}
	h, err := OpenHandle(fsys, pair)
	if err != nil {
		return nil, err
	}
	defer h.Close()
	r.recInfo = h.RecInfo
	old, err := r.oldIndex(h)
	if err != nil {
		return nil, err
	}
	torn := opts.Torn
	if torn == nil {
		torn = new(Torn)
	}
	asides, err := torn.find(fsys, pair)
	if err != nil {
		return nil, err
	}
	s := damageSurvey{PairRepair: r, rec: &stepped{h.Rec, opts.Step}, old: old, asides: asides}
	return r, s.run()
}

func (r *PairRepair) oldIndex(h *Handle) (*oldIndex, error) {
	if h.Idx == nil {
		return newOldIndex(nil, 0)
	}
	if err := plain(r.fsys, r.Index); err != nil {
		return nil, err
	}
	return newOldIndex(h.Idx, h.IdxInfo.Size)
}

// Needed reports whether there is anything to do.
func (r *PairRepair) Needed() bool {
	return len(r.Damages) > 0 || r.Tail != nil || r.Newline || r.IndexWhy != ""
}

// touches reports whether the records file is written to.
func (r *PairRepair) touches() bool {
	return len(r.Damages) > 0 || r.Tail != nil || r.Newline
}

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

// fill overwrites a damaged range: each record that is lost becomes spaces and
// a newline, each that is whole gets at most its newline back. A blank line
// is no JSON value, so nobody takes it for a record that was written.
func (r *PairRepair) fill(rec vfs.File, old *oldIndex, d *Damage) error {
	w := bufio.NewWriterSize(io.NewOffsetWriter(rec, d.Start), scanBlock)
	for s, err := range r.slots(&stepped{rec, r.opts.Step}, old, d) {
		if err != nil {
			return err
		}
		if err := r.fillSlot(w, s); err != nil {
			return err
		}
	}
	return w.Flush()
}

func (r *PairRepair) fillSlot(w *bufio.Writer, s slot) error {
	if s.keep {
		// What isRecord has just read.
		if _, err := w.Write(r.line[:s.end-s.start-1]); err != nil {
			return err
		}
		return w.WriteByte('\n')
	}
	for left := s.end - s.start - 1; left > 0; {
		n := min(left, int64(len(blanks)))
		if _, err := w.Write(blanks[:n]); err != nil {
			return err
		}
		left -= n
	}
	return w.WriteByte('\n')
}

var blanks = bytes.Repeat([]byte{' '}, 64<<10)

// writeAgain brings what nobody has promised to be on the disk there: after a
// failed fsync it may be in the page cache only, and marked clean there.
func (r *PairRepair) writeAgain(rec vfs.File) error {
	if r.opts.Synced < 0 {
		return nil
	}
	// No writer leaves more unsynced than that, and one batch.
	from := max(min(r.opts.Synced, r.NewEnd), r.NewEnd-MaxUnsynced-int64(r.opts.MaxLine))
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

// stepped calls step before each read.
type stepped struct {
	r    io.ReaderAt
	step func(position int64) error
}

// ReadAt implements [io.ReaderAt].
func (s *stepped) ReadAt(p []byte, off int64) (int, error) {
	if s.step != nil {
		if err := s.step(off); err != nil {
			return 0, err
		}
	}
	return s.r.ReadAt(p, off)
}
