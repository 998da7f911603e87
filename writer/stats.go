package writer

import "slices"

// Stats counts what a writer did since it was opened. Counting is always on:
// it is done under the mutex that a batch takes anyway, and costs less than one
// percent of a single append.
type Stats struct {
	Records   uint64 `json:"records"`   // stored
	Bytes     uint64 `json:"bytes"`     // of their lines
	Batches   uint64 `json:"batches"`   // group commits (SyncAlways) or writes that they came in
	Published uint64 `json:"published"` // index entries written
	Stalls    uint64 `json:"stalls"`    // times that an append waited because too much was not synced yet

	BatchRecords Histogram `json:"batch_records"` // records of each batch
	BatchBytes   Histogram `json:"batch_bytes"`   // bytes of each batch
	IndexEntries Histogram `json:"index_entries"` // entries of each write to the index: how far they were coalesced
	Fsync        Histogram `json:"fsync_ns"`      // time of each sync of the records file
	Group        Histogram `json:"group_ns"`      // SyncAlways: time of each group from its first append until it was stored: the longest that one waited

	// Segments are those that this writer appended to, in order: the last
	// one, and of those before it the 64 youngest.
	Segments []SegmentStats `json:"segments"`

	Rolls       uint64 `json:"rolls"`                // segments that were sealed
	RollsPutOff uint64 `json:"rolls_put_off"`        // attempts to that failed; appends went on in the old segment
	RollError   string `json:"roll_error,omitempty"` // why the last of them did; "" once a roll came about
}

// SegmentStats counts what a writer appended to one segment.
type SegmentStats struct {
	Base    uint64 `json:"base"`
	Records uint64 `json:"records"`
	Bytes   uint64 `json:"bytes"`
	Batches uint64 `json:"batches"`
}

// maxSealed is how many sealed segments the writer has figures of.
const maxSealed = 64

// counts is what Stats is made from. The caller of its methods holds mu: the
// counts are plain because an atomic addition costs as much as the rest of a
// record.
type counts struct {
	batchRecords Histogram
	batchBytes   Histogram
	indexEntries Histogram
	fsync        Histogram
	group        Histogram
	stalls       uint64
	rolls        uint64
	rollsPutOff  uint64
	rollError    string

	// What was appended to the active segment is what was appended less what
	// had been when it began, so that it costs nothing to know.
	before SegmentStats
	sealed []SegmentStats
}

// batch counts one batch.
func (c *counts) batch(records, bytes int) {
	c.batchRecords.Observe(uint64(records))
	c.batchBytes.Observe(uint64(bytes))
}

// segment is what was appended to the active segment, which has that base.
func (c *counts) segment(base uint64) SegmentStats {
	return SegmentStats{
		Base:    base,
		Records: c.batchRecords.Sum - c.before.Records,
		Bytes:   c.batchBytes.Sum - c.before.Bytes,
		Batches: c.batchRecords.Count - c.before.Batches,
	}
}

// seal is called when the active segment, which has that base, is sealed.
func (c *counts) seal(base uint64) {
	if len(c.sealed) == maxSealed {
		c.sealed = slices.Delete(c.sealed, 0, 1)
	}
	c.sealed = append(c.sealed, c.segment(base))
	c.before = SegmentStats{Records: c.batchRecords.Sum, Bytes: c.batchBytes.Sum, Batches: c.batchRecords.Count}
}

// rolled counts a roll that came about.
func (c *counts) rolled() {
	c.rolls++
	c.rollError = ""
}

// putOff counts a roll that did not.
func (c *counts) putOff(err error) {
	c.rollsPutOff++
	c.rollError = err.Error()
}

// Stats returns the counts up to now.
func (w *Writer) Stats() Stats {
	w.mu.Lock()
	defer w.mu.Unlock()
	c := &w.stats
	return Stats{
		Records: c.batchRecords.Sum, Bytes: c.batchBytes.Sum, Batches: c.batchRecords.Count,
		Published: c.indexEntries.Sum, Stalls: c.stalls,
		BatchRecords: c.batchRecords, BatchBytes: c.batchBytes, IndexEntries: c.indexEntries,
		Fsync: c.fsync, Group: c.group,
		Rolls: c.rolls, RollsPutOff: c.rollsPutOff, RollError: c.rollError,
		Segments: append(slices.Clone(c.sealed), c.segment(w.live.Base())),
	}
}
