package reader

import (
	"container/list"
	"sync"
	"sync/atomic"

	"example.com/jlq/internal/vfs"
)

const (
	// mostOpen and leastOpen are how many segments all logs of a process keep open
	// together, whatever the system allows; usualOpen, where it does not say.
	mostOpen, leastOpen, usualOpen = 4096, 4, 128
	// shareOfLimit is the part of the files that a process may have open which
	// these take: two for each, and as much is left for writers and locks.
	shareOfLimit = 2 * 4
	// looks bounds how many are looked at for each that is opened.
	looks = 32
)

// opened is what all logs of this process have open: the system bounds the files
// of a process, however many logs it reads.
var opened = newShelf(fitting(vfs.OpenLimit()))

// fitting is how many segments may be open where the system allows so many files.
func fitting(files int) int {
	if files == 0 {
		return usualOpen
	}
	return min(max(files/shareOfLimit, leastOpen), mostOpen)
}

// shelf bounds how many segments are open, of whatever log: those that nobody
// reads and nobody read lately are closed, and opened again when they are read.
type shelf struct {
	limit int64
	count atomic.Int64

	mu    sync.Mutex // behind that of a pool
	clock list.List  // of *source
}

func newShelf(limit int) *shelf { return &shelf{limit: int64(limit)} }

// crowded reports whether who has a block in memory should not keep the files
// that it comes from.
func (s *shelf) crowded() bool { return s.count.Load() > s.limit }

func (s *shelf) add(src *source) {
	s.mu.Lock()
	defer s.mu.Unlock()
	src.place = s.clock.PushBack(src)
	s.count.Add(1)
}

func (s *shelf) remove(src *source) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clock.Remove(src.place)
	s.count.Add(-1)
}

// turn brings the clock one further and returns the source that was there.
func (s *shelf) turn() *source {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.clock.Front()
	if e == nil {
		return nil
	}
	s.clock.MoveToBack(e)
	return e.Value.(*source)
}

// makeRoom closes what was not used since the clock last came by, as long as
// there is too much. No pool is locked.
func (s *shelf) makeRoom() {
	for n := 0; n < looks && s.crowded(); n++ {
		if src := s.turn(); src != nil && !src.used.Swap(false) {
			src.pool.discard(src)
		}
	}
}

// empty closes everything that nobody reads.
func (s *shelf) empty() {
	for n := s.count.Load(); n > 0; n-- {
		if src := s.turn(); src != nil {
			src.pool.discard(src)
		}
	}
}

// makeRoom lets go of the files where the process has too many open: the block
// is in memory, and the next one may be read from other handles. Those of a bare
// file say which file its offsets mean.
func (r *Reader) makeRoom() {
	if opened.crowded() && r.log.indexed() && !r.single {
		r.leaveSource()
	}
}
