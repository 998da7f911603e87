package segment

import (
	"errors"
	"io"
	"io/fs"
	"os"

	"example.com/jlq/index"
	"example.com/jlq/internal/vfs"
)

// RecoverOptions say how a segment is recovered.
type RecoverOptions struct {
	Meta    *Meta              // what the last writer promised; nil where there is no partition.json
	Mode    Meta               // what the next writer promises; Synced is filled in, and Start where there is a Meta
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
//	sync once more            where nothing else was: a killed recovery had cut
//	partition.json            all of it is found in order, and promised then
//
// The caller holds the writer's locks.
func Recover(fsys vfs.FS, dir string, pair Pair, opts RecoverOptions) (*Active, uint64, Report, error) {
	return RecoverChain(fsys, dir, []Files{{Pair: pair, HasRecords: true, HasIndex: true}}, opts)
}

// recovery is the state of one Recover.
type recovery struct {
	fsys   vfs.FS
	dir    string
	pair   Pair
	opts   RecoverOptions
	rec    vfs.Info // the records file that was surveyed
	found  survey
	sealed bool // another segment follows, which is the one to be promised
	synced bool // the records were, since they were surveyed
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
	if r.sealed {
		steps[3] = r.syncEarlierCut
	}
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
	if f.rebuild == "" {
		r.report.ZeroEntries = f.zeros
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
	if r.report.TornPath, err = setAside(r.fsys, r.pair, rec, f.end.pos, f.recSize, r.opts.Perm); err != nil {
		return err
	}
	if err := r.unchanged(rec, f.recSize); err != nil {
		return err
	}
	if err := rec.Truncate(f.end.pos); err != nil {
		return err
	}
	r.synced = true
	return rec.Sync()
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
	from := writeAgainFrom(r.opts.Meta, f.promise, f.end.pos, r.opts.MaxLine)
	r.report.Rewritten = f.end.pos - from
	src := io.NewSectionReader(rec, from, r.report.Rewritten)
	if _, err := io.Copy(io.NewOffsetWriter(rec, from), src); err != nil {
		return err
	}
	r.synced = true
	if err := rec.Sync(); err != nil {
		return err
	}
	return settle(r.fsys, rec, from, f.end.pos)
}

// MaxUnsynced is how many unsynced bytes let appends wait for the disk: a
// writer leaves no more behind than these and one batch.
const MaxUnsynced = 256 << 20

// unsyncedFrom is from where on a writer can have left what ends at end unsynced,
// of whom nothing is known but that its records have at most maxLine bytes.
func unsyncedFrom(end int64, maxLine int) int64 {
	return max(0, end-MaxUnsynced-max(defaultBatch, int64(maxLine)+1))
}

// writeAgainFrom is where the bytes begin that a sync alone may not bring to
// the disk. Where no partition.json tells how far they were vouched for, it is
// as far back as a writer whose sync failed can have left any: what was copied
// here by other means is on the disk once it is synced.
func writeAgainFrom(meta *Meta, promise, end int64, maxLine int) int64 {
	if meta == nil {
		return unsyncedFrom(end, maxLine)
	}
	return promise
}

// promise writes the new mode and how far the records are synced, if that is
// not what partition.json says already.
func (r *recovery) promise() error {
	m := r.opts.Mode.Following(r.opts.Meta, Mark{Base: r.pair.Base, Position: r.found.end.pos})
	if old := r.opts.Meta; old != nil && m == *old {
		// An editor may have put another file in the place of one of these,
		// and then what is appended to it is lost with its name.
		return r.fsys.SyncDir(r.dir)
	}
	if err := r.syncEarlierCut(); err != nil {
		return err
	}
	return WriteMeta(r.fsys, r.dir, m, r.opts.Perm)
}

// syncEarlierCut syncs the records where this recovery had nothing to do with
// them: one before it may have cut them and been killed before its sync. A power
// loss would bring back what was cut, and the new promise may reach to within it.
func (r *recovery) syncEarlierCut() error {
	if r.synced {
		return nil
	}
	rec, err := r.openRecords(os.O_RDWR, r.found.end.pos)
	if err != nil {
		return err
	}
	return errors.Join(rec.Sync(), rec.Close())
}
