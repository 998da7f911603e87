package group

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"example.com/jlq/internal/offsets"
	"example.com/jlq/internal/vfs"
	"example.com/jlq/partition"
	"example.com/jlq/topic"
)

// groupModel is a topic with the members of one group, and what must be true of
// them: nothing else than who finished which record.
type groupModel struct {
	fs      *vfs.Mem
	g       *Group
	members []*modelMember
	parts   []modelPartition
}

// modelMember is one of them, with the messages that it has not answered.
type modelMember struct {
	*Member
	puller *Puller
	hands  []*Message
}

// modelPartition is what is known of a partition.
type modelPartition struct {
	start, next uint64          // what it holds
	from        uint64          // the group began, or was reset to begin, there
	done        map[uint64]bool // acked, or a dead letter, since
	committed   uint64
}

const modelAttempts = 3

func newGroupModel(t *rapid.T, partitions int) *groupModel {
	m := &groupModel{fs: vfs.NewMem(), parts: make([]modelPartition, partitions)}
	require.NoError(t, topic.Create("orders", partitions, &topic.Options{Partition: partition.Options{FS: m.fs}}))
	for i := range m.parts {
		m.parts[i].done = map[uint64]bool{}
		m.write(t, i, func(*partition.Partition) {})
	}
	var err error
	m.g, err = Open("orders", "g", &Options{FS: m.fs, MaxAttempts: modelAttempts, RetryDelay: 100 * time.Millisecond, RetryMax: time.Second, MaxInFlight: 8})
	require.NoError(t, err)
	return m
}

// write opens a partition as a writer does that starts and ends.
func (m *groupModel) write(t *rapid.T, number int, do func(*partition.Partition)) {
	p, err := partition.Open(topic.PartitionPath("orders", number), &partition.Options{FS: m.fs, Sync: partition.SyncOS, SegmentRecords: 4})
	require.NoError(t, err)
	defer func() {
		m.parts[number].start, m.parts[number].next = p.Bounds()
		require.NoError(t, p.Close())
	}()
	do(p)
}

func (m *groupModel) append(t *rapid.T) {
	number := rapid.IntRange(0, len(m.parts)-1).Draw(t, "partition")
	n := rapid.IntRange(1, 12).Draw(t, "records")
	m.write(t, number, func(p *partition.Partition) {
		for i := range n {
			_, err := p.Append(fmt.Appendf(nil, `{"n":%d}`, m.parts[number].next+uint64(i)))
			require.NoError(t, err)
		}
	})
}

// trim drops segments, unread ones too where that is forced.
func (m *groupModel) trim(t *rapid.T) {
	number := rapid.IntRange(0, len(m.parts)-1).Draw(t, "partition")
	before := rapid.Uint64Range(0, m.parts[number].next).Draw(t, "before")
	force := rapid.Bool().Draw(t, "force")
	committed := m.parts[number].committed
	m.write(t, number, func(p *partition.Partition) {
		_, err := p.ApplyTrim(partition.TrimPolicy{Before: before, Force: force})
		require.NoError(t, err)
		start, _ := p.Bounds()
		require.True(t, force || m.known(t) == nil || start <= max(committed, m.parts[number].start), "what is not consumed is held")
	})
}

func (m *groupModel) roll(t *rapid.T) {
	m.write(t, rapid.IntRange(0, len(m.parts)-1).Draw(t, "partition"), func(p *partition.Partition) {
		if err := p.Roll(); !errors.Is(err, partition.ErrEmptySegment) {
			require.NoError(t, err)
		}
	})
}

func (m *groupModel) join(t *rapid.T) {
	if len(m.members) == 3 {
		t.Skip("enough")
	}
	if m.known(t) == nil {
		for i := range m.parts {
			m.parts[i].from = m.parts[i].start
		}
	}
	member, err := m.g.Join(t.Context())
	require.NoError(t, err)
	puller, err := member.Puller()
	require.NoError(t, err)
	m.members = append(m.members, &modelMember{Member: member, puller: puller})
}

// known are the group's entries, nil where it is not registered.
func (m *groupModel) known(t *rapid.T) map[string]offsets.Entry {
	f, err := m.g.read()
	require.NoError(t, err)
	return f.Groups["g"]
}

// one draws a member, and takes it out where it is to end.
func (m *groupModel) one(t *rapid.T, ends bool) *modelMember {
	if len(m.members) == 0 {
		t.Skip("nobody is there")
	}
	i := rapid.IntRange(0, len(m.members)-1).Draw(t, "member")
	x := m.members[i]
	if ends {
		m.members = append(m.members[:i:i], m.members[i+1:]...)
	}
	return x
}

func (m *groupModel) leave(t *rapid.T) {
	x := m.one(t, true)
	x.puller.Close()
	require.NoError(t, x.Close())
}

// kill ends a member as it is. The message that its loop is at is in hands.
func (m *groupModel) kill(t *rapid.T) { m.one(t, true).die(t) }

func (x *modelMember) die(t *rapid.T) {
	x.end(errMemberClosed)
	<-x.done
	x.puller.stop()
	require.NoError(t, x.puller.p.waiter.Close())
	for _, s := range x.remove(x.Partitions()) {
		require.NoError(t, errors.Join(s.dead.close(), s.claim.close()))
	}
	require.NoError(t, x.ship.lock.Close())
}

