package segment

import (
	"encoding/binary"
	"errors"
	"io/fs"

	"example.com/jlq/index"
	"example.com/jlq/internal/vfs"
)

// TakeIn takes over what another writer appended and published through other
// handles of the same two files, while a did not hold the locks; records is how
// many. ok is false, and a is as it was, where the files are others by now, or
// where the records do not end where the index says: then a writer died or
// failed on its way, or somebody wrote without the lock, and the segment must be
// recovered as at opening. The caller holds the writer's locks.
//
// Every entry up to the end is one that a writer published: entries follow their
// records, and the last one is that of the last line. So no line has to be looked
// at.
func (a *Active) TakeIn() (records uint64, ok bool, err error) {
	rec, same, err := a.sameFile(a.Records, a.recInfo)
	if err != nil || !same {
		return 0, false, err
	}
	idx, same, err := a.sameFile(a.Index, a.idxInfo)
	if err != nil || !same {
		return 0, false, err
	}
	if rec.Size == a.end && idx.Size == a.idxEnd {
		return 0, true, nil
	}
	if rec.Size <= a.end || idx.Size <= a.idxEnd || idx.Size%index.EntrySize != 0 {
		return 0, false, nil
	}
	ok, err = a.joins(rec.Size, idx.Size)
	if err != nil || !ok {
		return 0, false, err
	}
	records = uint64(idx.Size-a.idxEnd) / index.EntrySize
	a.end, a.idxEnd = rec.Size, idx.Size
	return records, true, nil
}

// sameFile reports whether name still denotes the open file.
func (a *Active) sameFile(name string, opened vfs.Info) (now vfs.Info, same bool, err error) {
	now, err = a.fsys.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return now, false, nil
	}
	return now, err == nil && now.Same(opened), err
}

// joins reports whether files of these sizes go on where a ends and end at the
// same line.
func (a *Active) joins(recSize, idxSize int64) (bool, error) {
	for _, e := range []struct{ idxEnd, position int64 }{{a.idxEnd, a.end}, {idxSize, recSize}} {
		var entry [index.EntrySize]byte
		if err := readFull(a.idx, entry[:], e.idxEnd-index.EntrySize); err != nil {
			return false, err
		}
		if binary.BigEndian.Uint64(entry[:]) != uint64(e.position) {
			return false, nil
		}
	}
	newline := make([]byte, 1)
	if err := readFull(a.rec, newline, recSize-1); err != nil {
		return false, err
	}
	return newline[0] == '\n', nil
}

// Begun reports whether there is a file of the segment that would begin at
// offset next beside a: a roll was broken off, or not taken back. The index is
// the first file that a roll makes and the last that it removes.
func (a *Active) Begun(dir string, next uint64) (bool, error) {
	return exists(a.fsys, PairAt(dir, next).Index)
}
