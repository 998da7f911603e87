package reader

import (
	"sync"
	"sync/atomic"
)

// Stats says what a [Log] did since it was opened, and what it holds now.
// Counting is always on: it costs a scan next to nothing, and a random read from
// a mapping one atomic addition.
type Stats struct {
	Blocks uint64 `json:"blocks"` // runs of records handed to scans, followers and random reads
	Bytes  uint64 `json:"bytes"`  // of the lines in them
	Gets   uint64 `json:"gets"`   // records read at random

	Disk    Reads `json:"disk"`    // of records, by system calls: the page cache counts as the disk
	Mapping Reads `json:"mapping"` // of records, from mapped files: one each, or a block
	Tail    Reads `json:"tail"`    // from the memory of the writer in this process

	TailHeld  int64 `json:"tail_held"`  // bytes that this memory takes now
	TailBound int64 `json:"tail_bound"` // and the most that it may

	Maps      uint64 `json:"maps"`       // times that a segment was mapped
	Opens     uint64 `json:"opens"`      // times that the files of a segment were opened
	Retries   uint64 `json:"retries"`    // times that names, index and records were read again because they did not agree
	Restarts  uint64 `json:"restarts"`   // times that following began anew, because a bare file was replaced, cut or rewritten
	ScanBytes uint64 `json:"scan_bytes"` // read only to count the lines in them

	OpenSegments int   `json:"open_segments"` // now; each has two files open, or one where it has no index
	OpenFiles    int   `json:"open_files"`    // now
	Mappings     int   `json:"mappings"`      // segments that are mapped now
	MappedBytes  int64 `json:"mapped_bytes"`  // of their records and indexes

	SegmentCount int `json:"segment_count"` // segments of the log, as it was last seen

	// Segments are those that something was read from, in order. What was
	// read from segments that are gone is in the totals above.
	Segments []SegmentStats `json:"segments"`
}

// Reads counts reads of one kind, and the bytes that they returned.
type Reads struct {
	Reads uint64 `json:"reads"`
	Bytes uint64 `json:"bytes"`
}

func (r *Reads) add(other Reads) {
	r.Reads += other.Reads
	r.Bytes += other.Bytes
}

// SegmentStats says what was read from one segment, and what it is.
type SegmentStats struct {
	Base        uint64 `json:"base"`
	Records     uint64 `json:"records"`      // by the names, or by the index when it was last looked at
	Bytes       int64  `json:"bytes"`        // size of the records file: now where it is open or the last one, else when it last was
	Open        bool   `json:"open"`         // its files are, now
	MappedBytes int64  `json:"mapped_bytes"` // of records and index, now
	Disk        Reads  `json:"disk"`
	Mapping     Reads  `json:"mapping"`
	Tail        Reads  `json:"tail"`
}

// counters is what Stats is made from, with what the slots count.
type counters struct {
	blocks, bytes, gets, maps, opens, retries, restarts, scanBytes atomic.Uint64

	gone struct {
		mu                  sync.Mutex // while the layout changes
		disk, mapping, tail readCount
	} // of segments that the log no longer has
}

// readCount is Reads that are being counted.
type readCount struct{ reads, bytes atomic.Uint64 }

func (c *readCount) count(bytes int) { c.add(Reads{1, uint64(bytes)}) }

func (c *readCount) add(r Reads) {
	c.reads.Add(r.Reads)
	c.bytes.Add(r.Bytes)
}

func (c *readCount) load() Reads { return Reads{c.reads.Load(), c.bytes.Load()} }

// segmentCounts is what was counted of one segment. A slot has one from when
// its files are first opened, or its lines read from memory: a log of 10,000 segments may be asked for few.
type segmentCounts struct {
	disk, tail readCount
	mapped     atomic.Pointer[mappedCount] // nil: it never was
	size       atomic.Int64                // of the records file, when last looked at
}

// counted returns the counts of the segment, which it makes where there are
// none.
func (s *slot) counted() *segmentCounts {
	if c := s.counts.Load(); c != nil {
		return c
	}
	s.counts.CompareAndSwap(nil, new(segmentCounts))
	return s.counts.Load()
}

// mapping returns the count of reads from mappings, likewise.
func (c *segmentCounts) mapping() *mappedCount {
	if m := c.mapped.Load(); m != nil {
		return m
	}
	c.mapped.CompareAndSwap(nil, new(mappedCount))
	return c.mapped.Load()
}

// mappedCount counts reads from mappings. It is spread over cache lines
// by the offset of the record, and has reads and bytes in one number: these
// reads are the one thing that many processors do at once in less time than it
// takes to hand a shared counter around.
type mappedCount struct {
	lanes [16]struct {
		n atomic.Uint64 // reads in the upper 28 bits, bytes in the lower 36
		_ [56]byte
	}
	full readCount // what was taken from lanes before they ran over
}