// take has a member take what is there, and answer some of it.
func (m *groupModel) take(t *rapid.T) {
	x := m.one(t, false)
	for range rapid.IntRange(1, 10).Draw(t, "messages") {
		if !m.next(t, x) {
			break
		}
	}
	m.answers(t, x, rapid.IntRange(0, len(x.hands)).Draw(t, "answers"))
}

// next takes one message, and reports whether there was one.
func (m *groupModel) next(t *rapid.T, x *modelMember) bool {
	msg, err := x.puller.TryNext()
	if errors.Is(err, ErrNone) {
		return false
	}
	if err != nil {
		var lost *LostError
		require.ErrorAs(t, err, &lost)
		require.LessOrEqual(t, lost.To, m.parts[lost.Partition].start)
		return true
	}
	msg.Keep()
	p := &m.parts[msg.Partition()]
	require.GreaterOrEqual(t, msg.Offset, p.committed, "what is committed does not come again")
	require.Less(t, msg.Offset, p.next)
	require.Equal(t, fmt.Sprintf(`{"n":%d}`, msg.Offset), string(msg.Data))
	require.LessOrEqual(t, msg.Attempts, modelAttempts)
	x.hands = append(x.hands, msg)
	return true
}

// answers acks or nacks n messages, in any order.
func (m *groupModel) answers(t *rapid.T, x *modelMember, n int) {
	for range n {
		i := rapid.IntRange(0, len(x.hands)-1).Draw(t, "which")
		msg := x.hands[i]
		x.hands = append(x.hands[:i:i], x.hands[i+1:]...)
		if rapid.IntRange(0, 3).Draw(t, "fails") == 0 {
			msg.Nack(errors.New("it fails"))
			continue
		}
		m.parts[msg.Partition()].done[msg.Offset] = true
		msg.Ack()
	}
}

func (m *groupModel) commit(t *rapid.T) { require.NoError(t, m.one(t, false).CommitSync()) }

func (m *groupModel) wait(t *rapid.T) {
	time.Sleep(time.Duration(rapid.IntRange(1, 4000).Draw(t, "ms")) * time.Millisecond)
	synctest.Wait()
}

func (m *groupModel) reset(t *rapid.T) {
	if len(m.members) > 0 || m.known(t) == nil {
		t.Skip("it is consumed, or not known")
	}
	number := rapid.IntRange(0, len(m.parts)-1).Draw(t, "partition")
	p := &m.parts[number]
	to := rapid.Uint64Range(p.start, p.next).Draw(t, "to")
	moved, err := m.g.Reset(t.Context(), ToOffset(to), number)
	require.NoError(t, err)
	require.Equal(t, []Moved{{number, p.committed, to}}, moved)
	p.from, p.committed, p.done = to, to, map[uint64]bool{}
}

// check holds the offsets file against what was finished.
func (m *groupModel) check(t *rapid.T) {
	holders := map[int]bool{}
	for _, x := range m.members {
		for _, n := range x.Partitions() {
			require.False(t, holders[n], "two members have partition %d", n)
			holders[n] = true
		}
	}
	for letter, err := range m.g.DeadLetters(t.Context()) {
		require.NoError(t, err)
		_, number, err := offsets.ParseKey(letter.Partition)
		require.NoError(t, err)
		m.parts[number].done[letter.Offset] = true
	}
	for key, e := range m.known(t) {
		_, number, err := offsets.ParseKey(key)
		require.NoError(t, err)
		p := &m.parts[number]
		require.GreaterOrEqual(t, e.Next, p.committed, "it never goes back")
		p.committed = e.Next
		for o := max(p.from, p.start); o < e.Next; o++ {
			require.True(t, p.done[o], "partition %d is committed to %d, and %d is not finished", number, e.Next, o)
		}
	}
}

// finish has a last member consume everything.
func (m *groupModel) finish(t *rapid.T) {
	for len(m.members) > 0 {
		x := m.members[0]
		m.members = m.members[1:]
		x.puller.Close()
		require.NoError(t, x.Close())
	}
	m.check(t)
	m.join(t)
	x := m.members[0]
	for range 100 {
		for m.next(t, x) {
			for _, msg := range x.hands {
				m.parts[msg.Partition()].done[msg.Offset] = true
				msg.Ack()
			}
			x.hands = nil
		}
		time.Sleep(time.Second)
	}
	m.check(t)
	for i, p := range m.parts {
		require.Equal(t, p.next, p.committed, "partition %d", i)
	}
	x.puller.Close()
	require.NoError(t, x.Close())
}

// Members that join, leave and die, records that are taken, answered or not,
// appended and dropped, in any order: what is committed was finished, what is
// committed does not come again, no partition has two members, and in the end
// each record was finished.
func TestGroupModel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		noDeadline := struct{ rapid.TB }{t} // which nobody may ask for here
		rapid.Check(noDeadline, func(t *rapid.T) {
			m := newGroupModel(t, rapid.IntRange(1, 3).Draw(t, "partitions"))
			defer func() { // also where a check failed
				for _, x := range m.members {
					x.die(t)
				}
			}()
			t.Repeat(map[string]func(*rapid.T){
				"append": m.append, "trim": m.trim, "roll": m.roll, "join": m.join, "leave": m.leave, "kill": m.kill,
				"take": m.take, "take more": m.take, "commit": m.commit, "wait": m.wait, "reset": m.reset, "": m.check,
			})
			m.finish(t)
			m.members = nil
		})
	})
}
