package writer

import "time"

// Stats counts what a writer did since it was opened.
type Stats struct {
	Records   uint64        // records stored
	Bytes     uint64        // bytes of their lines
	Batches   uint64        // groups or writes that they came in
	Published uint64        // index entries written
	Fsyncs    uint64        // of the records file
	FsyncTime time.Duration // time they took, summed up
}

// batch counts one batch. The caller holds mu, as for all of the counts: they
// are plain because an atomic addition costs as much as the rest of a record.
func (s *Stats) batch(records, bytes int) {
	s.Records += uint64(records)
	s.Bytes += uint64(bytes)
	s.Batches++
}

// Stats returns the counts up to now.
func (w *Writer) Stats() Stats {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.stats
}
