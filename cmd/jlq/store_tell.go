package main

import "example.com/jlq/partition"

// tell says what is stored, and what was not.
func (s *store) tell() {
	s.bad.tell()
	for _, p := range s.logs {
		defer s.tellDropped(p)
	}
	if s.topic != nil {
		s.topic.tell(s)
		return
	}
	switch s.stored {
	case 0:
		s.app.report("%s: 0 records stored", s.path)
	case 1:
		s.app.report("%s: 1 record stored, offset %d", s.path, s.first)
	case s.next - s.first:
		s.app.report("%s: %d records stored, offsets %d to %d", s.path, s.stored, s.first, s.next-1)
	default:
		s.app.report("%s: %d records stored, at offsets between %d and %d, among others", s.path, s.stored, s.first, s.next-1)
	}
}

// tellDropped says what --keep-records and the like dropped.
func (s *store) tellDropped(p *partition.Partition) {
	if r := p.Stats().Retention; r.Segments > 0 {
		s.app.report("%s: dropped %s with %s (%s), as the limits say", p.Path(), countText(r.Segments, "segment"), recordsText(r.Records), bytesText(r.Bytes))
	}
	s.tellHeld(p)
}

// tellHeld says what the limits would have dropped, and who lost records.
func (s *store) tellHeld(p *partition.Partition) {
	r := p.Stats().Retention
	for _, h := range r.Held {
		s.app.report("%s: segments stay beyond the limits: %s needs offset %d", p.Path(), h.Name, h.Offset)
	}
	if r.Lost > 0 {
		s.app.report("%s: %s of what was dropped were still needed by a group", p.Path(), recordsText(r.Lost))
	}
	if r.Error != "" {
		s.app.report("%s: segments stay beyond the limits: %s", p.Path(), r.Error)
	}
}
