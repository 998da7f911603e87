package segment

import (
	"errors"
	"io/fs"

	"example.com/jlq/index"
	"example.com/jlq/internal/vfs"
)

// Handle is a segment opened for reading. It is immutable and safe for
// concurrent use; reading after Close gives errors that match
// [fs.ErrClosed], so a reader that finds its handle replaced may close it
// while others still read and they take the new one.
type Handle struct {
	Pair
	Rec     vfs.File
	Idx     vfs.File // nil where there is no index file
	RecInfo vfs.Info // as it was when opened
	IdxInfo vfs.Info
}

// OpenHandle opens the two files of a pair for reading. A missing index is
// not an error.
func OpenHandle(fsys vfs.FS, pair Pair) (*Handle, error) {
	h := &Handle{Pair: pair}
	var err error
	if h.Rec, h.RecInfo, err = vfs.OpenRegular(fsys, pair.Records); err != nil {
		return nil, err
	}
	h.Idx, h.IdxInfo, err = vfs.OpenRegular(fsys, pair.Index)
	if errors.Is(err, fs.ErrNotExist) {
		h.Idx, err = nil, nil
	}
	if err != nil {
		return nil, errors.Join(err, h.Rec.Close())
	}
	return h, nil
}

// Published returns how many records the index describes at this moment; 0
// where there is no index.
func (h *Handle) Published() (uint64, error) {
	if h.Idx == nil {
		return 0, nil
	}
	info, err := h.Idx.Stat()
	if err != nil {
		return 0, err
	}
	return index.Count(info.Size), nil
}

// Fresh reports whether the names still denote the files that are open: not
// so after a rebuilt index, an editor's save, or retention.
func (h *Handle) Fresh(fsys vfs.FS) (bool, error) {
	same, err := denotes(fsys, h.Records, h.RecInfo)
	if err != nil || !same {
		return false, err
	}
	if h.Idx != nil {
		return denotes(fsys, h.Index, h.IdxInfo)
	}
	_, err = fsys.Stat(h.Index)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	return false, err
}

func denotes(fsys vfs.FS, name string, info vfs.Info) (bool, error) {
	now, err := fsys.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && now.Same(info), err
}

// Close closes both files.
func (h *Handle) Close() error {
	err := h.Rec.Close()
	if h.Idx != nil {
		err = errors.Join(err, h.Idx.Close())
	}
	return err
}
