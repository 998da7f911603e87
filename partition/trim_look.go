package partition

import (
	"errors"
	"io/fs"
	"sync"
	"time"
)

// sizes remembers the size and the time of each sealed segment of a log that is
// open for appending: no writer changes these files any more, and looking at
// ten thousand of them after each roll would be most of what retention costs.
type sizes struct {
	mu   sync.Mutex
	segs map[uint64]size // by base
}

// size is what the files of a segment were found to be.
type size struct {
	bytes int64
	last  time.Time
	whole uint64 // see trimSeg
}

// forget forgets what a trim dropped.
func (s *sizes) forget(plan *TrimPlan) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range plan.dropped() {
		delete(s.segs, plan.Segments[i].Base)
	}
}

// look finds out sizes and times, from memory where they are known.
func (p *Partition) look(segs []trimSeg) error {
	p.sizes.mu.Lock()
	defer p.sizes.mu.Unlock()
	for i := range segs {
		s := &segs[i]
		if known, ok := p.sizes.segs[s.base]; ok && !s.active && !s.away {
			s.bytes, s.last, s.whole = known.bytes, known.last, known.whole
		} else if err := p.lookAt(s); err != nil {
			return err
		}
	}
	return nil
}

// lookAgain looks at the files themselves where a decision depends on what is
// remembered: a person may have touched them, or put another one there. changed
// says that it has to be decided again.
func (p *Partition) lookAgain(segs []trimSeg) (changed bool, err error) {
	p.sizes.mu.Lock()
	defer p.sizes.mu.Unlock()
	for i := range segs {
		s := &segs[i]
		if s.looked || s.away {
			continue
		}
		before := size{s.bytes, s.last, s.whole}
		if err := p.lookAt(s); err != nil {
			return false, err
		}
		changed = changed || s.away || s.whole != before.whole || s.bytes != before.bytes || !s.last.Equal(before.last)
	}
	return changed, nil
}

// lookAt looks at the files of one segment. What a reader takes for sealed, a writer in
// another process may yet append to, when its roll fails. The caller holds mu.
func (p *Partition) lookAt(s *trimSeg) error {
	s.looked = true
	if s.away {
		return nil
	}
	info, err := p.opts.FS.Stat(s.pair.Records)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		s.away = true
		return nil
	case err != nil:
		return err
	}
	s.bytes, s.last, s.whole = info.Size, info.ModTime, 0
	if s.active {
		return nil
	}
	if s.whole, err = p.wholeCount(s); err != nil || p.live == nil {
		return err
	}
	if p.sizes.segs == nil {
		p.sizes.segs = map[uint64]size{}
	}
	p.sizes.segs[s.base] = size{s.bytes, s.last, s.whole}
	return nil
}
