package segment

import (
	"fmt"

	"example.com/jlq/internal/vfs"
)

// FilesBelow are the segments, or what is left of them, that end at start or
// before it. The last that begins there or before holds start, and is not.
func FilesBelow(found []Files, start uint64) []Files {
	n := 0
	for n+1 < len(found) && found[n+1].Base <= start {
		n++
	}
	return found[:n]
}

// Dropped are those of found that a trim is removing, or was when it was broken
// off.
func (m *Meta) Dropped(found []Files) (dropped []Files) {
	for _, f := range FilesBelow(found, m.Start) {
		if m.Dropping.Begins(f.Base) {
			dropped = append(dropped, f)
		}
	}
	return dropped
}

// Outside is segments in the directory of a log that are no part of it: they
// lie below its start, and no trim left them there. Somebody took them away
// and put them back when the log had gone past them.
type Outside struct {
	Segments int
	Bytes    int64 // of their files
	Start    uint64
}

// FindOutside looks for segments that are no part of the log that m tells of.
func FindOutside(fsys vfs.FS, m *Meta, found []Files) (a Outside, err error) {
	a.Start = m.Start
	for _, f := range FilesBelow(found, m.Start) {
		if m.Dropping.Begins(f.Base) {
			continue
		}
		a.Segments++
		for _, name := range f.names() {
			info, err := fsys.Lstat(name)
			if ignoreMissing(err) != nil {
				return a, err
			}
			if err == nil {
				a.Bytes += info.Size
			}
		}
	}
	return a, nil
}

// names are those of the files that are there.
func (f *Files) names() (names []string) {
	if f.HasRecords {
		names = append(names, f.Records)
	}
	if f.HasIndex {
		names = append(names, f.Index)
	}
	return names
}

// Text says so to a person. size writes a number of bytes.
func (a Outside) Text(size func(int64) string) string {
	lie := "lie"
	if a.Segments == 1 {
		lie = "lies"
	}
	return fmt.Sprintf("%s (%s) %s below the start of the log, offset %d: no part of it, and left alone; jlq cat reads them in a directory of their own",
		Plural(uint64(a.Segments), "segment"), size(a.Bytes), lie, a.Start)
}
