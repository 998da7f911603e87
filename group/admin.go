package group

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"example.com/jlq/internal/offsets"
	"example.com/jlq/topic"
)

// adminWait is how long a claim is waited for that a member may only be
// trying: one that cannot take its partition looks again from time to time.
const adminWait = time.Second

// Moved says what a reset did to one partition, or would do.
type Moved struct {
	Partition int    `json:"partition"`
	From      uint64 `json:"from"`
	To        uint64 `json:"to"`
}

// Reset sets the group's committed offsets, of the partitions named or, where
// none is, of all that consumers see. It is refused with a [*HeldError] while a
// member has one of them. All are changed, or none.
func (g *Group) Reset(ctx context.Context, to To, partitions ...int) (moved []Moved, err error) {
	return g.move(ctx, to, partitions, func(Moved) bool { return true })
}

// Commit says that the group has consumed everything before a place: it is for
// who reads by other means than a [Member]. It is [Group.Reset] but for two
// things: a group that is not registered becomes so, beginning at Options.Start,
// and one that is further than the place stays where it is.
func (g *Group) Commit(ctx context.Context, to To, partitions ...int) (moved []Moved, err error) {
	if err := g.Register(ctx); err != nil {
		return nil, err
	}
	return g.move(ctx, to, partitions, func(m Moved) bool { return m.To > m.From })
}

// move sets the offsets of those partitions for which allowed is true.
func (g *Group) move(ctx context.Context, to To, partitions []int, allowed func(Moved) bool) (moved []Moved, err error) {
	err = g.administer(ctx, partitions, func(claims []*claim) error {
		if moved, err = g.plan(ctx, to, claims); err != nil {
			return err
		}
		for i, m := range moved {
			if !allowed(m) {
				moved[i].To = m.From
			}
		}
		checks, err := checksOf(claims, moved)
		if err != nil {
			return err
		}
		return g.update(func(f *offsets.File) error {
			for i, c := range claims {
				// A new generation: a member that had it before cannot undo this.
				e, _ := f.Lookup(g.name, c.key)
				f.Set(g.name, c.key, offsets.Entry{Next: moved[i].To, Check: checks[i], Gen: e.Gen + 1})
			}
			return nil
		})
	})
	return moved, err
}

// PlanReset says what Reset would do, and does nothing. Members are not asked.
func (g *Group) PlanReset(ctx context.Context, to To, partitions ...int) (moved []Moved, err error) {
	numbers, err := g.chosen(partitions)
	if err != nil {
		return nil, err
	}
	claims, err := g.openAll(numbers)
	if err == nil {
		moved, err = g.plan(ctx, to, claims)
	}
	return moved, errors.Join(err, closeAll(claims))
}

// plan resolves to in each partition.
func (g *Group) plan(ctx context.Context, to To, claims []*claim) ([]Moved, error) {
	file, err := g.read()
	if err != nil {
		return nil, err
	}
	if file.Groups[g.name] == nil {
		return nil, g.unknown()
	}
	moved := make([]Moved, len(claims))
	for i, c := range claims {
		e, _ := file.Lookup(g.name, c.key)
		next, err := to.resolve(ctx, c.log, e.Next)
		if err != nil {
			return nil, &PartitionError{Partition: c.number, Err: err}
		}
		moved[i] = Moved{Partition: c.number, From: e.Next, To: next}
	}
	return moved, nil
}

func checksOf(claims []*claim, moved []Moved) ([]string, error) {
	checks := make([]string, len(claims))
	for i, c := range claims {
		var err error
		if checks[i], err = checkBefore(c.log, moved[i].To); err != nil {
			return nil, &PartitionError{Partition: c.number, Err: err}
		}
	}
	return checks, nil
}

// Unregister forgets the group: retention does not keep anything for it any
// more. It is refused with a [*HeldError] while it has members. Its dead letters
// stay; the directories of its locks go, but for what somebody uses at this moment.
func (g *Group) Unregister(ctx context.Context) error {
	file, err := g.read()
	if err != nil {
		return err
	}
	if file.Groups[g.name] == nil {
		return g.unknown()
	}
	members, err := newRoster(g, nil).live()
	if err != nil {
		return err
	}
	if len(members) > 0 {
		return &HeldError{Group: g.name, Partition: -1, Holder: members[0]}
	}
	return g.claimed(ctx, g.entryNumbers(file), func(claims []*claim) error {
		err := g.update(func(f *offsets.File) error {
			delete(f.Groups, g.name)
			return nil
		})
		if err == nil {
			g.clear(claims)
		}
		return err
	})
}

