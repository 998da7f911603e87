package reader

import (
	"errors"
	"io/fs"
)

// Replaced reports whether the name of a bare file denotes another file than
// the one that the Reader is reading, so that offsets mean something else from
// here on: [Log.Follow] goes over to the new one, and who keeps an offset has to
// be told. A file that is gone is not replaced yet. For a partition, whose
// segments are looked at by name, it is false.
func (r *Reader) Replaced() (bool, error) {
	src := r.lease.src
	if !r.log.place.Bare || src == nil {
		return false, nil
	}
	info, err := r.log.fs.Stat(r.log.place.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && !info.Same(src.RecInfo), err
}

// Path is the log that is read, as it was opened.
func (l *Log) Path() string { return l.place.Path }
