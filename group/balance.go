package group

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"example.com/jlq/internal/vfs"
	"example.com/jlq/topic"
)

const (
	// balanceEvery is how often a member looks who else lives.
	balanceEvery = 500 * time.Millisecond
	// shortEvery is how often one that lacks partitions looks whether they are
	// free, at first.
	shortEvery = 100 * time.Millisecond
	// failedFor is how long a partition that could not be taken is left alone.
	failedFor = 3 * time.Second
)

// ErrHidden: the partition is not shown to consumers any more, or was deleted.
var ErrHidden = errors.New("hidden from consumers, or deleted")

// run shares out and commits until the member ends.
func (m *Member) run() {
	defer close(m.done)
	look := time.NewTimer(balanceEvery)
	defer look.Stop()
	var due <-chan time.Time
	if every := m.g.opts.CommitEvery; every > 0 && !m.g.opts.NoCommit {
		tick := time.NewTicker(every)
		defer tick.Stop()
		due = tick.C
	}
	for {
		select {
		case <-m.life.Done():
			return
		case <-m.asked:
			m.saveSoon()
		case <-due:
			m.saveSoon()
		case <-look.C:
			look.Reset(m.look())
		}
	}
}

// look shares out once, and says when to do so again: sooner where partitions
// are lacking, but not for long where they do not come.
func (m *Member) look() time.Duration {
	if m.g.opts.NoCommit {
		return time.Hour
	}
	err := m.balance(m.life)
	if m.life.Err() != nil {
		return balanceEvery
	}
	m.sayOnce(sharing, err)
	if gone(err) {
		m.end(err)
	}
	if m.lacks == 0 {
		m.pause = 0
		return balanceEvery
	}
	m.pause = min(max(2*m.pause, shortEvery), balanceEvery)
	return m.pause
}

// gone reports whether an error of sharing out is for good: there is nothing
// to consume any more.
func gone(err error) bool {
	return errors.Is(err, topic.ErrNotTopic) || errors.Is(err, fs.ErrNotExist)
}

// What a member does by itself, again and again.
const (
	sharing = iota
	committing
	chores
)

// sayOnce reports what a chore ended with, and not the same error every time.
// It belongs to the member's goroutine.
func (m *Member) sayOnce(chore int, err error) {
	text := ""
	if err != nil {
		text = err.Error()
	}
	again := text == m.said[chore]
	m.said[chore] = text
	switch {
	case err == nil || again:
	case lockedOut(err):
		m.g.opts.Logger.Warn("offsets cannot be saved for now; going on, what was finished is saved later", "group", m.g.name, "error", err)
	default:
		m.report(err)
	}
}

// lockedOut reports whether err says only that another process keeps the lock of the
// offsets, as one does that is stopped. That is no reason to end: what is not
// committed is delivered again at worst.
func lockedOut(err error) bool {
	save, ok := errors.AsType[*SaveError](err)
	return ok && errors.Is(save.Err, vfs.ErrLocked)
}

// balance gives up what the member has too much of and takes what it lacks.
func (m *Member) balance(ctx context.Context) error {
	numbers, err := m.numbers(ctx)
	if err != nil {
		return err
	}
	members, err := m.living()
	if err != nil {
		return err
	}
	s := shareOf(m.ship.info.ID, numbers, members)
	held := m.Partitions()
	give := s.surplus(held)
	for _, n := range give {
		if !slices.Contains(numbers, n) {
			m.report(&PartitionError{Partition: n, Err: ErrHidden})
		}
	}
	err = m.giveUp(give)
	own, free, count := s.missing(m.Partitions())
	got := m.takeSome(ctx, own, len(own)) + m.takeSome(ctx, free, count)
	m.lacks = len(own) + count - got
	return err
}

// numbers are those of the partitions, all of them registered.
func (m *Member) numbers(ctx context.Context) ([]int, error) {
	numbers, err := m.g.src.numbers()
	if err != nil || slices.Equal(numbers, m.seen) {
		return numbers, err
	}
	if err := m.g.register(ctx, numbers); err != nil {
		return nil, err
	}
	m.seen = numbers
	return numbers, nil
}

// living are the members, this one among them: where somebody removed the
// directory, it appears again, and gives up what others could claim now. Where
// the group is not registered, because another log came under this name, it makes
// no directories: these would say that offsets were lost.
func (m *Member) living() ([]MemberInfo, error) {
	members, err := m.roster.live()
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(members, func(i MemberInfo) bool { return i.ID == m.ship.info.ID }) {
		return members, nil
	}
	if err := m.registered(); err != nil {
		return nil, errors.Join(err, m.giveUp(m.orphans()))
	}
	old := m.ship
	if err := m.appear(); err != nil {
		return nil, err
	}
	return append(members, m.ship.info), errors.Join(old.lock.Close(), m.giveUp(m.orphans()))
}

// registered returns an error where the group is not known any more.
func (m *Member) registered() error {
	f, err := m.g.read()
	if err == nil && f.Groups[m.g.name] == nil {
		err = m.g.unknown()
	}
	return err
}

// orphans are the partitions whose claims lock nothing any more that anybody
// would find.
func (m *Member) orphans() (numbers []int) {
	for _, s := range *m.list.Load() {
		if !s.claim.named() {
			numbers = append(numbers, s.claim.number)
		}
	}
	return numbers
}

// giveUp ends the delivery of partitions, waits for what is in flight, for a
// bounded time, commits, and only then lets others have them.
func (m *Member) giveUp(numbers []int) error {
	if len(numbers) == 0 {
		return nil
	}
	streams := m.remove(numbers)
	drainAll(streams, m.g.opts.DrainTimeout)
	err := m.saveLast(streams)
	for _, s := range streams {
		m.g.opts.Logger.Info("gave up a partition", "group", m.g.name, "partition", s.claim.number, "committed", s.claim.committed)
		err = errors.Join(err, s.release())
	}
	return err
}

// drainAll waits for all of them at the same time.
func drainAll(streams []*stream, timeout time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	var all sync.WaitGroup
	for _, s := range streams {
		all.Go(func() { s.drain(ctx) })
	}
	all.Wait()
}

// remove takes streams out of what is delivered.
func (m *Member) remove(numbers []int) (out []*stream) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, n := range numbers {
		if s := m.streams[n]; s != nil {
			out = append(out, s)
			delete(m.streams, n)
		}
	}
	m.publish()
	return out
}

// dropAll ends every claim as it is: nothing more is committed.
func (m *Member) dropAll() error {
	var err error
	for _, s := range m.remove(m.Partitions()) {
		s.void()
		err = errors.Join(err, s.release())
	}
	return err
}

// parents are the last n directories of a path, the outermost first.
func parents(dir string, n int) []string {
	out := make([]string, n)
	for i := n - 1; i >= 0; i-- {
		out[i], dir = dir, filepath.Dir(dir)
	}
	return out
}