// clear removes the directories of a group that is forgotten, whose claims are
// held, where they are empty: a member that begins meanwhile has its file in one,
// or makes it again. They hold nothing that anybody needs, so an error is none.
func (g *Group) clear(claims []*claim) {
	for _, c := range claims {
		if !c.named() {
			continue // it is the lock of another, in the place of one that was moved
		}
		dir := g.claimDir(c.number)
		_ = g.src.fs.Remove(filepath.Join(dir, holderName))
		_ = g.src.fs.Remove(dir)
	}
	_ = g.src.fs.Remove(g.membersDir())
	_ = g.src.fs.Remove(filepath.Dir(g.membersDir()))
}

// entryNumbers are the partitions that the group has entries of, also those
// that are hidden or deleted now.
func (g *Group) entryNumbers(file offsets.File) (numbers []int) {
	for key := range file.Groups[g.name] {
		name, n, err := offsets.ParseKey(key)
		if err == nil && name == g.src.place.Topic {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return numbers
}

func (g *Group) unknown() error {
	return fmt.Errorf("%s: %w: %s", g.src.path, ErrNotRegistered, g.name)
}

// administer runs do with the claims, and open logs, of the partitions.
func (g *Group) administer(ctx context.Context, partitions []int, do func([]*claim) error) error {
	numbers, err := g.chosen(partitions)
	if err != nil {
		return err
	}
	file, err := g.read()
	if err != nil {
		return err
	}
	if file.Groups[g.name] == nil {
		return g.unknown() // and no directories are made for it
	}
	return g.claimed(ctx, numbers, func(claims []*claim) error {
		for _, c := range claims {
			if err := c.openLog(); err != nil {
				return err
			}
		}
		return do(claims)
	})
}

// claimed runs do while it has the claims of the partitions.
func (g *Group) claimed(ctx context.Context, numbers []int, do func([]*claim) error) (err error) {
	var claims []*claim
	defer func() { err = errors.Join(err, closeAll(claims)) }()
	for _, n := range numbers {
		c := g.newClaim(n)
		if err := g.acquireSoon(ctx, c); err != nil {
			return g.crowded(len(numbers), err)
		}
		claims = append(claims, c)
	}
	return do(claims)
}

// acquireSoon takes a claim, or says who has it.
func (g *Group) acquireSoon(ctx context.Context, c *claim) error {
	for end := time.Now().Add(adminWait); ; {
		err := c.acquire()
		if !errors.Is(err, errBusy) {
			return err
		}
		if time.Now().After(end) {
			return g.heldBy(c.number, err)
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(adminWait / 20):
		}
	}
}

// heldBy says who has a partition, as far as can be known.
func (g *Group) heldBy(number int, busy error) error {
	members, err := newRoster(g, nil).live()
	if err != nil {
		return err
	}
	held := &HeldError{Group: g.name, Partition: number, Holder: g.holder(number, members)}
	if e, ok := errors.AsType[*busyError](busy); ok && held.Holder.PID == 0 {
		held.Holder.PID = e.pid
	}
	return held
}

// chosen are the partitions that are named, each of which has to be there, or
// all that consumers see.
func (g *Group) chosen(partitions []int) ([]int, error) {
	numbers, err := g.src.numbers()
	if err != nil || len(partitions) == 0 {
		return numbers, err
	}
	for _, n := range partitions {
		if !slices.Contains(numbers, n) {
			return nil, &topic.PartitionError{Path: g.src.path, Partition: n, Count: len(numbers)}
		}
	}
	partitions = slices.Clone(partitions)
	slices.Sort(partitions)
	return slices.Compact(partitions), nil
}

func (g *Group) openAll(numbers []int) (claims []*claim, err error) {
	for _, n := range numbers {
		c := g.newClaim(n)
		if err := c.openLog(); err != nil {
			return claims, err
		}
		claims = append(claims, c)
	}
	return claims, nil
}

func closeAll(claims []*claim) error {
	var err error
	for _, c := range claims {
		err = errors.Join(err, c.close())
	}
	return err
}
