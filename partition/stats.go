package partition

import (
	"example.com/jlq/reader"
	"example.com/jlq/writer"
)

// Stats is a snapshot of a partition: where it stands, and what this process
// did with it since it was opened.
//
// It costs what Bounds costs, and the sizes of the files that are open, so that
// it may be asked for every second. Counters only grow; what is open or held is
// as it is now. The names in JSON are part of the interface. Everything that
// the files hold is told by Info of [reader.Log], and from outside by jlq stat.
type Stats struct {
	Start   uint64 `json:"start"`   // first offset that is kept
	Next    uint64 `json:"next"`    // offset that the next append gets
	Durable uint64 `json:"durable"` // offset below which every record survives a power loss; 0 when opened for reading

	Read    reader.Stats `json:"read"`
	Written writer.Stats `json:"written"` // zero when opened for reading

	Retention RetentionStats `json:"retention"` // zero when opened for reading
}

// Histogram counts values in buckets that double, see [writer.Histogram].
type Histogram = writer.Histogram

// Stats returns a snapshot. The counters are always on.
func (p *Partition) Stats() Stats {
	s := Stats{Durable: p.Durable(), Read: p.log.Stats(), Retention: p.retentionStats()}
	s.Start, s.Next = p.Bounds()
	if p.write != nil {
		s.Written = p.write.Stats()
	}
	return s
}
