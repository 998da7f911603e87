package segment

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"example.com/jlq/index"
	"example.com/jlq/internal/vfs"
)

// RecoverOptions say how a segment is recovered.
type RecoverOptions struct {
	Meta    *Meta              // what the last writer promised; nil where there is no partition.json
	Mode    Meta               // what the next writer promises; Start and Synced are filled in
	Strict  func([]byte) error // the check of a record under the strict validation
	MaxLine int                // bytes of the largest record
	Perm    fs.FileMode        // of files that are made
}

// Recover makes a pair of dir ready for appending, by data alone: whole lines
// that the index does not know are adopted, a torn tail is set aside and cut,
// the index is mended or rebuilt. It returns the segment and the offset that
// its next record gets. Damage below the previous writer's promise is a
// [*CorruptError] and changes nothing; so does an I/O error.
//
// Crash table, by the step before which the power fails:
//
//	set the torn tail aside   nothing has changed: recovery begins again
//	cut it                    the copy is found, identical, and is used again
//	write again, sync         as after the crash before
//	index                     derived data: derived again
//	partition.json            all of it is found in order, and promised then
//
// The caller holds the writer's locks.
func Recover(fsys vfs.FS, dir string, pair Pair, opts RecoverOptions) (*Active, uint64, Report, error) {
	r := recovery{fsys: fsys, dir: dir, pair: pair, opts: opts}
	if err := r.create(); err != nil {
		return nil, 0, Report{}, err
	}
	if err := r.survey(); err != nil {
		return nil, 0, Report{}, err
	}
	if err := r.mend(); err != nil {
		return nil, 0, Report{}, err
	}
	a, err := openActive(fsys, pair, r.found.end.pos, r.found.end.n)
	return a, pair.Base + r.found.end.n, r.report, err
}

// recovery is the state of one Recover.
type recovery struct {
	fsys   vfs.FS
	dir    string
	pair   Pair
	opts   RecoverOptions
	rec    vfs.Info // the records file that was surveyed
	found  survey
	report Report
}

// create makes the files of a new segment, or those that a crash kept from
// being made: the index first, so that a records file is never without one.
func (r *recovery) create() error {
	recs, err := exists(r.fsys, r.pair.Records)
	if err != nil || recs {
		return err
	}
	if err := r.refuseLost(); err != nil {
		return err
	}
	if err := createFile(r.fsys, r.pair.Index, r.opts.Perm); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if err := createFile(r.fsys, r.pair.Records, r.opts.Perm); err != nil {
		return err
	}
	r.report.Created = true
	// Without this a power loss could take the names away and leave a
	// partition.json that promises their content.
	return r.fsys.SyncDir(r.dir)
}

// refuseLost tells a pair that was never finished from one whose records were
// moved or lost: a half-made pair has an empty index and no promise.
func (r *recovery) refuseLost() error {
	away := &SegmentAwayError{Path: r.pair.Records, Base: r.pair.Base}
	if m := r.opts.Meta; m != nil && m.Synced.Base == r.pair.Base && m.Synced.Position > 0 {
		return away
	}
	info, err := r.fsys.Stat(r.pair.Index)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && index.Count(info.Size) > 0 {
		return away
	}
	return err
}

