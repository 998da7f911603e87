package segment

import (
	"errors"
	"fmt"

	"example.com/jlq/index"
	"example.com/jlq/internal/vfs"
)

// chain is the segments of a log from the one of the promise on. A roll that
// was broken off leaves more than one:
//
//	power fails before     the directory holds                   recovery
//	the index is made      the old pair, synced                  nothing to do
//	the records are made   an index of at most entry 0           makes the records file, finishes the roll
//	the directory sync     any of both names                     as before; or as if nothing had been made
//	partition.json         an empty pair where the old one ends  promises it
//	an append              the same, promised                    begins there: the old pair is sealed
//
// A roll that was put off may leave its empty files behind for longer than it
// should, and then the old pair goes on beyond their base: they are removed.
// They were named after what was synced, so that they cannot lie behind the
// end: records are missing then, and their offsets are not given out again.
type chain struct {
	fsys vfs.FS
	dir  string
	opts RecoverOptions

	links  []*recovery // that hold something, the first whatever it holds
	empty  []Files
	next   *Files // of the empty ones, the one that follows
	strays []Files
}

// RecoverChain is [Recover] for a log whose partition.json names the first of
// these segments, or, without one, whose last segment that holds something is
// the first. Those behind it are what broken-off rolls left, or segments that
// partition.json does not know of because it is older than they are. Nothing
// is changed before all of them were looked at, but for a first pair that was
// never finished. The caller holds the writer's locks.
func RecoverChain(fsys vfs.FS, dir string, found []Files, opts RecoverOptions) (*Active, uint64, Report, error) {
	c := chain{fsys: fsys, dir: dir, opts: opts}
	if err := c.sort(found); err != nil {
		return nil, 0, Report{}, err
	}
	if err := c.survey(); err != nil {
		return nil, 0, Report{}, err
	}
	report, err := c.mend()
	if err != nil {
		return nil, 0, Report{}, err
	}
	last := c.last()
	a, err := openActive(fsys, last.pair, last.found.end.pos, last.found.end.n)
	return a, last.next(), report, err
}

func (c *chain) last() *recovery { return c.links[len(c.links)-1] }

// next is the offset behind the records that were found.
func (r *recovery) next() uint64 { return r.pair.Base + r.found.end.n }

// sort tells the segments that hold something from the empty ones.
func (c *chain) sort(found []Files) error {
	c.links = append(c.links, c.recovery(found[0]))
	for _, f := range found[1:] {
		holds, err := Holds(c.fsys, f)
		switch {
		case err != nil:
			return err
		case !holds:
			c.empty = append(c.empty, f)
		case !found[0].HasRecords:
			return &SegmentAwayError{Path: found[0].Records, Base: found[0].Base}
		case !f.HasRecords:
			return &SegmentAwayError{Path: f.Records, Base: f.Base}
		default:
			c.links = append(c.links, c.recovery(f))
		}
	}
	return nil
}

func (c *chain) recovery(f Files) *recovery {
	return &recovery{fsys: c.fsys, dir: c.dir, pair: f.Pair, opts: c.opts}
}

// Holds reports whether there is a record in a segment, or an entry of one.
func Holds(fsys vfs.FS, f Files) (bool, error) {
	if f.HasRecords {
		info, err := fsys.Lstat(f.Records)
		if err != nil || info.Size > 0 {
			return err == nil, err
		}
	}
	if !f.HasIndex {
		return false, nil
	}
	info, err := fsys.Lstat(f.Index)
	return err == nil && index.Count(info.Size) > 0, err
}

// survey looks at every segment and decides what each will be.
func (c *chain) survey() error {
	if err := c.links[0].create(); err != nil {
		return err
	}
	for i, r := range c.links {
		if err := r.survey(); err != nil {
			return err
		}
		if i == 0 {
			continue
		}
		if err := c.links[i-1].leadsTo(r.pair); err != nil {
			return err
		}
	}
	end := c.last().next()
	for i, f := range c.empty {
		switch {
		case f.Base < end:
			c.strays = append(c.strays, f)
		case f.Base == end:
			c.next = &c.empty[i]
		default:
			return c.last().leadsTo(f.Pair)
		}
	}
	return nil
}

// leadsTo makes sure that a segment ends, with nothing behind, where the next
// one begins: its offsets would be given out twice, or never.
func (r *recovery) leadsTo(next Pair) error {
	if r.next() != next.Base {
		return NotJoined(next, r.next())
	}
	if f := &r.found; f.bad != nil {
		return &CorruptError{Path: r.pair.Records, Offset: r.next(), Position: f.end.pos, End: f.recSize, Err: f.bad}
	}
	return nil
}

// NotJoined says that a segment does not begin at the offset where the one
// before it ends.
func NotJoined(pair Pair, want uint64) error {
	return &CorruptError{Path: pair.Records, Offset: min(pair.Base, want),
		Err: fmt.Errorf("the segment begins with offset %d where %d should follow", pair.Base, want)}
}

// mend mends the segments in order, finishes a roll, and promises the last.
func (c *chain) mend() (report Report, err error) {
	for _, f := range c.strays {
		if err := RemoveFiles(c.fsys, f); err != nil {
			return report, err
		}
	}
	for i, r := range c.links {
		r.sealed = i < len(c.links)-1 || c.next != nil
		if err := r.mend(); err != nil {
			return report, err
		}
		report.add(r.report)
	}
	report.Leftovers = len(c.strays)
	if c.next == nil {
		return report, nil
	}
	report.Rolled = true
	return report, c.finish()
}

// finish makes what is missing of the segment that a roll was making.
func (c *chain) finish() error {
	r := c.recovery(*c.next)
	if err := r.create(); err != nil {
		return err
	}
	// Names that were found may be on no disk yet: partition.json must not
	// come there before them.
	if err := c.fsys.SyncDir(c.dir); err != nil {
		return err
	}
	if err := r.survey(); err != nil {
		return err
	}
	c.links = append(c.links, r)
	return r.mend()
}

// RemoveEmpty removes the files of a segment in which there is nothing. One that
// holds something is another program's, and stays.
func RemoveEmpty(fsys vfs.FS, pair Pair) (err error) {
	f := Files{Pair: pair}
	if f.HasRecords, err = exists(fsys, pair.Records); err != nil {
		return err
	}
	if f.HasIndex, err = exists(fsys, pair.Index); err != nil {
		return err
	}
	something, err := Holds(fsys, f)
	if err == nil && !something && f.HasIndex {
		something, err = foreignIndex(fsys, f.Index)
	}
	if something || err != nil {
		return err
	}
	return RemoveFiles(fsys, f)
}

// foreignIndex reports whether a file of less than two entries is none that a
// roll made.
func foreignIndex(fsys vfs.FS, name string) (bool, error) {
	f, info, err := vfs.OpenRegular(fsys, name)
	if errors.Is(err, vfs.ErrNotRegular) {
		return true, nil
	}
	if err != nil {
		return false, ignoreMissing(err)
	}
	defer f.Close() // it was only read
	entry := make([]byte, min(info.Size, index.EntrySize))
	err = readFull(f, entry, 0)
	return info.Size > index.EntrySize || !allNUL(entry), err
}

// RemoveFiles removes the files of a segment, the records first: an index
// alone is no segment to those who read.
func RemoveFiles(fsys vfs.FS, f Files) error {
	if f.HasRecords {
		if err := ignoreMissing(fsys.Remove(f.Records)); err != nil {
			return err
		}
	}
	if !f.HasIndex {
		return nil
	}
	return ignoreMissing(fsys.Remove(f.Index))
}
