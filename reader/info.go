package reader

import (
	"bytes"

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
}

// SegmentInfo describes one segment.
type SegmentInfo struct {
	Base       uint64 // offset of its first record
	Records    string // path of its records file
	Index      string // path of its index, whether there is one or not
	Bytes      int64  // size of the records file
	IndexBytes int64  // size of the index; 0 where there is none
	Count      uint64 // records that the index describes; of a bare file whose index is not used, 0
}

// Info looks at the files and describes them. What cannot be found out, because
// a file is missing or cannot be read, is zero.
func (l *Log) Info() Info {
	ly, err := l.refresh()
	if err != nil {
		ly = l.layout.Load()
	}
	info := Info{Bare: l.place.Bare, Start: ly.start}
	for i, s := range ly.slots {
		info.Paths = append(info.Paths, s.Records)
		si := l.segmentInfo(s)
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

func (l *Log) segmentInfo(s *slot) SegmentInfo {
	si := SegmentInfo{Base: s.Base, Records: s.Records, Index: s.Index}
	if st, err := l.fs.Stat(s.Records); err == nil {
		si.Bytes = st.Size
	}
	if st, err := l.fs.Stat(s.Index); err == nil {
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
		return
	}
	defer l.pool.release(src)
	info.HasIndex = src.believed
	if !src.believed {
		info.Segments[len(info.Segments)-1].Count = 0
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
