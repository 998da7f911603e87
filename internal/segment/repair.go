package segment

import (
	"io"
	"io/fs"

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
