package group

import (
	"context"
	"errors"
	"io/fs"

	"example.com/jlq/internal/offsets"
)

// read returns the offsets file. That it was not believed is logged.
func (g *Group) read() (offsets.File, error) {
	f, fallback, err := offsets.Read(g.src.fs, g.src.place)
	g.tell(fallback)
	return f, err
}

// update changes the offsets file, durably and under its lock.
func (g *Group) update(change func(*offsets.File) error) error {
	var refused error
	fallback, err := offsets.Update(g.src.fs, g.src.place, g.opts.Mode, func(f *offsets.File) error {
		refused = change(f)
		return refused
	})
	g.tell(fallback)
	if err == nil || refused != nil || errors.Is(err, offsets.ErrDamaged) {
		return err
	}
	return &SaveError{Group: g.name, Path: g.src.place.File, Err: err}
}

// settle leaves two copies of what is committed, so that a file that is damaged
// before the group goes on costs nothing.
func (g *Group) settle() error {
	if g.opts.NoCommit {
		return nil
	}
	err := offsets.Settle(g.src.fs, g.src.place)
	switch {
	case err == nil, errors.Is(err, offsets.ErrDamaged):
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return nil // the topic was deleted, and there is nothing to be kept
	}
	return &SaveError{Group: g.name, Path: g.src.place.File, Err: err}
}

func (g *Group) tell(fallback *offsets.Fallback) {
	if fallback != nil {
		g.opts.Logger.Warn(fallback.String(), "group", g.name)
	}
}

// register makes the group known, and of a group that is known those
// partitions that are new. The group begins where Options.Start says; a
// partition that was added to its topic later, at its start: nothing that came
// after the group registered is passed over.
//
// It comes before the group has any directory: an offsets file that is missing
// beside one was lost.
func (g *Group) register(ctx context.Context, numbers []int) error {
	file, err := g.read()
	if err != nil {
		return err
	}
	entries, known := file.Groups[g.name]
	start := g.opts.Start
	if known {
		start = ToStart()
	}
	fresh := map[string]offsets.Entry{}
	for _, n := range numbers {
		if _, ok := entries[g.src.key(n)]; ok {
			continue
		}
		e, err := g.startEntry(ctx, n, start)
		if err != nil {
			return err
		}
		fresh[g.src.key(n)] = e
	}
	if known && len(fresh) == 0 {
		return nil
	}
	return g.update(func(f *offsets.File) error {
		f.Register(g.name)
		for key, e := range fresh {
			// Another member may have been faster.
			if _, ok := f.Lookup(g.name, key); !ok {
				f.Set(g.name, key, e)
			}
		}
		return nil
	})
}

// startEntry is where a group begins in a partition.
func (g *Group) startEntry(ctx context.Context, number int, to To) (e offsets.Entry, err error) {
	log, own, err := g.src.open(number, &g.opts)
	if err != nil {
		return e, err
	}
	if own {
		defer func() { err = errors.Join(err, log.Close()) }()
	}
	if e.Next, err = to.resolve(ctx, log, 0); err != nil {
		return e, err
	}
	e.Check, err = checkBefore(log, e.Next)
	return e, err
}
