package offsets

import (
	"errors"
	"fmt"
	"io/fs"

	"example.com/jlq/internal/vfs"
)

// Fallback says that offsets.json could not be used and the version before it
// was: what was committed since is delivered again.
type Fallback struct {
	File string // what could not be used
	Prev string // what was used
	Bad  string // where File was moved to; "" where it stayed, or was missing
	Err  error  // what is wrong with File
}

// String says it in a line.
func (f *Fallback) String() string {
	moved := ""
	if f.Bad != "" {
		moved = "; it is kept as " + f.Bad
	}
	return fmt.Sprintf("%s: %v%s; the version before it, %s, counts", f.File, f.Err, moved, f.Prev)
}

// Read returns the file. It takes no lock and writes nothing. A file that was
// never there has no groups. The [Fallback] is nil unless the version before
// was read instead. Errors name the file; where both versions are bad, the
// error matches [ErrDamaged].
func Read(fsys vfs.FS, p Place) (File, *Fallback, error) {
	s, err := load(fsys, p)
	return s.file, s.fallback, err
}

// state is what was found on the disk.
type state struct {
	file     File
	fallback *Fallback
	data     []byte // bytes of offsets.json, where these count
}

// load returns what counts. What seems lost is looked for again: it may have
// been made for the first time, and what is beside it after that, since the
// file was looked for.
func load(fsys vfs.FS, p Place) (state, error) {
	s, err := look(fsys, p)
	if s.fallback != nil && errors.Is(s.fallback.Err, errNoFile) || errors.Is(err, errNoFile) {
		return look(fsys, p)
	}
	return s, err
}

func look(fsys vfs.FS, p Place) (state, error) {
	f, data, bad, err := readVersion(fsys, p.File)
	if err != nil {
		return state{}, err
	}
	if bad == nil {
		return state{file: f, data: data}, nil
	}
	prev, _, badPrev, err := readVersion(fsys, p.Prev())
	switch {
	case err != nil:
		return state{}, err
	case badPrev == nil:
		return state{file: prev, fallback: &Fallback{File: p.File, Prev: p.Prev(), Err: bad}}, nil
	case errors.Is(bad, errNoFile) && errors.Is(badPrev, errNoFile):
		return state{file: File{Format: Format, Groups: map[string]map[string]Entry{}}}, neverWas(fsys, p)
	}
	return state{}, damaged(p, bad, badPrev)
}

var errNoFile = errors.New("the file is missing")

// readVersion reads one version. bad says why it cannot be used; err that it
// is not known, because it could not be read or a newer jlq wrote it.
func readVersion(fsys vfs.FS, path string) (f File, data []byte, bad, err error) {
	data, err = vfs.ReadFile(fsys, path, maxFileBytes)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return f, nil, errNoFile, nil
	case errors.Is(err, vfs.ErrTooLarge):
		return f, nil, err, nil
	case err != nil:
		return f, nil, nil, err
	case len(data) == 0:
		return f, nil, errors.New("the file is empty"), nil
	}
	f, bad = decode(data)
	if errors.Is(bad, ErrNewerFormat) {
		return f, nil, nil, &fs.PathError{Op: "open", Path: path, Err: bad}
	}
	return f, data, bad, nil
}

// neverWas makes sure that the file is not there because it never was. Groups
// are registered before they have a directory.
func neverWas(fsys vfs.FS, p Place) error {
	_, err := fsys.Lstat(p.Groups)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	}
	return damaged(p, errNoFile, errNoFile)
}

// damaged says what is wrong with both versions, and what a person can do.
func damaged(p Place, bad, badPrev error) error {
	return &fs.PathError{Op: "open", Path: p.File, Err: fmt.Errorf(
		"%w: %w; %s: %w; restore one of them, or remove both and %s: then every group begins anew",
		ErrDamaged, bad, p.Prev(), badPrev, p.Groups)}
}
