package segment

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

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
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.Is(err, fs.ErrPermission):
		return &fs.PathError{Op: "open", Path: path, Err: fs.ErrPermission} // it is the directory that cannot be searched
	}
	return err
}

// RefuseLost keeps a topic that lost its topic.json from becoming a partition,
// and tells who reads it what it is.
func RefuseLost(fsys vfs.FS, path string) error {
	_, err := fsys.Stat(filepath.Join(path, TopicLock))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = &CorruptError{Path: filepath.Join(path, TopicName), Offset: UnknownOffset, Err: ErrTopicLost}
	}
	return err
}
