package segment

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"example.com/jlq/internal/vfs"
)

// Bytes that are cut off a records file, or overwritten in it, are kept in a
// file beside it, named after the records file and the position they were at:
// 00000000000000000000.torn-8192, or app.jsonl.torn-8192 of a bare file. A
// name that is taken by other bytes gets the next free "-n" behind it.

// tornStem is what the names of such files begin with.
func (p Pair) tornStem() string {
	stem := p.Records
	if base, ext, ok := ParseName(filepath.Base(stem)); ok && base == p.Base && ext == recordsExt {
		stem = strings.TrimSuffix(stem, recordsExt)
	}
	return stem + tornInfix
}

// tornAt is the name for the bytes at position.
func (p Pair) tornAt(position int64) string { return p.tornStem() + fmt.Sprint(position) }

// setAside copies the bytes [start, end) of the records file to a file of
// their own and makes it durable. Only after that may they be cut or
// overwritten. A copy that a crash left is used again.
func setAside(fsys vfs.FS, pair Pair, rec io.ReaderAt, start, end int64, perm fs.FileMode) (string, error) {
	torn := io.NewSectionReader(rec, start, end-start)
	stem := pair.tornAt(start)
	for i := 0; ; i++ {
		name := stem
		if i > 0 {
			name = fmt.Sprintf("%s-%d", stem, i)
		}
		done, err := saveAs(fsys, name, torn, perm)
		if err != nil {
			return name, err
		}
		if done {
			return name, fsys.SyncDir(filepath.Dir(name))
		}
	}
}

// saveAs writes a copy of src to name. done is false where name is taken by a
// file of other content.
func saveAs(fsys vfs.FS, name string, src *io.SectionReader, perm fs.FileMode) (done bool, err error) {
	f, err := fsys.Open(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, perm)
	if errors.Is(err, fs.ErrExist) {
		return reuse(fsys, name, src)
	}
	if err != nil {
		return false, err
	}
	if err := copySparse(f, src); err != nil {
		// A half copy would keep its name from the whole one.
		return false, errors.Join(err, f.Close(), fsys.Remove(name))
	}
	return true, f.Close()
}

// reuse reports whether name holds exactly the bytes of src, and makes sure
// that it is on the disk. What a link leads to is somebody else's to change or
// remove, so it keeps nothing.
func reuse(fsys vfs.FS, name string, src *io.SectionReader) (bool, error) {
	entry, err := fsys.Lstat(name)
	if err != nil || !entry.Mode.IsRegular() || entry.Links > 1 {
		return false, err
	}
	f, err := fsys.Open(name, os.O_RDWR, 0)
	if err != nil {
		return false, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size != src.Size() {
		return false, err
	}
	same, err := sameBytes(f, src, info.Size)
	if err != nil || !same {
		return false, err
	}
	if err := f.Sync(); err != nil {
		return false, err
	}
	// The sync may have failed when the copy was made, and succeed now.
	return settled(fsys, f, 0, info.Size)
}

// Aside is a range of bytes of a records file that was set aside.
type Aside struct {
	Path       string
	Start, End int64
}

// Asides are the ranges of one records file that were set aside.
type Asides []Aside

// Torn is the names of what was set aside in a directory, which it reads once
// for all of the segments there.
type Torn struct {
	names  []string
	listed bool
}

// list returns the names of files that may have been set aside in dir.
func (t *Torn) list(fsys vfs.FS, dir string) ([]string, error) {
	if t.listed {
		return t.names, nil
	}
	names, err := fsys.List(dir)
	if err != nil {
		return nil, err
	}
	t.names = slices.DeleteFunc(names, func(name string) bool { return !strings.Contains(name, tornInfix) })
	t.listed = true
	return t.names, nil
}

// FindAsides lists what was set aside of a pair's records, by position.
func FindAsides(fsys vfs.FS, pair Pair) (Asides, error) { return new(Torn).find(fsys, pair) }

// find is FindAsides with names that may have been read before.
func (t *Torn) find(fsys vfs.FS, pair Pair) (Asides, error) {
	stem := pair.tornStem()
	names, err := t.list(fsys, filepath.Dir(stem))
	if err != nil {
		return nil, err
	}
	var found Asides
	for _, name := range names {
		start, ok := tornPosition(name, filepath.Base(stem))
		if !ok {
			continue
		}
		path := filepath.Join(filepath.Dir(stem), name)
		info, err := fsys.Lstat(path)
		if err != nil {
			return nil, err
		}
		if info.Mode.IsRegular() {
			found = append(found, Aside{path, start, start + info.Size})
		}
	}
	slices.SortStableFunc(found, func(a, b Aside) int { return cmp.Compare(a.Start, b.Start) })
	return found, nil
}

// tornPosition is the position in the name of a file that setAside made.
func tornPosition(name, stem string) (position int64, ok bool) {
	rest, ok := strings.CutPrefix(name, stem)
	if !ok {
		return 0, false
	}
	digits, again, numbered := strings.Cut(rest, "-")
	position, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || position < 0 {
		return 0, false
	}
	if numbered {
		_, err = strconv.ParseUint(again, 10, 64)
	}
	return position, err == nil
}

// Gap returns the file that holds what the line [start, end) lost, when data,
// its bytes without the newline, is blank and they were set aside: repair
// leaves such a line in the place of a lost record. It returns "" for every
// other line. Of several files it is the one that begins nearest, and of those
// the youngest.
func (a Asides) Gap(data []byte, start, end int64) string {
	if len(a) == 0 || len(bytes.Trim(data, " ")) > 0 {
		return ""
	}
	path := ""
	for _, saved := range a {
		if saved.Start > start {
			break
		}
		if end <= saved.End {
			path = saved.Path
		}
	}
	return path
}
