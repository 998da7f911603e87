package partition

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"example.com/jlq/internal/segment"
	"example.com/jlq/writer"
)

// What a shared log is, turn by turn: see Options.Shared, package writer for
// what a crash leaves, and turn for who is next.

// checkShared reports options that do not go together.
func (o *Options) checkShared() error {
	if o.Shared && o.Sync == SyncBuffered {
		return fmt.Errorf("%w: SyncBuffered keeps records back that other processes must see; a shared log takes any other mode", fs.ErrInvalid)
	}
	return nil
}

// locking makes try one that leaves no lock behind where it fails.
func (p *Partition) locking(try func() error) func() error {
	return func() error {
		err := try()
		if err != nil {
			err = errors.Join(err, p.locks.Release())
		}
		return err
	}
}

// enter begins a turn: it takes the locks and finds out what there is to append
// to by now.
func (p *Partition) enter(now *segment.Active) (t writer.Taken, err error) {
	err = p.turn.wait(p.locking(func() (err error) {
		var ok bool
		if t, ok, err = p.takeIn(now); err != nil || ok {
			return err
		}
		// Recovering takes the locks itself, and looks at everything anew.
		if err := p.locks.Release(); err != nil {
			return err
		}
		t, err = p.recoverAgain()
		return err
	}))
	return t, err
}

// leave ends a turn.
func (p *Partition) leave() {
	if err := p.locks.Release(); err != nil {
		// Closing gives a lock up in any case, and records do not depend on it.
		p.opts.Logger.Warn("a lock could not be given up in order", "log", p.place.Path, "error", err)
	}
	p.turn.ended()
}

// retire closes a segment that others have sealed, or whose files are others by
// now.
func (p *Partition) retire(old *segment.Active) {
	if err := old.Close(); err != nil {
		p.opts.Logger.Warn("the files of a segment could not be closed", "log", p.place.Path, "base", old.Base, "error", err)
	}
}

// takeIn takes the locks, and takes over what others appended in order. ok is
// false where the log has to be recovered as at opening: where its files are
// not the ones that this process knows, or partition.json promises something
// else, or somebody died in his turn.
func (p *Partition) takeIn(now *segment.Active) (t writer.Taken, ok bool, err error) {
	t = writer.Taken{Active: now}
	if p.place.Bare {
		ok, err = p.lockBare(now)
	} else {
		ok, err = p.lockDir(now, &t)
	}
	if err != nil || !ok {
		return t, false, err
	}
	records, ok, err := now.TakeIn()
	if err != nil || !ok {
		return t, false, err
	}
	if records > 0 {
		p.turn.saw()
	}
	t.Next = p.live.Next() + records
	if p.place.Bare {
		return t, true, nil
	}
	// A roll that was broken off before partition.json named the next segment:
	// what is appended here would lie behind it.
	begun, err := now.Begun(p.place.Path, t.Next)
	return t, !begun, err
}

// lockBare locks a bare file, where it is the one that is open.
func (p *Partition) lockBare(now *segment.Active) (ok bool, err error) {
	for _, name := range []string{now.Records, now.Index} {
		if ok, err := p.lockFile(name); err != nil || !ok {
			return false, err
		}
	}
	return now.LockedBy(&p.locks) == nil && now.IndexLockedBy(&p.locks) == nil, nil
}

// lockDir locks the directory and the active segment, where it still is the
// one that is open, and reads partition.json.
func (p *Partition) lockDir(now *segment.Active, t *writer.Taken) (ok bool, err error) {
	if err := p.locks.Take(p.opts.FS, p.place.Path); err != nil {
		return false, err
	}
	meta, err := p.readMeta()
	if err != nil || meta == nil || !p.agrees(meta, now) {
		return false, err
	}
	if ok, err := p.lockFile(now.Records); err != nil || !ok {
		return false, err
	}
	p.meta.restart(*meta)
	t.Position, t.Created = meta.Synced.Position, meta.Created
	return now.LockedBy(&p.locks) == nil, nil
}

// lockFile locks a file, unless there is none.
func (p *Partition) lockFile(name string) (ok bool, err error) {
	err = p.locks.Take(p.opts.FS, name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// agrees reports whether partition.json names the segment that is open, and
// promises what this writer does: else its records would pass for something
// that they are not.
func (p *Partition) agrees(meta *segment.Meta, now *segment.Active) bool {
	mode := p.mode()
	return meta.Sync == mode.Sync && meta.Validate == mode.Validate && meta.Batch >= mode.Batch && meta.Synced.Base == now.Base
}

// recoverAgain recovers the log as opening does. Where that fails, what was wrong
// with it still is, and the next turn begins with it.
func (p *Partition) recoverAgain() (writer.Taken, error) {
	a, next, report, err := p.recover()
	p.pairs = nil
	if err != nil {
		return writer.Taken{}, err
	}
	p.turn.saw()
	if lines := report.Lines(); len(lines) > 0 {
		p.opts.Logger.Info(strings.Join(lines, "; "), "log", p.place.Path)
	}
	t := writer.Taken{Active: a, Next: next, Recovered: true}
	if p.meta != nil {
		t.Created = p.meta.now().Created
	}
	return t, nil
}
