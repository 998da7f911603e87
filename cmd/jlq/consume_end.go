package main

import (
	"errors"
	"io"
	"io/fs"
	"os"
)

// tellUnfinished says that the last line of a bare file is left for later,
// because it has no newline yet and may still grow: other commands show it where
// it is complete, so it would seem to be lost.
func (c *consumer) tellUnfinished() error {
	left, err := unfinished(c.path)
	if left {
		c.report("%s: not consumed before its newline comes: the last line", c.path)
	}
	return err
}

// unfinished reports whether a file ends in a line without its newline. What is
// no file, or is cut or gone meanwhile, does not.
func unfinished(path string) (left bool, err error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, err
	case !info.Mode().IsRegular() || info.Size() == 0:
		return false, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	last := make([]byte, 1)
	if _, err := f.ReadAt(last, info.Size()-1); err != nil && err != io.EOF {
		return false, err
	}
	return last[0] != '\n' && last[0] != 0, nil
}
