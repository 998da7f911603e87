package reader

import (
	"bytes"
	"errors"
	"io/fs"
	"time"

	"example.com/jlq/index"
	"example.com/jlq/internal/segment"
)

// Info describes the files of a log.
type Info struct {
	Bare     bool          // a JSON-lines file; else a partition directory
	HasIndex bool          // the last segment, or the bare file, is read through its index
	BOM      bool          // the first record begins with a byte order mark
	Start    uint64        // the first offset that is kept
	Paths    []string      // the records files, in order
	Segments []SegmentInfo // the same, with details
	Err      error         // why something could not be found out; a missing file is no reason
}

// SegmentInfo describes one segment.
type SegmentInfo struct {
	Base       uint64    // offset of its first record
	Records    string    // path of its records file
	Index      string    // path of its index, whether there is one or not
	Bytes      int64     // size of the records file
	IndexBytes int64     // size of the index; 0 where there is none
	ModTime    time.Time // of the records file: its last append
	Count      uint64    // records that the index describes up to the last that can be read; of a bare file whose index is not used, 0
}

// Info looks at the files and describes them. What cannot be found out, because
// a file is missing or cannot be read, is zero; Err tells the two apart.
func (l *Log) Info() Info {
	ly, err := l.refresh()
	if err != nil {
		ly = l.layout.Load()
	}
	info := Info{Bare: l.place.Bare, Start: ly.start}
	info.note(err)
	for i, s := range ly.slots {
		info.Paths = append(info.Paths, s.Records)
		si := l.segmentInfo(s, &info)
		if i+1 < len(ly.slots) {
			si.Count = ly.slots[i+1].Base - s.Base
		}
		info.Segments = append(info.Segments, si)
	}
	if s := ly.last(); s != nil {
		l.inspect(s, &info)
		info.BOM = l.hasBOM(ly.slots[0])
	}
	return info
}

// note keeps the first failure of the file system.
func (i *Info) note(err error) {
	if _, failed := errors.AsType[*fs.PathError](err); failed && i.Err == nil && !errors.Is(err, fs.ErrNotExist) {
		i.Err = err
	}
}

func (l *Log) segmentInfo(s *slot, info *Info) SegmentInfo {
	si := SegmentInfo{Base: s.Base, Records: s.Records, Index: s.Index}
	st, err := l.fs.Stat(s.Records)
	if info.note(err); err == nil {
		si.Bytes, si.ModTime = st.Size, st.ModTime
	}
	st, err = l.fs.Stat(s.Index)
	if info.note(err); err == nil {
		si.IndexBytes = st.Size
		si.Count = index.Count(st.Size)
	}
	return si
}

// inspect corrects what is said of the last segment: an index that lies beside
// a bare file need not be its own.
func (l *Log) inspect(s *slot, info *Info) {
	src, err := l.acquireFresh(s)
	if err != nil {
		info.note(err)
		return
	}
	defer l.pool.release(src)
	info.HasIndex = src.believed
	last := &info.Segments[len(info.Segments)-1]
	switch {
	case !src.believed:
		last.Count = 0
	case !l.place.Bare && l.live == nil:
		last.Count, err = l.soundCount(src)
		info.note(err)
	}
}

func (l *Log) hasBOM(s *slot) bool {
	src, err := l.acquire(s)
	if err != nil {
		return false
	}
	defer l.pool.release(src)
	head := make([]byte, len(bom))
	n, err := src.readAt(head, 0)
	return err == nil && bytes.Equal(head[:n], bom)
}

// Place returns where the log lies.
func (l *Log) Place() segment.Place { return l.place }

// Files returns the names of the segments' files, in order, as they were last
// seen. It looks at none of them.
func (l *Log) Files() []segment.Pair {
	slots := l.layout.Load().slots
	pairs := make([]segment.Pair, len(slots))
	for i, s := range slots {
		pairs[i] = s.Pair
	}
	return pairs
}
