package segment

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"example.com/jlq/index"
	"example.com/jlq/internal/vfs"
)

// ErrUncertain is matched by errors after which it is not known what the
// files hold, so that nothing more may be written through this Active.
var ErrUncertain = errors.New("state of the files is uncertain")

// Uncertain marks err as one that matches [ErrUncertain].
func Uncertain(err error) error { return uncertain{err} }

type uncertain struct{ error }

func (u uncertain) Unwrap() error        { return u.error }
func (u uncertain) Is(target error) bool { return target == ErrUncertain }

// Active is the segment that a writer appends to: its two files, opened for
// appending, and their good ends. It belongs to one goroutine at a time,
// except that the Sync methods may run beside the others.
type Active struct {
	Pair
	fsys    vfs.FS
	rec     vfs.File
	idx     vfs.File
	recInfo vfs.Info
	idxInfo vfs.Info
	end     int64  // of the records that were accepted
	idxEnd  int64  // of the entries that were written
	scratch []byte // entries on their way to the index file
}

// openActive opens a pair whose files exist and are recovered: the records
// end at end, the index holds n+1 entries.
func openActive(fsys vfs.FS, pair Pair, end int64, n uint64) (*Active, error) {
	a := &Active{Pair: pair, fsys: fsys, end: end, idxEnd: int64(n+1) * index.EntrySize}
	var err error
	if a.rec, a.recInfo, err = openAppend(fsys, pair.Records); err != nil {
		return nil, err
	}
	if a.idx, a.idxInfo, err = openAppend(fsys, pair.Index); err != nil {
		return nil, errors.Join(err, a.rec.Close())
	}
	if err := a.Check(0); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	return a, nil
}

// openAppend opens an existing file for appending. What is written must be
// the file that its name denotes and no other name's, so symbolic and hard
// links are refused.
func openAppend(fsys vfs.FS, name string) (vfs.File, vfs.Info, error) {
	if err := plain(fsys, name); err != nil {
		return nil, vfs.Info{}, err
	}
	f, err := fsys.Open(name, os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return nil, vfs.Info{}, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, info, errors.Join(err, f.Close())
	}
	return f, info, nil
}

// plain refuses what is not written through: symbolic links, hard-linked
// files, FIFOs and the like.
func plain(fsys vfs.FS, name string) error {
	info, err := fsys.Lstat(name)
	if err != nil {
		return err
	}
	switch {
	case info.Mode&fs.ModeSymlink != 0:
		return &fs.PathError{Op: "open", Path: name, Err: errors.New("is a symbolic link; name the file itself")}
	case !info.Mode.IsRegular():
		return &fs.PathError{Op: "open", Path: name, Err: vfs.ErrNotRegular}
	case info.Links > 1:
		return &fs.PathError{Op: "open", Path: name, Err: fmt.Errorf("has %d names (hard links); a log has one", info.Links)}
	}
	return nil
}

// End is where the accepted records end.
func (a *Active) End() int64 { return a.end }

// Write appends p, whole lines, behind the accepted records in one write.
// They are not accepted yet. When it fails, the file is cut back to the
// accepted end, so that a short write (full disk, quota, file size limit)
// cannot be glued to what comes next; where even that fails, or the sizes do
// not add up because another program wrote too, nothing more is cut and the
// error matches [ErrUncertain].
func (a *Active) Write(p []byte) error {
	n, err := a.rec.Write(p)
	if err == nil {
		return nil
	}
	if cutErr := cut(a.rec, a.end+int64(n), a.end); cutErr != nil {
		return uncertain{errors.Join(err, cutErr)}
	}
	return err
}

// cut shortens a file that has the size it should have, and no other: what is
// more than that another program has written.
func cut(f vfs.File, size, to int64) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if info.Size != size {
		return &fs.PathError{Op: "cut", Path: f.Name(), Err: fmt.Errorf("%w: its size is %d, not %d", ErrForeignWrite, info.Size, size)}
	}
	if size == to {
		return nil
	}
	return f.Truncate(to)
}

