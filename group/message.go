package group

import (
	"bytes"
	"context"
	"fmt"
	"sync/atomic"

	"example.com/jlq/reader"
)

// Message is one record that a member was given to deal with. It is answered
// once, with Ack, Nack or Dead, by any goroutine. A second answer does nothing, and
// neither does one that comes after the member lost the partition or moved in
// it: the record is then delivered again.
//
// A message and its Data are valid until it is answered and the next one is
// asked for. Then the memory is used again, so neither may be referred to:
// programs built with the race detector panic when they answer it.
// A message that is not answered by then stays in flight, and its Data moves
// to memory of its own: so a loop may collect messages and answer them later.
// Who hands one to another goroutine calls [Message.Keep] first.
//
// A retry is another Message, with one attempt more.
type Message struct {
	reader.Record

	// Value is what Options.Decode made of the record.
	Value any

	// Attempts counts the times that the record was delivered, this one
	// included, and those that a consumer died with.
	Attempts int

	*session
	more  *more // nil as a rule: a message is small, because there are many
	state atomic.Uint32
	own   bool // Data is in memory of its own; guarded by the stream
}

// States of a Message. Only the first one changes without the stream's lock,
// to acked, which makes an Ack cheap: the stream looks at it when the next
// message is asked for, or at a commit.
const (
	current  = iota // it is the one that the loop is at
	kept            // its answer is reported to the stream
	acked           // answered, and the stream has still to look
	answered        // the stream knows, or does not care
)

// Ack says that the record is dealt with.
func (m *Message) Ack() {
	if !m.state.CompareAndSwap(current, acked) {
		m.stream.ack(m)
	}
}

// Nack says that it failed, and why. The record is delivered again after a
// while, behind others; after Options.MaxAttempts it becomes a dead letter, which
// is on the disk when Nack returns.
func (m *Message) Nack(err error) { m.stream.nack(m, err) }

// Last reports whether this is the last attempt: a Nack makes the record a
// dead letter.
func (m *Message) Last() bool { return m.limit() > 0 && m.Attempts >= m.limit() }

// Dead makes the record a dead letter at once, for a reason that no attempt
// would change. It is on the disk when Dead returns. Where it could not be
// written, that is tried again, and Messages says so.
func (m *Message) Dead(reason error) { m.stream.deadLetter(m, reason) }

// Keep makes the message and Data valid for as long as they are referred to, in
// memory of their own, so that another goroutine can have them. It is called by the
// goroutine that ranges over Messages.
func (m *Message) Keep() { m.stream.keep(m) }

// Partition is the number of the partition that the record lies in.
func (m *Message) Partition() int { return m.stream.claim.number }

// Context ends when the member loses the partition, moves in it or is closed:
// from then on an answer does nothing.
func (m *Message) Context() context.Context { return m.ctx }

// String names the record: its partition and its offset.
func (m *Message) String() string { return fmt.Sprintf("%s@%d", m.stream.claim.key, m.Offset) }

// more is what only few messages need.
type more struct {
	letter uint64 // its offset in the dead-letter partition, and one; 0: it is not one
	limit  int    // attempts before it is a dead letter, of one that is delivered again
	lost   uint64 // it stands for so many records that cannot be read
	doom   error  // it is to be a dead letter, and not to be given out
	raw    bool   // it was never given out: what comes before that is still to be done
	bad    error  // of a raw one, why it is to be a dead letter, if so
}

// moreWith is a copy of more that is changed: for the message that comes in the
// place of this one.
func (m *Message) moreWith(change func(*more)) *more {
	var x more
	if m.more != nil {
		x = *m.more
	}
	change(&x)
	return &x
}

// letter is its offset in the partition of dead letters, where it is one.
func (m *Message) letter() (number uint64, ok bool) {
	if m.more == nil || m.more.letter == 0 {
		return 0, false
	}
	return m.more.letter - 1, true
}

// limit is how often it is delivered before it is a dead letter; not positive:
// without end.
func (m *Message) limit() int {
	if m.more != nil && m.more.limit > 0 {
		return m.more.limit
	}
	return m.stream.opts.MaxAttempts
}

// session is what messages of one stream share until the stream moves or ends.
type session struct {
	stream *stream
	ctx    context.Context
	cancel context.CancelCauseFunc
}

func newSession(s *stream) *session {
	x := &session{stream: s}
	x.ctx, x.cancel = context.WithCancelCause(context.Background())
	return x
}

// answer takes the right to answer, once. The stream's lock is held.
func (m *Message) answer() bool {
	return m.state.CompareAndSwap(current, answered) || m.state.CompareAndSwap(kept, answered)
}

// detach copies what the next read would overwrite. The stream's lock is held,
// and nobody but the caller uses Data.
func (m *Message) detach() {
	if !m.own {
		m.own, m.Data = true, bytes.Clone(m.Data)
	}
}
