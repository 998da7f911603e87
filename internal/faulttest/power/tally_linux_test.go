package power

import "example.com/jlq/partition"

// tally counts what the cuts of a test left, so that its log tells whether
// they were hard.
type tally struct {
	Checks, Acked, Seen, Stored int // the records of all checks

	Lossy   int // checks where acknowledged records were lost, of a mode that allows it
	Torn    int // where a torn tail was set aside
	Adopted int // where the index was behind
	Ahead   int // where the index was ahead
	Rebuilt int // where the index was made anew
	Rolled  int // where the log had several segments
}

func (c *tally) add(h *history, stored int, p *partition.Partition) {
	r := p.Recovery()
	c.Checks++
	c.Acked += len(h.acked)
	c.Seen += len(h.seen)
	c.Stored += stored - len(h.kept)
	for _, k := range []struct {
		count *int
		is    bool
	}{
		{&c.Lossy, h.lost(stored) > 0},
		{&c.Torn, r.TornBytes > 0},
		{&c.Adopted, r.Adopted > 0},
		{&c.Ahead, r.LostTo > r.LostFrom},
		{&c.Rebuilt, r.IndexRebuilt},
		{&c.Rolled, len(p.Log().Info().Segments) > 1},
	} {
		if k.is {
			*k.count++
		}
	}
}
