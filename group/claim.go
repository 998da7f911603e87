package group

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"example.com/jlq/internal/offsets"
	"example.com/jlq/internal/vfs"
	"example.com/jlq/partition"
	"example.com/jlq/reader"
)

const holderName = "holder"

// claim is one partition that is held for the group. The lock of its directory
// is its right to deliver; its generation is its right to commit.
type claim struct {
	g      *Group
	number int
	key    string
	path   string
	log    *reader.Log
	ownLog bool
	lock   vfs.Lock // nil where nothing is committed
	gen    uint64

	// next is where delivery begins. Attempts of the record there ended with
	// the death of their consumer; where suspect is set, the last holder died
	// with records in its hands, one of which may be why: they are to be
	// delivered one at a time, each committed before the next, for as long as
	// that may be so.
	next     uint64
	attempts int
	suspect  bool

	// committed, check and marked are what the offsets file holds of this claim:
	// the next offset, what the record before it is, and whether records may be in
	// flight. They belong to who has Member.saving.
	committed uint64
	check     string
	marked    bool

	// held: records may be in flight, and the offsets file says so. See
	// Member.hold.
	held atomic.Bool
}

func (g *Group) newClaim(number int) *claim {
	return &claim{g: g, number: number, key: g.src.key(number), path: g.src.logPath(number)}
}

// begun is what came of a claim that was locked: it may deliver, or err says why
// not. lost is not nil where records were dropped that the group had not
// consumed.
type begun struct {
	*claim
	lost *LostError
	err  error
}

// acquire locks the claim's directory.
func (c *claim) acquire() error {
	dir := c.g.claimDir(c.number)
	err := again(func() (err error) {
		if err = mkdirs(c.g.src.fs, c.g.opts.dirMode(), parents(dir, 3)...); err == nil {
			c.lock, err = lockNamed(c.g.src.fs, dir)
		}
		return err
	})
	if errors.Is(err, vfs.ErrLocked) || errors.Is(err, errMoved) {
		return busy(err)
	}
	return err
}

// openLog opens the partition for reading.
func (c *claim) openLog() (err error) {
	c.log, c.ownLog, err = c.g.src.open(c.number, &c.g.opts)
	return err
}

// begin finds out where claims go on that are locked, and makes their
// generations durable, in one replacement of the offsets file however many they
// are. Their locks keep others from moving what is committed meanwhile.
func (g *Group) begin(ctx context.Context, claims []*claim) []begun {
	out := make([]begun, len(claims))
	file, err := g.read()
	for i, c := range claims {
		out[i] = begun{claim: c, err: err}
		if err == nil {
			out[i].lost, out[i].err = c.find(ctx, file)
		}
	}
	g.raise(out)
	return out
}

// find opens the partition and finds out where to go on.
func (c *claim) find(ctx context.Context, file offsets.File) (*LostError, error) {
	if err := c.openLog(); err != nil {
		return nil, err
	}
	e, err := c.registered(file)
	if err != nil {
		return nil, err
	}
	return c.compare(ctx, e)
}

// registered is the entry of the claim's partition.
func (c *claim) registered(file offsets.File) (offsets.Entry, error) {
	e, ok := file.Lookup(c.g.name, c.key)
	if !ok {
		return e, fmt.Errorf("%w: %s", ErrNotRegistered, c.g.name)
	}
	return e, nil
}

// compare holds the committed offset against the log.
func (c *claim) compare(ctx context.Context, e offsets.Entry) (*LostError, error) {
	start, next, err := c.log.Bounds(ctx)
	if err != nil {
		return nil, err
	}
	truncated := c.truncated(e.Next, next)
	if e.Next > next {
		return nil, truncated
	}
	c.next = e.Next
	if e.Next < start {
		c.next = start
		return &LostError{Group: c.g.name, Path: c.path, Partition: c.number, From: e.Next, To: start}, nil
	}
	if e.Check == "" || e.Next <= start {
		return nil, nil
	}
	check, err := checkBefore(c.log, e.Next)
	if err == nil && check != "" && check != e.Check {
		err = truncated
	}
	return nil, err
}

