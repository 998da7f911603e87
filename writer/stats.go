package writer

import (
	"sync/atomic"
	"time"
)

// Stats counts what a writer did since it was opened.
type Stats struct {
	Records   uint64        // records stored
	Bytes     uint64        // bytes of their lines
	Batches   uint64        // groups or writes that they came in
	Published uint64        // index entries written
	Fsyncs    uint64        // of the records file
	FsyncTime time.Duration // time they took, summed up
}

// counters are the running Stats. They are always on: a few atomic additions
// a batch.
type counters struct {
	records, bytes, batches, entries, fsyncs atomic.Uint64
	fsyncTime                                atomic.Int64
}

func (c *counters) batch(records, bytes int) {
	c.records.Add(uint64(records))
	c.bytes.Add(uint64(bytes))
	c.batches.Add(1)
}

func (c *counters) published(entries int) { c.entries.Add(uint64(entries)) }

func (c *counters) fsync(took time.Duration) {
	c.fsyncs.Add(1)
	c.fsyncTime.Add(int64(took))
}

// Stats returns the counts up to now.
func (w *Writer) Stats() Stats {
	c := &w.stats
	return Stats{
		Records: c.records.Load(), Bytes: c.bytes.Load(), Batches: c.batches.Load(),
		Published: c.entries.Load(), Fsyncs: c.fsyncs.Load(), FsyncTime: time.Duration(c.fsyncTime.Load()),
	}
}