func exists(fsys vfs.FS, name string) (bool, error) {
	_, err := fsys.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

func createFile(fsys vfs.FS, name string, perm fs.FileMode) error {
	f, err := fsys.Open(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	return f.Close()
}

// survey opens the files for reading and writing, so that a lack of rights
// shows before anything is changed, and looks at them.
func (r *recovery) survey() error {
	rec, recInfo, err := openAppend(r.fsys, r.pair.Records)
	if err != nil {
		return err
	}
	defer rec.Close()
	s := surveyor{pair: r.pair, rec: rec, meta: r.opts.Meta, strict: r.opts.Strict, limit: r.opts.MaxLine}
	s.recSize, r.rec = recInfo.Size, recInfo
	idx, idxInfo, err := openAppend(r.fsys, r.pair.Index)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	default:
		defer idx.Close()
		s.idx, s.idxSize, s.hasIdx = idx, idxInfo.Size, true
	}
	err = s.run()
	r.found = s.survey
	return err
}

// openRecords opens the records file again, and makes sure that it is the one
// that was surveyed and has the size it should: what an editor saved or a
// shell appended meanwhile was not looked at and must not be cut.
func (r *recovery) openRecords(flag int, size int64) (vfs.File, error) {
	f, err := r.fsys.Open(r.pair.Records, flag, 0)
	if err != nil {
		return nil, err
	}
	if err := r.unchanged(f, size); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func (r *recovery) unchanged(f vfs.File, size int64) error {
	info, err := f.Stat()
	switch {
	case err != nil:
		return err
	case !info.Same(r.rec):
		return &fs.PathError{Op: "recover", Path: r.pair.Records, Err: ErrReplaced}
	case info.Size != size:
		return &fs.PathError{Op: "recover", Path: r.pair.Records, Err: ErrForeignWrite}
	}
	return nil
}

// mend does what the survey found to be necessary, in the order of the crash
// table.
func (r *recovery) mend() error {
	r.tell()
	steps := []func() error{r.cutTail, r.writeAgain, r.mendIndex, r.promise}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// tell puts what was found into the report.
func (r *recovery) tell() {
	f := &r.found
	base := r.pair.Base
	if m := r.opts.Meta; m != nil && f.end.n > 0 && r.opts.Mode.Validate == ValidateStrictName && m.Validate != ValidateStrictName {
		r.report.WasChecked = m.Validate
	}
	if f.rebuild != "" {
		r.report.IndexRebuilt, r.report.IndexReason = true, f.rebuild
	}
	if known := min(f.claimed, f.end.n); f.rebuild == "" && f.end.n > known {
		r.report.Adopted, r.report.AdoptedFrom = f.end.n-known, base+known
	}
	if f.claimed > f.end.n && f.rebuild == "" {
		r.report.LostFrom, r.report.LostTo = base+f.end.n, base+f.claimed
	}
}

// cutTail sets the torn tail aside and then cuts it.
func (r *recovery) cutTail() error {
	f := &r.found
	if f.recSize == f.end.pos {
		return nil
	}
	rec, err := r.openRecords(os.O_RDWR, f.recSize)
	if err != nil {
		return err
	}
	defer rec.Close()
	r.report.TornBytes, r.report.TornWhy = f.recSize-f.end.pos, f.bad.Error()
	if r.report.TornPath, err = r.setAside(io.NewSectionReader(rec, f.end.pos, r.report.TornBytes)); err != nil {
		return err
	}
	if err := r.unchanged(rec, f.recSize); err != nil {
		return err
	}
	if err := rec.Truncate(f.end.pos); err != nil {
		return err
	}
	return rec.Sync()
}

// setAside copies torn bytes to a file of their own and makes it durable.
// Only after that may they be cut. A copy that a crash left is used again.
func (r *recovery) setAside(torn *io.SectionReader) (string, error) {
	stem := strings.TrimSuffix(r.pair.Records, recordsExt) + tornInfix + fmt.Sprint(r.found.end.pos)
	for i := 0; ; i++ {
		name := stem
		if i > 0 {
			name = fmt.Sprintf("%s-%d", stem, i)
		}
		done, err := saveAs(r.fsys, name, torn, r.opts.Perm)
		if err != nil {
			return name, err
		}
		if done {
			return name, r.fsys.SyncDir(filepath.Dir(name))
		}
	}
}

// saveAs writes a copy of src to name. done is false where name is taken by a
// file of other content.
func saveAs(fsys vfs.FS, name string, src *io.SectionReader, perm fs.FileMode) (done bool, err error) {
	f, err := fsys.Open(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, perm)
	if errors.Is(err, fs.ErrExist) {
		return reuse(fsys, name, src)
	}
	if err != nil {
		return false, err
	}
	if err := copyAt(f, src); err != nil {
		// A half copy would keep its name from the whole one.
		return false, errors.Join(err, f.Close(), fsys.Remove(name))
	}
	return true, f.Close()
}

func copyAt(f vfs.File, src *io.SectionReader) error {
	if _, err := io.Copy(io.NewOffsetWriter(f, 0), io.NewSectionReader(src, 0, src.Size())); err != nil {
		return err
	}
	return f.Sync()
}

// reuse reports whether name holds exactly the bytes of src, and makes sure
// that it is on the disk.
func reuse(fsys vfs.FS, name string, src *io.SectionReader) (bool, error) {
	f, err := fsys.Open(name, os.O_RDWR, 0)
	if err != nil {
		return false, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size != src.Size() {
		return false, err
	}
	same, err := sameBytes(f, src, info.Size)
	if err != nil || !same {
		return false, err
	}
	return true, f.Sync()
}

// writeAgain writes the bytes above the promise a second time and syncs them:
// after a failed or a lost fsync they may be in the page cache only, and
// marked clean there, so that a sync alone would not write them. What the new
// writer stands on is on the disk.
func (r *recovery) writeAgain() error {
	f := &r.found
	if f.promise >= f.end.pos {
		return nil
	}
	rec, err := r.openRecords(os.O_RDWR, f.end.pos)
	if err != nil {
		return err
	}
	defer rec.Close()
	if r.opts.Meta != nil {
		src := io.NewSectionReader(rec, f.promise, f.end.pos-f.promise)
		if _, err := io.Copy(io.NewOffsetWriter(rec, f.promise), src); err != nil {
			return err
		}
		r.report.Rewritten = f.end.pos - f.promise
	}
	return rec.Sync()
}

// promise writes the new mode and how far the records are synced, if that is
// not what partition.json says already.
func (r *recovery) promise() error {
	m := r.opts.Mode
	m.Format = Format
	m.Synced = Mark{Base: r.pair.Base, Position: r.found.end.pos}
	if old := r.opts.Meta; old != nil {
		m.Start = old.Start
		// Records as large as the last writer's may be there, and must stay
		// readable; a wider bound on a batch promises less, never too much.
		m.Batch = max(m.Batch, old.Batch)
		if m == *old {
			return nil
		}
	}
	return WriteMeta(r.fsys, r.dir, m, r.opts.Perm)
}
