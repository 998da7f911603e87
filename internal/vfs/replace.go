package vfs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
)

// OpenRegular opens a regular file for reading and says what it opened.
func OpenRegular(fsys FS, name string) (File, Info, error) {
	f, err := fsys.Open(name, os.O_RDONLY, 0)
	if err != nil {
		return nil, Info{}, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode.IsRegular() {
		err = &fs.PathError{Op: "open", Path: name, Err: ErrNotRegular}
	}
	if err != nil {
		return nil, Info{}, errors.Join(err, f.Close())
	}
	return f, info, nil
}

// ErrTooLarge is returned by [ReadFile] for a file beyond the limit.
var ErrTooLarge = errors.New("file is larger than allowed")

// maxTemps bounds the search for a free temporary name. Each crash within a
// Replace leaves one behind, and nothing says that its process is dead.
const maxTemps = 10_000

// ReplaceFile is [Replace] with the whole content at hand, for who has the lock
// under which alone name is replaced: a temporary file that is there was left by
// one that died, and is removed where it is in the way. The first one stays: a
// person who edits name may call a file so, and one is no harm.
//
// Crash table, by the step before which the power fails:
//
//	remove what a dead process left   it is there, and nobody looks at it
//	create the temporary file         the one, the other or none is there: the next one
//	                                  who comes removes it
//	the steps of [Replace]            as there
func ReplaceFile(fsys FS, name string, data []byte, perm fs.FileMode) error {
	temp, err := writeTemp(fsys, name, perm, whole(data), ours)
	if err != nil {
		return err
	}
	return moveOver(fsys, temp, name)
}

// whole writes data.
func whole(data []byte) func(w io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}
}

// Replace makes the file name hold what write writes, durably and all at
// once: whoever opens the name, now or after a crash, finds the old content
// or the new, whole. A symbolic link is replaced itself. The writer given to
// write is not buffered.
//
// On an error name still holds the old content, unless the directory could
// not be synced: then it holds the new, and may hold the old again after a
// power loss.
func Replace(fsys FS, name string, perm fs.FileMode, write func(w io.Writer) error) error {
	// A crash from here on leaves a temporary file that nobody looks at.
	temp, err := writeTemp(fsys, name, perm, write, anyones)
	if err != nil {
		return err
	}
	return moveOver(fsys, temp, name)
}

// moveOver gives a temporary file, which is synced, its name.
func moveOver(fsys FS, temp, name string) error {
	// The content is on the disk before the name is: without that order a
	// power loss could leave the name with an empty or partial file.
	if err := fsys.Rename(temp, name); err != nil {
		return errors.Join(err, fsys.Remove(temp))
	}
	// The process may die here, the power must not yet fail: until the
	// directory is synced, the name may go back to the old content.
	return fsys.SyncDir(filepath.Dir(name))
}

func tempName(name string, n int) string {
	if n == 0 {
		return name + ".tmp"
	}
	return fmt.Sprintf("%s.tmp-%d", name, n)
}

// writeTemp makes the temporary file, synced and closed, or leaves none.
func writeTemp(fsys FS, name string, perm fs.FileMode, write func(w io.Writer) error, by whose) (string, error) {
	f, err := createTemp(fsys, name, perm, by)
	if err != nil {
		return "", err
	}
	if err = write(f); err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return "", errors.Join(err, fsys.Remove(f.Name()))
	}
	return f.Name(), nil
}

// whose says who may be replacing the same file.
type whose bool

const (
	anyones whose = false // others may be at it
	ours    whose = true  // nobody else: the lock is held
)

// createTemp opens a new file beside name. O_EXCL passes over what a dead
// process left, and over a symbolic link that would lead elsewhere.
func createTemp(fsys FS, name string, perm fs.FileMode, by whose) (f File, err error) {
	for n := range maxTemps {
		if n == 1 && by == ours {
			if err := sweep(fsys, name); err != nil {
				return nil, err
			}
		}
		temp := tempName(name, n)
		f, err = fsys.Open(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, perm)
		if !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	return f, err
}

// sweep removes the second temporary file of name, where there is one: so there
// are two at most, however many processes are killed. What is no regular file is
// not ours. It need not survive a power loss.
func sweep(fsys FS, name string) error {
	second := tempName(name, 1)
	info, err := fsys.Lstat(second)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode.IsRegular() {
		return nil
	}
	if err != nil {
		return err
	}
	return fsys.Remove(second)
}

// ReadFile returns the content of a file of at most limit bytes; a larger
// one is [ErrTooLarge], found before it is read.
func ReadFile(fsys FS, name string, limit int64) ([]byte, error) {
	f, err := fsys.Open(name, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size > limit {
		return nil, tooLarge(name, limit)
	}
	// One byte beyond the limit shows whether it grew meanwhile.
	limit = min(limit, math.MaxInt64-1)
	data, err := io.ReadAll(io.NewSectionReader(f, 0, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = tooLarge(name, limit)
	}
	if err != nil {
		return nil, err
	}
	return data, nil
}

func tooLarge(name string, limit int64) error {
	return &fs.PathError{Op: "read", Path: name, Err: fmt.Errorf("%w: more than %d bytes", ErrTooLarge, limit)}
}
