package segment

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"example.com/jlq/internal/vfs"
)

// Place is where a log lies.
type Place struct {
	Path string // as it was named
	Bare bool   // a bare file; else a partition directory
}

// Locate finds out what path denotes. A path that does not exist gives an
// error that matches [fs.ErrNotExist].
func Locate(fsys vfs.FS, path string) (Place, error) {
	info, err := fsys.Stat(path)
	if err != nil {
		return Place{}, err
	}
	switch {
	case info.Mode.IsRegular():
		return Place{Path: path, Bare: true}, locateFile(path)
	case info.Mode.IsDir():
		return Place{Path: path}, locateDir(fsys, path)
	}
	return Place{}, &fs.PathError{Op: "open", Path: path, Err: vfs.ErrNotRegular}
}

func locateFile(path string) error {
	if filepath.Ext(path) == indexExt {
		return &fs.PathError{Op: "open", Path: path, Err: fmt.Errorf("%w: it is an index; name the records file beside it", ErrNotLog)}
	}
	return nil
}

// locateDir tells a topic from a partition: a topic's partitions are
// directories of their own, so its files are never segments.
func locateDir(fsys vfs.FS, path string) error {
	_, err := fsys.Stat(filepath.Join(path, TopicName))
	if err == nil {
		return &fs.PathError{Op: "open", Path: path, Err: ErrTopic}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Pairs lists the segments of the log, by base, of which the records file
// exists. Names that are not those of a segment are ignored.
func (p Place) Pairs(fsys vfs.FS) ([]Pair, error) {
	if p.Bare {
		return []Pair{BarePair(p.Path)}, nil
	}
	names, err := fsys.List(p.Path)
	if err != nil {
		return nil, err
	}
	var pairs []Pair
	for _, name := range names {
		if base, ext, ok := ParseName(name); ok && ext == recordsExt {
			pairs = append(pairs, PairAt(p.Path, base))
		}
	}
	slices.SortFunc(pairs, func(a, b Pair) int { return cmp.Compare(a.Base, b.Base) })
	return pairs, nil
}
