package group

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path/filepath"
	"slices"
	"strconv"

	"example.com/jlq/partition"
)

// DeadLetter is a dead letter of a group that nobody has dealt with yet.
type DeadLetter struct {
	Number    uint64 `json:"number"`          // its offset in the partition of dead letters
	From      int    `json:"from"`            // the number of the partition that the record lies in
	Redriving bool   `json:"redriving"`       // it is asked for again, and not finished
	Tried     int    `json:"tried,omitempty"` // how often it was delivered again
	Path      string `json:"path,omitempty"`  // of the partition of dead letters
	Letter
}

// DeadLetters yields what waits for somebody to decide, oldest first, of each
// partition in turn. Of several letters of one record, which a crash can leave,
// the last one counts. It takes no lock and may be ranged over many times.
func (g *Group) DeadLetters(ctx context.Context) iter.Seq2[DeadLetter, error] {
	return func(yield func(DeadLetter, error) bool) {
		numbers, err := g.deadNumbers()
		for _, n := range numbers {
			var more bool
			if more, err = g.lettersOf(ctx, n, yield); err != nil || !more {
				break
			}
		}
		if err != nil {
			yield(DeadLetter{}, err)
		}
	}
}

// deadNumbers are the partitions that have dead letters.
func (g *Group) deadNumbers() (out []int, err error) {
	names, err := g.src.fs.List(filepath.Dir(g.DeadPath(0)))
	if err != nil {
		return nil, ifExists(err)
	}
	only, pinned := g.src.pinned()
	for _, name := range names {
		n, err := strconv.Atoi(name)
		if err == nil && strconv.Itoa(n) == name && n >= 0 && (!pinned || n == only) {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return out, nil
}

// lettersOf yields the letters of one partition; more is false where the loop
// was left.
func (g *Group) lettersOf(ctx context.Context, number int, yield func(DeadLetter, error) bool) (more bool, err error) {
	d := g.deadLetters(number)
	m, err := d.marks()
	if err != nil {
		return false, err
	}
	p, err := partition.OpenReader(d.dir, &partition.Options{MaxRecordBytes: maxLetter, FS: g.opts.FS, Logger: g.opts.Logger})
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, partition.ErrNotLog) {
		return true, nil // who was to write the first one died before
	}
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	last, err := lastLetters(ctx, p)
	if err != nil {
		return false, err
	}
	for rec, err := range p.Records(0) {
		if err == nil {
			err = context.Cause(ctx)
		}
		if err != nil {
			return false, err
		}
		l := DeadLetter{Number: rec.Offset, From: number, Path: d.dir}
		if err := rec.Decode(&l.Letter); err != nil {
			return false, fmt.Errorf("%s: dead letter %d: %w", d.dir, rec.Offset, err)
		}
		if m.Settled.has(rec.Offset) || last[l.Offset] > rec.Offset {
			continue
		}
		l.Redriving, l.Tried = m.Wanted.has(rec.Offset), m.Tried[rec.Offset]
		if !yield(l, nil) {
			return false, nil
		}
	}
	return true, nil
}

// lastLetters is, by the offset of a record, the number of its last letter.
func lastLetters(ctx context.Context, p *partition.Partition) (map[uint64]uint64, error) {
	last := map[uint64]uint64{}
	for rec, err := range p.Records(0) {
		if err == nil {
			err = context.Cause(ctx)
		}
		if err != nil {
			return nil, err
		}
		var l struct{ Offset uint64 }
		if rec.Decode(&l) == nil { // else it is told where it is yielded
			last[l.Offset] = rec.Offset
		}
	}
	return last, nil
}

// ErrNoRecord: a dead letter of records that could not be read cannot be
// delivered. When the log is repaired, they can be had by an offset.
var ErrNoRecord = errors.New("the dead letter has no record: it is about damage")

// Redrive asks for dead letters to be delivered again, those that choose returns
// true for, all where it is nil, and returns how many. The members that have
// their partitions, now or later, deliver them, within a second or two, as
// messages with the offset that the record has in its partition, and with
// Options.MaxAttempts more attempts. One that fails again is a dead letter again.
// Nothing is appended to the log that is consumed.
func (g *Group) Redrive(ctx context.Context, choose func(DeadLetter) bool) (int, error) {
	return g.mark(ctx, choose, (*marks).want, func(l DeadLetter) error {
		if l.Lost > 0 {
			return fmt.Errorf("%s: %w", l.name(), ErrNoRecord)
		}
		return nil
	})
}

// DropDead settles dead letters, as [Group.Redrive] chooses them: they are
// not listed or delivered any more. Their lines stay where they are.
func (g *Group) DropDead(ctx context.Context, choose func(DeadLetter) bool) (int, error) {
	return g.mark(ctx, choose, (*marks).settle, func(DeadLetter) error { return nil })
}

func (l *DeadLetter) name() string { return fmt.Sprintf("%s@%d", l.Partition, l.Offset) }

// mark marks what is chosen and not refused, a partition at a time.
func (g *Group) mark(ctx context.Context, choose func(DeadLetter) bool, do func(*marks, uint64), refuse func(DeadLetter) error) (n int, err error) {
	chosen := map[int][]uint64{}
	var refused error
	for l, err := range g.DeadLetters(ctx) {
		if err != nil {
			return 0, err
		}
		if choose != nil && !choose(l) {
			continue
		}
		if no := refuse(l); no != nil {
			refused = errors.Join(refused, no)
			continue
		}
		chosen[l.From] = append(chosen[l.From], l.Number)
	}
	for number, letters := range chosen {
		err := g.deadLetters(number).change(func(m *marks) {
			for _, l := range letters {
				do(m, l)
			}
		})
		if err != nil {
			return n, errors.Join(err, refused)
		}
		n += len(letters)
	}
	return n, refused
}
