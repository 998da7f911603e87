package segment

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"example.com/jlq/index"
	"example.com/jlq/internal/vfs"
)

// A roll seals the active segment and begins the next. The order of its steps
// is what a crash between them can be told by:
//
//	0  sync the old pair       it is whole, and nothing will look at it again
//	1  create <next>.index     an index without records file is a left-over
//	2  create <next>.jsonl     an empty pair where the old one ends: finished at opening
//	3  sync the directory      partition.json must not name what a power loss takes away
//	4  partition.json          recovery begins at the new pair from here on
//	5  append                  only now: an older promise would not reach these records
//
// The writer does step 0 and 5, the owner of the partition step 4; [Active.Next]
// is what lies between.

// errTaken is about a name that a roll needs and another file has.
var errTaken = errors.New("the name that the next segment needs is taken by a file that is not empty")

// Next makes the empty pair of the segment that begins at base, beside a and
// with the permissions of its files, and opens it for appending. The records
// file is locked with the others of locks. The names are durable when it
// returns. When it fails, what was made is removed as far as that can be
// done, and a is as it was.
func (a *Active) Next(base uint64, locks *Locks) (*Active, error) {
	dir := filepath.Dir(a.Records)
	b := &Active{Pair: PairAt(dir, base), fsys: a.fsys, idxEnd: index.EntrySize}
	err := b.create(a)
	if err == nil {
		err = locks.Take(b.fsys, b.Records)
	}
	if err == nil {
		err = b.LockedBy(locks)
	}
	if err == nil {
		err = b.fsys.SyncDir(dir)
	}
	if err == nil {
		err = b.Check(0)
	}
	if err != nil {
		return nil, errors.Join(err, b.Discard(locks))
	}
	return b, nil
}

// create makes both files: the index first, so that a records file is never
// without one.
func (a *Active) create(old *Active) error {
	perm, err := keepPerm(a.fsys, old.Index, 0o600)
	if err != nil {
		return err
	}
	if a.idx, err = makeIndex(a.fsys, a.Pair, perm); err != nil {
		return err
	}
	if a.idxInfo, err = a.idx.Stat(); err != nil {
		return err
	}
	if perm, err = keepPerm(a.fsys, old.Records, 0o600); err != nil {
		return err
	}
	if a.rec, err = a.fsys.Open(a.Records, os.O_RDWR|os.O_APPEND|os.O_CREATE|os.O_EXCL, perm); err != nil {
		return err
	}
	a.recInfo, err = a.rec.Stat()
	return err
}

// makeIndex creates the index of a pair with entry 0. One that a roll left
// behind, which says nothing and has no records beside it, is taken over.
func makeIndex(fsys vfs.FS, pair Pair, perm fs.FileMode) (vfs.File, error) {
	f, err := fsys.Open(pair.Index, os.O_RDWR|os.O_APPEND|os.O_CREATE|os.O_EXCL, perm)
	missing := int64(index.EntrySize)
	if errors.Is(err, fs.ErrExist) {
		f, missing, err = leftOver(fsys, pair)
	}
	if err != nil || missing == 0 {
		return f, err
	}
	if _, err := f.Write(make([]byte, missing)); err != nil {
		return nil, errors.Join(err, f.Close(), fsys.Remove(pair.Index))
	}
	return f, nil
}

// leftOver opens an index that describes no record. missing is how many bytes
// of its entry 0 were not written.
func leftOver(fsys vfs.FS, pair Pair) (f vfs.File, missing int64, err error) {
	if recs, err := exists(fsys, pair.Records); recs || err != nil {
		return nil, 0, errors.Join(err, taken(pair.Records, recs))
	}
	f, info, err := openAppend(fsys, pair.Index)
	if err != nil {
		return nil, 0, err
	}
	entry := make([]byte, index.EntrySize)
	if info.Size <= index.EntrySize {
		err = readFull(f, entry[:info.Size], 0)
	}
	if err == nil {
		err = taken(pair.Index, info.Size > index.EntrySize || !allNUL(entry))
	}
	if err != nil {
		return nil, 0, errors.Join(err, f.Close())
	}
	return f, index.EntrySize - info.Size, nil
}

func taken(name string, is bool) error {
	if !is {
		return nil
	}
	return &fs.PathError{Op: "roll", Path: name, Err: fmt.Errorf("%w: %w", errTaken, fs.ErrExist)}
}

// Discard closes a pair that Next made and nothing was appended to, and
// removes its files: the records file first, so that what a crash leaves is an
// index that is taken over. A file that another program put under the name
// stays.
func (a *Active) Discard(locks *Locks) error {
	var errs []error
	if a.rec != nil {
		errs = append(errs, a.discard(a.rec, a.Records, a.recInfo), locks.GiveUp(a.Records))
	}
	if a.idx != nil {
		errs = append(errs, a.discard(a.idx, a.Index, a.idxInfo))
	}
	return errors.Join(errs...)
}

func (a *Active) discard(f vfs.File, name string, opened vfs.Info) error {
	now, err := a.fsys.Lstat(name)
	if err == nil && (now.Same(opened) || opened == vfs.Info{}) { // it could not be asked, but was made just now
		err = a.fsys.Remove(name)
	}
	return errors.Join(ignoreMissing(err), f.Close())
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