// Accept moves the end of the accepted records over the next n bytes, which
// Write has written.
func (a *Active) Accept(n int64) { a.end += n }

// CutTo drops written bytes that were not accepted: of the n that were, the
// first keep stay.
func (a *Active) CutTo(n, keep int64) error {
	if err := cut(a.rec, a.end+n, a.end+keep); err != nil {
		return uncertain{err}
	}
	return nil
}

// Check compares both names with the open files by device, inode and size;
// ahead is the number of bytes written and not accepted. It closes the window
// in which another program's save or append would be acknowledged as ours.
func (a *Active) Check(ahead int64) error {
	if err := a.CheckRecords(ahead); err != nil {
		return err
	}
	return a.check(a.Index, a.idxInfo, a.idxEnd)
}

// CheckRecords is Check for the records file alone.
func (a *Active) CheckRecords(ahead int64) error {
	return a.check(a.Records, a.recInfo, a.end+ahead)
}

// CheckNames is Check without the sizes, so that it may run beside a Write: it
// comes before what is said of the files under their names, and not of the
// open ones.
func (a *Active) CheckNames() error {
	if err := a.checkName(a.Records, a.recInfo); err != nil {
		return err
	}
	return a.checkName(a.Index, a.idxInfo)
}

func (a *Active) checkName(name string, opened vfs.Info) error {
	now, err := a.fsys.Lstat(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return uncertain{err}
	}
	if err != nil || !now.Same(opened) {
		return uncertain{&fs.PathError{Op: "sync", Path: name, Err: ErrReplaced}}
	}
	return nil
}

func (a *Active) check(name string, opened vfs.Info, size int64) error {
	now, err := a.fsys.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return uncertain{&fs.PathError{Op: "append", Path: name, Err: ErrReplaced}}
	}
	if err != nil {
		return uncertain{err}
	}
	if !now.Same(opened) {
		return uncertain{&fs.PathError{Op: "append", Path: name, Err: ErrReplaced}}
	}
	if now.Size != size {
		return uncertain{&fs.PathError{Op: "append", Path: name, Err: fmt.Errorf("%w: its size is %d, not %d", ErrForeignWrite, now.Size, size)}}
	}
	return nil
}

// Publish appends entries to the index, which makes their records visible to
// every process. When it fails, the index is cut back to whole entries and k
// says how many of ends it holds.
func (a *Active) Publish(ends []int64) (k int, err error) {
	a.scratch = a.scratch[:0]
	for _, end := range ends {
		a.scratch = index.AppendEntry(a.scratch, end)
	}
	n, err := a.idx.Write(a.scratch)
	if err == nil {
		a.idxEnd += int64(n)
		return len(ends), nil
	}
	whole := int64(n / index.EntrySize)
	a.idxEnd += whole * index.EntrySize
	if n%index.EntrySize != 0 {
		// A reader ignores a partial entry, but the next one would be
		// written behind it and never be found.
		if cutErr := cut(a.idx, a.idxEnd+int64(n%index.EntrySize), a.idxEnd); cutErr != nil {
			return int(whole), uncertain{errors.Join(err, cutErr)}
		}
	}
	return int(whole), err
}

// SyncRecords makes the written records durable.
func (a *Active) SyncRecords() error { return a.rec.Sync() }

// SyncIndex makes the published entries durable. The index is derived data:
// this only saves recovery work, and comes after the records.
func (a *Active) SyncIndex() error { return a.idx.Sync() }

// Close closes both files.
func (a *Active) Close() error {
	return errors.Join(a.rec.Close(), a.idx.Close())
}

// LockedBy makes sure that the records file that was opened is the one that
// is locked.
func (a *Active) LockedBy(l *Locks) error { return lockedBy(l, a.Records, a.recInfo) }

// IndexLockedBy is LockedBy for the index.
func (a *Active) IndexLockedBy(l *Locks) error { return lockedBy(l, a.Index, a.idxInfo) }

func lockedBy(l *Locks, name string, opened vfs.Info) error {
	if l.Holds(opened) {
		return nil
	}
	return &fs.PathError{Op: "lock", Path: name, Err: ErrReplaced}
}
