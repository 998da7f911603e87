package reader

import "sync/atomic"

// Stats counts what a [Log] did since it was opened.
type Stats struct {
	Blocks    uint64 // blocks of records read from files or from the writer's tail
	Bytes     uint64 // bytes of records in them
	Gets      uint64 // records read at random, of which …
	Mapped    uint64 // … these came from a mapping, without a system call
	Maps      uint64 // times that a segment was mapped
	Opens     uint64 // times that the files of a segment were opened
	Retries   uint64 // times that names, index and records were read again because they did not agree
	Restarts  uint64 // times that following began anew, because a bare file was replaced, cut or rewritten
	ScanBytes uint64 // bytes read only to count the lines in them
}

// counters is what Stats is made from.
type counters struct {
	blocks, bytes, gets, maps, opens, retries, restarts, scanBytes atomic.Uint64

	// mapped is spread over cache lines by the offset of the record: random
	// reads are the one thing that many processors do at once in less time
	// than it takes to hand a shared counter around.
	mapped [16]struct {
		n atomic.Uint64
		_ [56]byte
	}
}

func (c *counters) countMapped(offset uint64) { c.mapped[offset%16].n.Add(1) }

// Stats returns what was counted so far.
func (l *Log) Stats() Stats {
	c := &l.stats
	s := Stats{
		Blocks: c.blocks.Load(), Bytes: c.bytes.Load(), Gets: c.gets.Load(),
		Maps: c.maps.Load(), Opens: c.opens.Load(), Retries: c.retries.Load(),
		Restarts: c.restarts.Load(), ScanBytes: c.scanBytes.Load(),
	}
	for i := range c.mapped {
		s.Mapped += c.mapped[i].n.Load()
	}
	s.Gets += s.Mapped
	return s
}
