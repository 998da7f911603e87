package segment

import (
	"fmt"
	"hash/crc32"

	"example.com/jlq/internal/vfs"
)

// A bare file has no partition.json that says how far its records are synced,
// and its index does not say it either: entries are published before a sync, and
// the kernel may write them back and fail with their records. So the writer
// leaves it on the index as a label ([vfs.Labeler]): the inode of the records, a
// position, and the checksum of what lies before it. A label is set behind the
// sync that it tells of, and what is lost or not believed of it costs time only:
// then recovery looks at as much as a writer can have left unsynced.

// vouchTail is how many bytes before the position the checksum covers. They tell
// a file that was cut and has grown again from the one that was synced.
const vouchTail = 4096

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Vouch leaves on the index of a bare file that the records up to position are
// on the disk, and their entries. It may run beside a Write. What prevents it is
// not told: it costs the next opening a look at the disk.
func (a *Active) Vouch(position int64) {
	labeler, ok := a.idx.(vfs.Labeler)
	if !ok {
		return
	}
	if text, err := vouchText(a.rec, a.recInfo, position); err == nil {
		_ = labeler.SetLabel(text)
	}
}

func vouchText(rec vfs.File, info vfs.Info, position int64) (string, error) {
	tail := make([]byte, min(position, vouchTail))
	if err := readFull(rec, tail, position-int64(len(tail))); err != nil {
		return "", err
	}
	return fmt.Sprintf("synced %d of %d, %08x", position, info.Ino, crc32.Checksum(tail, castagnoli)), nil
}

// vouched is up to where the writers of a bare file vouched for its records; 0
// where they did not, or for another file.
func vouched(fsys vfs.FS, rec vfs.File, indexPath string) int64 {
	idx, _, err := vfs.OpenRegular(fsys, indexPath)
	if err != nil {
		return 0 // whoever needs the index tells what is wrong with it
	}
	defer idx.Close()
	info, err := rec.Stat()
	if err != nil {
		return 0
	}
	return vouchedBy(idx, rec, info)
}

func vouchedBy(idx, rec vfs.File, info vfs.Info) int64 {
	labeler, ok := idx.(vfs.Labeler)
	if !ok {
		return 0
	}
	text, err := labeler.Label()
	if err != nil {
		return 0
	}
	var position int64
	if _, err := fmt.Sscanf(text, "synced %d", &position); err != nil || position < 0 || position > info.Size {
		return 0
	}
	if want, err := vouchText(rec, info, position); err != nil || want != text {
		return 0
	}
	return position
}

// unvouched is from where on a bare file is looked at on the disk: at least the
// page that the next record shares, at most what a writer leaves unsynced.
func unvouched(vouched, end int64, maxLine int) int64 {
	return max(min(vouched, alignDown(max(end-1, 0))), unsyncedFrom(end, maxLine))
}

// firstEntry is the number of the first of n+1 entries that is not below
// position; n+1 where all are.
func firstEntry(fsys vfs.FS, name string, n uint64, position int64) (uint64, error) {
	f, _, err := vfs.OpenRegular(fsys, name)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	entry := func(i uint64) (uint64, error) { return NewEntryReader(f, i, i).Next() }
	return searchEntries(entry, 0, n+1, func(v uint64) bool { return v >= uint64(position) })
}
