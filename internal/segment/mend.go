package segment

import (
	"bytes"
	"errors"
	"io"
	"os"

	"example.com/jlq/index"
	"example.com/jlq/internal/vfs"
)

// mendIndex brings the index to exactly the entries of the good records.
// Entries that were wrong are never overwritten: a reader in another process
// may have read them, so a rebuilt index comes under a new inode, by rename.
func (r *recovery) mendIndex() error {
	f := &r.found
	if f.rebuild != "" || !f.hasIdx {
		return r.replaceIndex()
	}
	want := int64(f.end.n+1) * index.EntrySize
	if f.idxSize != want || f.agreed.n != f.end.n {
		if err := r.extendIndex(); err != nil {
			return err
		}
	} else if synced, err := r.syncIndex(); synced || err != nil {
		return err
	}
	return settleIndex(r.fsys, r.pair.Index, int64(f.anchor.n)*index.EntrySize, r.opts.Perm)
}

// syncIndex makes the index durable before partition.json says that the
// records it describes are: the next recovery begins from that entry. It
// reports whether that was said already.
func (r *recovery) syncIndex() (before bool, err error) {
	if m := r.opts.Meta; m != nil && m.Synced == (Mark{r.pair.Base, r.found.end.pos}) {
		return true, nil
	}
	idx, err := r.fsys.Open(r.pair.Index, os.O_RDWR, 0)
	if err != nil {
		return false, err
	}
	return false, errors.Join(idx.Sync(), idx.Close())
}

// extendIndex drops what lies behind the entries that agree with the records
// (partial entries, entries past the end) and appends the missing ones.
func (r *recovery) extendIndex() error {
	f := &r.found
	idx, _, err := openAppend(r.fsys, r.pair.Index)
	if err != nil {
		return err
	}
	defer idx.Close()
	keep := int64(f.agreed.n+1) * index.EntrySize
	if f.idxSize < index.EntrySize {
		keep = 0
	}
	if f.idxSize > keep {
		if err := idx.Truncate(keep); err != nil {
			return err
		}
	}
	if err := r.derive(idx, keep == 0); err != nil {
		// What was derived so far is right; a partial entry is dropped by
		// the next recovery.
		return err
	}
	return idx.Sync()
}

func (r *recovery) replaceIndex() error {
	perm, err := keepPerm(r.fsys, r.pair.Index, r.opts.Perm)
	if err != nil {
		return err
	}
	return vfs.Replace(r.fsys, r.pair.Index, perm, func(w io.Writer) error {
		if err := r.copyAgreed(w); err != nil {
			return err
		}
		return r.derive(w, r.found.agreed.n == 0)
	})
}

// copyAgreed begins a new index with the entries of the old one that the
// records confirm.
func (r *recovery) copyAgreed(w io.Writer) error {
	if r.found.agreed.n == 0 {
		return nil
	}
	idx, err := r.fsys.Open(r.pair.Index, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer idx.Close()
	_, err = io.Copy(w, io.NewSectionReader(idx, 0, int64(r.found.agreed.n+1)*index.EntrySize))
	return err
}

// derive writes the entries of the good records behind the agreed ones.
func (r *recovery) derive(w io.Writer, withFirst bool) error {
	rec, err := r.openRecords(os.O_RDONLY, r.found.end.pos)
	if err != nil {
		return err
	}
	defer rec.Close()
	f := &r.found
	b := index.NewBuilder(w, f.agreed.pos, withFirst)
	if _, err := io.Copy(b, io.NewSectionReader(rec, f.agreed.pos, f.end.pos-f.agreed.pos)); err != nil {
		return err
	}
	return b.Flush()
}

// sameBytes compares the first size bytes of two files.
func sameBytes(a, b io.ReaderAt, size int64) (bool, error) {
	bufA, bufB := make([]byte, scanBlock), make([]byte, scanBlock)
	for pos := int64(0); pos < size; pos += scanBlock {
		n := min(scanBlock, size-pos)
		if err := readFull(a, bufA[:n], pos); err != nil {
			return false, err
		}
		if err := readFull(b, bufB[:n], pos); err != nil {
			return false, err
		}
		if !bytes.Equal(bufA[:n], bufB[:n]) {
			return false, nil
		}
	}
	return true, nil
}

func readFull(r io.ReaderAt, p []byte, pos int64) error {
	n, err := r.ReadAt(p, pos)
	if n == len(p) {
		return nil
	}
	return err
}
