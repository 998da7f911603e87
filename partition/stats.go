package partition

import (
	"example.com/jlq/reader"
	"example.com/jlq/writer"
)

// Stats is a snapshot of a partition: where it stands, and what this process
// did with it since it was opened.
type Stats struct {
	Start   uint64 // first offset that is kept
	Next    uint64 // offset that the next append gets
	Durable uint64 // offset below which every record survives a power loss; 0 when opened for reading
	Info    reader.Info
	Read    reader.Stats
	Written writer.Stats // zero when opened for reading
}

// Stats returns a snapshot. The counters are always on.
func (p *Partition) Stats() Stats {
	s := Stats{Durable: p.Durable(), Info: p.log.Info(), Read: p.log.Stats()}
	s.Start, s.Next = p.Bounds()
	if p.write != nil {
		s.Written = p.write.Stats()
	}
	return s
}
