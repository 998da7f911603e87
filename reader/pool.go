package reader

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"example.com/jlq/internal/segment"
)

// maxOpen is how many segments are kept open beyond those that are being
// read. Each takes two file handles.
const maxOpen = 16

// slot is the place of one segment in the log. It outlives the files that are
// opened for it.
type slot struct {
	segment.Pair
	opening sync.Mutex             // one goroutine opens, the others wait
	src     atomic.Pointer[source] // nil: not open
	counts  atomic.Pointer[segmentCounts]
}

// pool keeps the files of segments open, the most recently used ones for
// longest, and closes them when nobody reads them any more. A file that was
// unlinked or replaced stays readable for those who began with it.
type pool struct {
	mu     sync.Mutex
	kept   []*source // in their slots, in the order of a clock
	all    map[*source]struct{}
	closed bool
}

// retain returns the source that is open in s, counted as read once more; nil
// where none is.
func (p *pool) retain(s *slot) (*source, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, ErrClosed
	}
	src := s.src.Load()
	if src != nil {
		src.refs++
		src.used.Store(true)
	}
	return src, nil
}

// put places a source that was just opened in its slot, instead of what is
// there, and returns it retained.
func (p *pool) put(src *source) (*source, error) {
	src, err := p.place(src)
	opened.makeRoom()
	return src, err
}

func (p *pool) place(src *source) (*source, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, errors.Join(ErrClosed, src.Close())
	}
	p.removeSource(src.slot.src.Load())
	src.refs = 1
	src.used.Store(true)
	src.slot.src.Store(src)
	p.all[src] = struct{}{}
	src.pool = p
	opened.add(src)
	p.kept = append(p.kept, src)
	p.evict()
	return src, nil
}

// release counts one reader less.
func (p *pool) release(src *source) {
	p.mu.Lock()
	defer p.mu.Unlock()
	src.refs--
	p.closeUnused(src)
}

// drop takes the source out of a slot that the log no longer has.
func (p *pool) drop(s *slot) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.removeSource(s.src.Load())
}

// removeSource and the two after it belong to the methods above, which hold
// mu.
func (p *pool) removeSource(src *source) {
	if src == nil {
		return
	}
	src.slot.src.Store(nil)
	p.kept = slices.DeleteFunc(p.kept, func(s *source) bool { return s == src })
	src.gone = true
	p.closeUnused(src)
}

// closeUnused ignores the error of closing: nothing was written.
func (p *pool) closeUnused(src *source) {
	if !src.gone || src.refs > 0 || p.closed {
		return
	}
	delete(p.all, src)
	opened.remove(src)
	src.Close()
}

// discard takes a source out of its slot, unless somebody reads it.
func (p *pool) discard(src *source) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.closed && !src.gone && src.refs == 0 {
		p.removeSource(src)
	}
}

// evict gives every source a second chance and then closes those that nobody
// used since, as long as there are too many.
func (p *pool) evict() {
	for turns := 2 * len(p.kept); len(p.kept) > maxOpen && turns > 0; turns-- {
		src := p.kept[0]
		if src.used.Swap(false) || src.refs > 0 {
			p.kept = append(p.kept[1:], src)
			continue
		}
		p.removeSource(src)
	}
}

// close closes everything that is open, also what is being read.
func (p *pool) close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return ErrClosed
	}
	p.closed = true
	var errs []error
	for src := range p.all {
		opened.remove(src)
		errs = append(errs, src.Close())
	}
	p.all, p.kept = nil, nil
	return errors.Join(errs...)
}

// lease is one reader's hold on one source. It is a value of its own so that
// the garbage collector can end it when its Reader is left lying about.
type lease struct {
	pool *pool
	src  *source
}

// set replaces the source that is held; nil holds none.
func (l *lease) set(src *source) {
	if l.src != nil {
		l.pool.release(l.src)
	}
	l.src = src
}
