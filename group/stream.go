package group

import (
	"context"
	"errors"
	"math"
	"sync"
	"time"

	"example.com/jlq/reader"
)

// stream delivers the records of one partition that is claimed: new ones as
// they are read, those that failed when their time has come, dead letters that
// were asked for again. One goroutine at a time pulls; answers come from any.
//
// Its lock is held while records are read, so that a record costs one lock that
// nobody contends for, and is not held while anything is written.
type stream struct {
	m     *Member
	claim *claim
	opts  *Options
	dead  *deadLetters

	mu       sync.Mutex
	changed  chan struct{} // receives when something in hands was answered; drain waits for it
	r        *reader.Reader
	w        window
	cur      *Message      // the one that the loop is at
	spare    *Message      // memory for the next one
	read     reader.Record // was read and is not delivered yet, where reading is set
	reading  bool
	filters  bool   // records are passed over
	target   uint64 // where the reader is to go before it reads on, where moving is set
	moving   bool
	retries  retries
	redo     redo
	redoTold string   // the last failure with letters that the consumer was told
	hands    int      // messages that were given out and are not answered
	now      *session // messages of another one are void
	paused   bool
	stopped  bool   // gives nothing out any more
	left     bool   // no loop is going on: cur will hardly be answered
	serial   bool   // one message at a time is given out
	crashed  bool   // a handler panicked: its record counts as one that killed its consumer
	until    uint64 // nothing is given out from there on
	attempts int    // that ended with the death of their consumer, of the record at claim.next
	single   uint64 // records below it are given out alone, each committed before the next
	saved    uint64 // what was committed for that

	stuckAt uint64    // the frontier when progress was last asked for
	stuck   time.Time // and since when it is that

	failures int       // in a row
	resume   time.Time // when to read again behind a failure
	told     string    // the last failure that the consumer was told
	untold   []error   // failures that came while nobody pulled
}

// newStream begins to deliver what a claim is for. Where the last consumer died
// with records in its hands, as many as there may have been come one at a
// time.
func newStream(m *Member, c *claim) *stream {
	s := &stream{
		m: m, claim: c, opts: &m.g.opts, dead: m.g.deadLetters(c.number),
		changed: make(chan struct{}, 1), r: c.log.Reader(c.next), w: newWindow(c.next),
		filters:  m.g.opts.Where != nil || len(m.g.opts.Tags) > 0,
		attempts: c.attempts, saved: c.committed, until: math.MaxUint64,
	}
	s.now = newSession(s)
	if c.suspect {
		s.single = c.next + uint64(s.opts.MaxInFlight)
	}
	return s
}

// progress returns the offset below which everything is finished, for a
// commit, and whether nothing is in flight that the next holder has to be
// careful with.
func (s *stream) progress() (next uint64, idle bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.notice()
	if s.w.open > 0 {
		s.stuckSince(s.w.frontier(), time.Now())
	}
	return s.w.frontier(), s.w.open == 0 && s.redo.open == 0 && !s.crashed
}

// notice settles the current message where it was acked.
func (s *stream) notice() {
	if m := s.cur; m != nil && m.state.Load() == acked {
		s.cur = nil
		s.settle(m)
	}
}

// settle takes a message out of what is in flight: it was acked, or is a dead
// letter that is on the disk.
func (s *stream) settle(m *Message) {
	if m.session != s.now {
		return
	}
	s.hands--
	if letter, ok := m.letter(); ok {
		s.redo.finish(letter)
	} else {
		s.w.finish(m.Offset)
	}
	s.answered()
}

// answered tells drain that there is less in hands.
func (s *stream) answered() {
	if s.stopped {
		poke(s.changed)
	}
}

// Why the context of a message ends.
var (
	errMovedOn = errors.New("group: the member moved to another offset; this record will come again")
	errGivenUp = errors.New("group: the member has given the partition up")
)

// seek goes on at another offset. What is in flight is void: an answer that
// comes late does nothing.
func (s *stream) seek(offset uint64) {
	s.mu.Lock()
	s.forgetAll(errMovedOn)
	s.attempts = 0
	s.target, s.moving = offset, true
	s.w = newWindow(offset)
	s.single = 0
	s.failures, s.told, s.resume = 0, "", time.Time{}
	s.mu.Unlock()
	poke(s.m.wake)
}

// forgetAll makes what is in flight void. The current message stays what it is:
// its Data is looked after by the next pull, which alone knows that nobody reads
// it.
func (s *stream) forgetAll(why error) {
	s.reading, s.retries, s.hands = false, nil, 0
	s.redo.void()
	s.w = newWindow(s.w.frontier())
	s.now.cancel(why)
	s.now = newSession(s)
	s.answered()
}

// pause stops giving out records, or goes on.
func (s *stream) pause(on bool) {
	s.mu.Lock()
	s.paused = on
	s.mu.Unlock()
	poke(s.m.wake)
}

// drain gives nothing out any more and waits for what is in hands, until ctx
// ends. The claim is kept until then, so that nobody else begins before.
func (s *stream) drain(ctx context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped = true
	if m := s.cur; m != nil {
		m.state.CompareAndSwap(current, kept) // so that its answer is told
	}
	for s.busyHands() && ctx.Err() == nil {
		s.mu.Unlock()
		select {
		case <-s.changed:
		case <-ctx.Done():
		}
		s.mu.Lock()
	}
}

// void ends delivery. What is not finished is in flight no more, and finishing
// it later does nothing: the next holder delivers it again. progress says how
// far it got.
func (s *stream) void() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped = true
	s.notice()
	s.forgetAll(errGivenUp)
}

// over reports whether the stream gives nothing out any more: then its log may be
// closed.
func (s *stream) over() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stopped
}

// busyHands reports whether somebody may still answer. The message that a loop
// was left at is nobody's.
func (s *stream) busyHands() bool {
	s.notice()
	n := s.hands
	if s.cur != nil && s.cur.session == s.now && s.left {
		n--
	}
	return n > 0
}

// release closes what is open and gives the claim up: the next holder writes
// dead letters, too.
func (s *stream) release() error {
	return errors.Join(s.saveRedo(), s.dead.close(), s.claim.release())
}
