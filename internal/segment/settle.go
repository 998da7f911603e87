package segment

import (
	"bytes"
	"errors"
	"io"
	"io/fs"

	"example.com/jlq/internal/vfs"
)

// When the disk refuses a write, the kernel tells one fsync and then counts the
// bytes in its cache as written: later fsyncs succeed. To write the same bytes
// again into the cache is not enough everywhere. On ext4 as it is by default
// their blocks stay marked as never written; they read well as long as the
// cache lasts, and as NULs once it is gone, and so do bytes that are appended
// to the same page afterwards. So recovery asks the disk itself, past the
// cache, and where it does not hold what the cache does, brings it there.
// File systems that offer no way past their cache are believed.

// errNotKept is returned where the disk holds something else than was written.
var errNotKept = errors.New("the disk does not hold what was written and synced")

// settle makes sure that the disk holds the bytes [from, to) of a records file
// that ends at to as f reads them. They were synced just now.
func settle(fsys vfs.FS, f vfs.File, from, to int64) error {
	d, err := openDirect(fsys, f)
	if d == nil || err != nil {
		return err
	}
	defer d.Close()
	ok, err := onDisk(d, f, from, to)
	if ok || err != nil {
		return err
	}
	if err := bring(d, f, from, to); err != nil {
		return err
	}
	if ok, err = onDisk(d, f, from, to); err == nil && !ok {
		err = &fs.PathError{Op: "sync", Path: f.Name(), Err: errNotKept}
	}
	return err
}

// settled reports whether the disk holds the bytes [from, to) as f reads them.
func settled(fsys vfs.FS, f vfs.File, from, to int64) (bool, error) {
	d, err := openDirect(fsys, f)
	if d == nil || err != nil {
		return err == nil, err
	}
	defer d.Close()
	return onDisk(d, f, from, to)
}

// openDirect opens the file f once more, past the cache; nil where that cannot
// be done.
func openDirect(fsys vfs.FS, f vfs.File) (vfs.File, error) {
	director, ok := fsys.(vfs.Director)
	if !ok {
		return nil, nil
	}
	d, err := director.OpenDirect(f.Name())
	if errors.Is(err, errors.ErrUnsupported) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if err := sameFile(d, f); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

func sameFile(a, b vfs.File) error {
	infoA, errA := a.Stat()
	infoB, errB := b.Stat()
	if err := errors.Join(errA, errB); err != nil {
		return err
	}
	if !infoA.Same(infoB) {
		return &fs.PathError{Op: "recover", Path: a.Name(), Err: ErrReplaced}
	}
	return nil
}

// alignDown is the last position up to pos that can be read directly.
func alignDown(pos int64) int64 { return pos &^ (vfs.DirectAlign - 1) }

// alignUp is the first one from pos on.
func alignUp(pos int64) int64 { return alignDown(pos + vfs.DirectAlign - 1) }

// onDisk compares the bytes [from, to) of the disk with those of the cache.
func onDisk(d, cache io.ReaderAt, from, to int64) (bool, error) {
	size := min(scanBlock, alignUp(to-alignDown(from)))
	want, got := make([]byte, size), vfs.AlignedBytes(int(size))
	for pos := alignDown(from); pos < to; pos += size {
		n := min(size, to-pos)
		if err := readFull(cache, want[:n], pos); err != nil {
			return false, err
		}
		have, err := d.ReadAt(got, pos)
		if errors.Is(err, errors.ErrUnsupported) {
			return true, nil
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return false, err
		}
		if int64(have) < n || !bytes.Equal(got[:n], want[:n]) {
			return false, nil
		}
	}
	return true, nil
}

// bring writes the bytes [from, to), which the cache alone may hold, to the
// disk. All of them are read before any is written: a direct write empties the
// cache around it. Until the file is cut again it ends in NULs, which a
// recovery sets aside if a crash comes in between.
func bring(d, cache vfs.File, from, to int64) error {
	start, end := alignDown(from), alignUp(to)
	all := vfs.AlignedBytes(int(end - start))
	if err := readFull(cache, all[:to-start], start); err != nil {
		return err
	}
	if _, err := d.WriteAt(all, start); err != nil {
		return err
	}
	info, err := d.Stat()
	if err == nil && info.Size != end {
		err = &fs.PathError{Op: "recover", Path: d.Name(), Err: ErrForeignWrite}
	}
	if err == nil {
		err = d.Truncate(to)
	}
	if err != nil {
		return err
	}
	return d.Sync()
}

// settleIndex makes sure that the disk holds the index as it reads, from
// position from on. Entries that it does not hold come into a new file: readers
// of other processes use the old one.
func settleIndex(fsys vfs.FS, name string, from int64, perm fs.FileMode) error {
	f, info, err := vfs.OpenRegular(fsys, name)
	if err != nil {
		return err
	}
	defer f.Close()
	ok, err := settled(fsys, f, min(from, info.Size), info.Size)
	if ok || err != nil {
		return err
	}
	perm, err = keepPerm(fsys, name, perm)
	if err != nil {
		return err
	}
	return vfs.Replace(fsys, name, perm, func(w io.Writer) error {
		_, err := io.Copy(w, io.NewSectionReader(f, 0, info.Size))
		return err
	})
}
