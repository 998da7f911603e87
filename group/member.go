package group

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Member is one consumer of a group. [Member.Messages] belongs to one
// goroutine; everything else is safe for concurrent use. It must be closed.
//
// Its one goroutine shares the partitions out and commits.
type Member struct {
	g    *Group
	info atomic.Pointer[MemberInfo] // nil with Options.NoCommit

	life    context.Context // ends with Close, or with the error that ends the member
	end     context.CancelCauseFunc
	done    chan struct{} // closed when the goroutine has ended
	asked   chan struct{} // a commit is asked for
	ranging atomic.Bool   // a loop has the messages
	wake    chan struct{} // streams changed, or there is an error to tell
	closed  sync.Once
	result  error // of Close

	saving sync.Mutex // one commit at a time; before mu

	mu      sync.Mutex
	streams map[int]*stream // what is held, by number
	reports []error         // to be told by Messages
	failed  map[int]failure // partitions that could not be taken

	list atomic.Pointer[[]*stream] // streams, in order, for who delivers

	// These belong to the member's goroutine, before it to Join, behind it to Close.
	ship   *membership // nil with Options.NoCommit
	roster *roster
	said   [chores]string // the last error of each chore
	seen   []int          // the partitions that are registered
	full   bool           // that it takes no more was told
	lacks  int            // partitions that it should have and has not
	pause  time.Duration  // before it looks for them again
}

// failure is a partition that could not be taken: why, and when it is tried
// again.
type failure struct {
	text  string
	until time.Time
}

// errMemberClosed is the cause of what ends because of Close.
var errMemberClosed = fmt.Errorf("group: the member was closed: %w", fs.ErrClosed)

// Join makes this process, or another consumer in it, a member of the group,
// and takes the share of the partitions that is free already. A group that is
// new is registered. More comes as others give up theirs: within seconds where
// they live, at once where they died. With ctx only the joining ends.
func (g *Group) Join(ctx context.Context) (*Member, error) {
	m := &Member{
		g: g, done: make(chan struct{}), asked: make(chan struct{}, 1), wake: make(chan struct{}, 1),
		streams: map[int]*stream{}, failed: map[int]failure{},
	}
	m.life, m.end = context.WithCancelCause(context.Background())
	m.publish()
	join := m.join
	if g.opts.NoCommit {
		join = m.joinUnsaved
	}
	if err := join(ctx); err != nil {
		m.end(err)
		close(m.done)
		return nil, errors.Join(err, m.leave())
	}
	go m.run()
	return m, nil
}

func (m *Member) join(ctx context.Context) error {
	numbers, err := m.g.src.numbers()
	if err != nil {
		return err
	}
	if n, ok := m.g.src.pinned(); ok && len(numbers) == 0 {
		return &PartitionError{Partition: n, Err: ErrHidden}
	}
	if err := m.g.register(ctx, numbers); err != nil {
		return err
	}
	m.seen = numbers
	if err := m.appear(); err != nil {
		return err
	}
	if err := m.refuseWait(numbers); err != nil {
		return err
	}
	return m.balance(ctx)
}

// appear announces the member.
func (m *Member) appear() (err error) {
	g, dir := m.g, m.g.membersDir()
	var ship *membership
	err = again(func() (err error) {
		if err = mkdirs(g.src.fs, g.opts.dirMode(), parents(dir, 3)...); err == nil {
			ship, err = g.announce()
		}
		return err
	})
	if err != nil {
		return &SaveError{Group: g.name, Path: g.src.place.File, Err: err}
	}
	m.ship, m.roster = ship, newRoster(g, ship)
	m.info.Store(&ship.info)
	return nil
}

// refuseWait is the answer to Options.NoWait: an error where nothing is left
// for this member.
func (m *Member) refuseWait(numbers []int) error {
	if !m.g.opts.NoWait || len(numbers) == 0 {
		return nil
	}
	members, err := m.roster.live()
	if err != nil {
		return err
	}
	s := shareOf(m.ship.info.ID, numbers, members)
	if len(s.Own)+s.Any > 0 {
		return nil
	}
	return &HeldError{Group: m.g.name, Partition: numbers[0], Holder: m.g.holder(numbers[0], members)}
}

// leave ends what appear began, and closes what is still claimed.
func (m *Member) leave() error {
	err := m.dropAll()
	if m.ship != nil {
		err = errors.Join(err, m.ship.leave())
	}
	return err
}

// Info says who the member is; its ID is "" with Options.NoCommit, and another
// one where somebody removed the directory of the group and it appeared again.
func (m *Member) Info() MemberInfo {
	if info := m.info.Load(); info != nil {
		return *info
	}
	return MemberInfo{Name: m.g.opts.Member}
}

// Partitions are the numbers of the partitions that the member has now,
// ascending.
func (m *Member) Partitions() []int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Sorted(maps.Keys(m.streams))
}

// Commit asks for a commit of what is finished, soon.
func (m *Member) Commit() { poke(m.asked) }

// CommitSync commits what is finished, durably, before it returns.
func (m *Member) CommitSync() error { return m.save(*m.list.Load()) }

// Close stops delivery, waits for the records in flight as long as
// Options.DrainTimeout, commits, and gives up the partitions. A second call
// returns what the first did.
func (m *Member) Close() error {
	m.closed.Do(func() {
		m.end(errMemberClosed)
		<-m.done
		m.result = errors.Join(m.giveUp(m.Partitions()), m.g.settle(), m.leave())
	})
	return m.result
}

// report has Messages tell of err, which ends nothing.
func (m *Member) report(err error) {
	const most = 1000 // nobody may be reading
	m.mu.Lock()
	if len(m.reports) < most {
		m.reports = append(m.reports, err)
	}
	m.mu.Unlock()
	poke(m.wake)
}

// nextReport is the next error to tell, or nil.
func (m *Member) nextReport() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.reports) == 0 {
		return nil
	}
	err := m.reports[0]
	m.reports = m.reports[1:]
	return err
}

// publish shows who delivers the streams of now. m.mu is held, or nobody else
// knows m.
func (m *Member) publish() {
	list := make([]*stream, 0, len(m.streams))
	for _, n := range slices.Sorted(maps.Keys(m.streams)) {
		list = append(list, m.streams[n])
	}
	m.list.Store(&list)
	poke(m.wake)
}

// poke makes a channel of one element ready.
func poke(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