const (
	laneBytes = 36
	// laneFull are the highest bits of both numbers: as much again may come
	// before what has one of them is taken out.
	laneFull = 1<<63 | 1<<(laneBytes-1)
)

func (m *mappedCount) count(offset uint64, bytes int) {
	lane := &m.lanes[offset%uint64(len(m.lanes))].n
	if lane.Add(1<<laneBytes|uint64(bytes))&laneFull != 0 {
		m.full.add(laneReads(lane.Swap(0)))
	}
}

func laneReads(n uint64) Reads { return Reads{n >> laneBytes, n & (1<<laneBytes - 1)} }

// load may miss what is being taken out of a lane at this moment.
func (m *mappedCount) load() Reads {
	r := m.full.load()
	for i := range m.lanes {
		r.add(laneReads(m.lanes[i].n.Load()))
	}
	return r
}

// retire keeps what was counted of a segment that the log no longer has. A
// read that is under way may be missed. The caller holds gone.mu.
func (c *counters) retire(s *slot) {
	counts := s.counts.Load()
	if counts == nil {
		return
	}
	c.gone.disk.add(counts.disk.load())
	c.gone.tail.add(counts.tail.load())
	if m := counts.mapped.Load(); m != nil {
		c.gone.mapping.add(m.load())
	}
}

// Stats returns what was counted so far. It asks the system for nothing but
// the sizes of the files that are open, and of the last one.
func (l *Log) Stats() Stats {
	c := &l.stats
	s := Stats{
		Blocks: c.blocks.Load(), Bytes: c.bytes.Load(), Gets: c.gets.Load(),
		Maps: c.maps.Load(), Opens: c.opens.Load(), Retries: c.retries.Load(),
		Restarts: c.restarts.Load(), ScanBytes: c.scanBytes.Load(),
	}
	l.segmentStats(&s)
	if l.live != nil {
		s.TailHeld, s.TailBound = l.live.Tail()
	}
	s.Gets += s.Mapping.Reads
	l.pool.stats(&s)
	return s
}

// segmentStats fills in what is known of segments, and the sums.
func (l *Log) segmentStats(s *Stats) {
	gone := &l.stats.gone
	gone.mu.Lock() // or a segment that goes now would be in no sum, or twice
	defer gone.mu.Unlock()
	s.Disk, s.Mapping, s.Tail = gone.disk.load(), gone.mapping.load(), gone.tail.load()
	ly := l.layout.Load()
	s.SegmentCount = len(ly.slots)
	s.Segments = make([]SegmentStats, 0, ly.touched())
	for i, slot := range ly.slots {
		counts := slot.counts.Load()
		if counts == nil {
			continue
		}
		seg := l.slotStats(slot, counts, i+1 == len(ly.slots))
		if i+1 < len(ly.slots) {
			seg.Records = ly.slots[i+1].Base - slot.Base
		} else if w := l.live; w != nil {
			seg.Records = w.Next() - min(w.Next(), slot.Base)
		}
		s.Segments = append(s.Segments, seg)
		s.Disk.add(seg.Disk)
		s.Mapping.add(seg.Mapping)
		s.Tail.add(seg.Tail)
	}
}

// touched is how many segments have figures.
func (ly *layout) touched() (n int) {
	for _, s := range ly.slots {
		if s.counts.Load() != nil {
			n++
		}
	}
	return n
}

// slotStats is what is known of a segment by itself. The size of one that is not
// open is asked for by name where it may grow, or was only read from memory.
func (l *Log) slotStats(s *slot, c *segmentCounts, last bool) SegmentStats {
	seg := SegmentStats{Base: s.Base, Disk: c.disk.load(), Tail: c.tail.load()}
	if m := c.mapped.Load(); m != nil {
		seg.Mapping = m.load()
	}
	if src := s.src.Load(); src != nil {
		seg.Open = true
		seg.Records = src.count.Load()
		seg.MappedBytes = src.mappedBytes()
		if size, err := src.size(); err == nil {
			c.size.Store(size)
		}
	} else if last || c.size.Load() == 0 {
		if info, err := l.fs.Stat(s.Records); err == nil {
			c.size.Store(info.Size)
		}
	}
	seg.Bytes = c.size.Load()
	return seg
}

// mappedBytes is how much of the address space the source takes.
func (s *source) mappedBytes() int64 {
	m := s.random.maps.Load()
	if m == nil {
		return 0
	}
	return m.idx.Len() + m.rec.Len()
}

// stats fills in what is open, also of files that are no longer in the log but
// still read.
func (p *pool) stats(s *Stats) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s.OpenSegments = len(p.all)
	for src := range p.all {
		s.OpenFiles++
		if src.Idx != nil {
			s.OpenFiles++
		}
		if n := src.mappedBytes(); n > 0 {
			s.Mappings++
			s.MappedBytes += n
		}
	}
}