// raise takes the next generation of each claim, durably: a commit of whoever
// had the last one is refused from here on.
func (g *Group) raise(all []begun) {
	good := func(b begun) bool { return b.err == nil }
	if !slices.ContainsFunc(all, good) {
		return
	}
	err := g.update(func(f *offsets.File) error {
		for i := range all {
			if b := &all[i]; b.err == nil {
				b.err = b.raise(f)
			}
		}
		if !slices.ContainsFunc(all, good) {
			return ErrNotRegistered // each of them says so; nothing is replaced
		}
		return nil
	})
	for i := range all {
		if b := &all[i]; b.err == nil {
			b.err = err
		}
	}
}

func (c *claim) raise(f *offsets.File) error {
	e, err := c.registered(*f)
	if err != nil {
		return err
	}
	e.Gen++
	c.suspect = e.Held || e.Attempts > 0
	if e.Held {
		e.Held = false
		e.Attempts++
	}
	f.Set(c.g.name, c.key, e)
	c.gen, c.committed, c.check, c.attempts = e.Gen, e.Next, e.Check, e.Attempts
	if c.next != c.committed {
		c.attempts = 0 // they were those of a record that is gone
	}
	return nil
}

// entry is that of the claim, or [ErrFenced] where it is another's now.
func (c *claim) entry(f *offsets.File) (offsets.Entry, error) {
	e, ok := f.Lookup(c.g.name, c.key)
	if !ok || e.Gen != c.gen {
		return e, fmt.Errorf("%w: group %s, partition %d, claim %d; it is at %d", ErrFenced, c.g.name, c.number, c.gen, e.Gen)
	}
	return e, nil
}

// sign writes who has the claim, for those who list members. It holds nothing
// that anybody decides by, so it need not survive anything.
func (c *claim) sign(id string) error {
	name := filepath.Join(c.g.claimDir(c.number), holderName)
	if err := ifExists(c.g.src.fs.Remove(name)); err != nil {
		return err
	}
	f, err := c.g.src.fs.Open(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, c.g.opts.fileMode())
	if err != nil {
		return err
	}
	_, err = f.Write([]byte(id + "\n"))
	return errors.Join(err, f.Close())
}

// holder is the member, among those that live, that has partition number. A
// zero PID says that it is not known.
func (g *Group) holder(number int, members []MemberInfo) MemberInfo {
	data, err := vfs.ReadFile(g.src.fs, filepath.Join(g.claimDir(number), holderName), maxMemberBytes)
	if err != nil {
		return MemberInfo{}
	}
	id := strings.TrimSpace(string(data))
	for _, m := range members {
		if m.ID == id {
			return m
		}
	}
	return MemberInfo{}
}

// named reports whether the directory that is locked is the one that others
// would lock.
func (c *claim) named() bool {
	return c.lock != nil && sameNamed(c.g.src.fs, c.g.claimDir(c.number), c.lock) == nil
}

// release gives the claim up. What was finished is committed before, and
// nothing is delivered any more: the next holder begins where the commit ended.
func (c *claim) release() error {
	var err error
	if c.named() {
		err = ifExists(c.g.src.fs.Remove(filepath.Join(c.g.claimDir(c.number), holderName)))
	}
	return errors.Join(err, c.close())
}

// close unlocks and closes what is open.
func (c *claim) close() error {
	var err error
	if c.lock != nil {
		err = c.lock.Close()
	}
	if c.log != nil && c.ownLog {
		err = errors.Join(err, c.log.Close())
	}
	return err
}

// checkBefore is the check of the record before next, or "" where that cannot
// be read: it was dropped meanwhile, or is damaged, which is told where it is
// delivered.
func checkBefore(log *reader.Log, next uint64) (string, error) {
	if next == 0 {
		return "", nil
	}
	data, err := log.Get(next - 1)
	switch {
	case err == nil:
		return offsets.Check(data), nil
	case unreadable(err):
		return "", nil
	}
	return "", err
}

// unreadable reports whether err is about the record, and not about reading.
func unreadable(err error) bool {
	_, beyond := errors.AsType[*partition.RangeError](err)
	_, corrupt := errors.AsType[*partition.CorruptError](err)
	return beyond || corrupt || errors.Is(err, partition.ErrIndexMismatch) || errors.Is(err, partition.ErrTooLarge)
}
