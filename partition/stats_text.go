package partition

import (
	"fmt"
	"strings"
	"time"

	"example.com/jlq/reader"
)

// String tells the figures to a person, a subject a line; those that are zero
// throughout are left out.
func (s Stats) String() string {
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-9s %s\n", name, fmt.Sprintf(format, args...))
	}
	line("offsets", "%d to %d (next), durable below %d", s.Start, s.Next, s.Durable)
	if w := s.Written; w.Batches > 0 {
		line("appended", "%d records, %d bytes in %d batches (records: %s)", w.Records, w.Bytes, w.Batches, numbersText(w.BatchRecords))
		line("index", "%d entries in %d writes (entries: %s)", w.Published, w.IndexEntries.Count, numbersText(w.IndexEntries))
	}
	if w := s.Written; w.Fsync.Count > 0 {
		line("fsyncs", "%d (%s)", w.Fsync.Count, latencyText(w.Fsync))
	}
	if w := s.Written; w.Group.Count > 0 {
		line("groups", "%d (%s)", w.Group.Count, latencyText(w.Group))
	}
	if w := s.Written; w.Stalls > 0 {
		line("stalls", "%d", w.Stalls)
	}
	if w := s.Written; w.Rolls+w.RollsPutOff > 0 {
		line("rolls", "%d, put off %d%s", w.Rolls, w.RollsPutOff, becauseText(w.RollError))
	}
	if r := s.Retention; r.Rounds+r.Segments > 0 {
		line("dropped", "%d segments, %d records, %d bytes%s%s", r.Segments, r.Records, r.Bytes, heldText(r.Held), becauseText(r.Error))
	}
	r := s.Read
	line("read", "%d bytes in %d blocks, %d records at random", r.Bytes, r.Blocks, r.Gets)
	line("from", "disk %s, mappings %s, tail %s", readsText(r.Disk), readsText(r.Mapping), readsText(r.Tail))
	if r.TailBound > 0 {
		line("tail", "%d of at most %d bytes in memory", r.TailHeld, r.TailBound)
	}
	line("open", "%d of %d segments (%d files), %d mapped (%d bytes)", r.OpenSegments, r.SegmentCount, r.OpenFiles, r.Mappings, r.MappedBytes)
	return b.String()
}

// heldText says who keeps segments from being dropped.
func heldText(holds []Hold) string {
	text := ""
	for _, h := range holds {
		text += fmt.Sprintf(", held by %s at %d", h.Name, h.Offset)
	}
	return text
}

// becauseText is a reason, where there is one.
func becauseText(reason string) string {
	if reason == "" {
		return ""
	}
	return ": " + reason
}

// numbersText tells a histogram of numbers.
func numbersText(h Histogram) string {
	return fmt.Sprintf("mean %.1f, p50 ≤ %d, p99 ≤ %d, max %d", h.Mean(), h.Quantile(0.5), h.Quantile(0.99), h.Max)
}

// latencyText tells a histogram of nanoseconds.
func latencyText(h Histogram) string {
	round := func(ns uint64) time.Duration {
		d := time.Duration(ns)
		if d < time.Millisecond {
			return d.Round(time.Microsecond)
		}
		return d.Round(10 * time.Microsecond)
	}
	return fmt.Sprintf("mean %v, p50 ≤ %v, p99 ≤ %v, max %v",
		round(uint64(h.Mean())), round(h.Quantile(0.5)), round(h.Quantile(0.99)), round(h.Max))
}

func readsText(r reader.Reads) string {
	return fmt.Sprintf("%d reads of %d bytes", r.Reads, r.Bytes)
}
