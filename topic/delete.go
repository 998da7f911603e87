package topic

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"example.com/jlq/internal/offsets"
	"example.com/jlq/internal/segment"
	"example.com/jlq/internal/vfs"
)

// giveUpWait is how long a deletion waits for members and producers to give up
// a partition that was hidden from them: they look every second.
const giveUpWait = 3 * time.Second

// Delete deletes partitions, or a topic as a whole. A partition must be hidden
// from producers and consumers, and every registered group must have consumed
// all of it; else the error is a [*RefusedError] and nothing changes, unless
// Force is set. A writer that has a partition open, or a member of a group, is
// waited for a few seconds, and then ErrLocked, forced or not.
//
// Deleting the last partition touches nothing but that partition. The plan
// that is returned with an error says by Done whether the partitions are
// gone all the same; files that could not be removed are tried again by the next
// change of the topic.
//
// Crash table, by the step before which the power fails:
//
//	topic.json with "deleted"   nothing has changed
//	files of the partitions     the partitions are gone; the next change removes
//	                            what is left of their directories
//	all else, of a whole topic  a topic without partitions: delete it again
//	topic.json                  the same
//	the locks, the directory    no topic; Create makes one there
func Delete(dir string, what Deletion, opts *Options) (plan DeletePlan, err error) {
	o := opts.withDefaults()
	if info, err := o.fs().Lstat(dir); err == nil && !info.Mode.IsDir() && what.Partitions == nil {
		return plan, &fs.PathError{Op: "delete", Path: dir, Err: errors.New("is a symbolic link; name the directory that it leads to")}
	}
	if _, err := ReadMeta(o.fs(), dir); err != nil {
		return plan, err
	}
	locks, err := lockTopic(o.fs(), dir, o.filePerm())
	if err != nil {
		return plan, err
	}
	defer func() { err = errors.Join(err, locks.Release()) }()
	d := &deletion{o: &o, dir: dir, what: what}
	if d.meta, err = settle(o.fs(), dir); err != nil {
		return plan, err
	}
	return d.do(locks)
}

// do decides and deletes. What holds the decision up, the writers' locks, the
// claims and the groups' offsets, is taken first and kept to the end.
func (d *deletion) do(locks *segment.Locks) (plan DeletePlan, err error) {
	list, err := d.numbers()
	if err != nil {
		return plan, err
	}
	if d.place, err = offsets.Locate(d.o.fs(), d.dir); err != nil {
		return plan, err
	}
	if err := d.seize(list, locks); err != nil {
		return plan, err
	}
	release, err := d.holdOffsets(list)
	if err != nil {
		return plan, err
	}
	defer func() { err = errors.Join(err, release()) }()
	if plan, err = d.plan(); err != nil {
		return plan, err
	}
	if len(plan.Against()) > 0 && !d.what.Force {
		return plan, &RefusedError{Path: d.dir, Plan: plan}
	}
	m := d.meta.clone()
	for _, i := range list {
		m.delete(i)
	}
	if !m.equal(&d.meta) {
		if err := writeMeta(d.o.fs(), d.dir, m, d.o.filePerm()); err != nil {
			return plan, err
		}
	}
	// From here on the partitions are gone, whatever becomes of their files.
	plan.Done = true
	return plan, d.remove(list)
}

// delete makes partition i one that was.
func (m *Meta) delete(i int) {
	drop := func(list []int) []int {
		return slices.DeleteFunc(list, func(n int) bool { return n == i })
	}
	m.Hidden.Producers, m.Hidden.Consumers = drop(m.Hidden.Producers), drop(m.Hidden.Consumers)
	m.Deleted = append(m.Deleted, i)
	slices.Sort(m.Deleted)
}

// seize takes the locks of all who could have the partitions: their writers,
// and the members of groups that have claimed them.
func (d *deletion) seize(list []int, locks *segment.Locks) error {
	fsys, end := d.o.fs(), time.Now().Add(giveUpWait)
	groups, err := d.list(d.place.Groups)
	if err != nil {
		return err
	}
	for _, i := range list {
		if err := seizeOne(locks, fsys, PartitionPath(d.dir, i), end); err != nil {
			return fmt.Errorf("partition %d is being written: %w", i, err)
		}
		for _, group := range groups {
			if err := seizeOne(locks, fsys, d.place.ClaimDir(group, i), end); err != nil {
				return fmt.Errorf("partition %d is being consumed by group %s: %w", i, group, err)
			}
		}
	}
	return nil
}

// seizeOne locks a directory, unless there is none.
func seizeOne(locks *segment.Locks, fsys vfs.FS, path string, end time.Time) error {
	err := takeWithin(locks, fsys, path, end)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// holdOffsets keeps groups from changing what they have consumed until release
// is called. Where it is not known what they have, the plan says so.
func (d *deletion) holdOffsets(list []int) (release func() error, err error) {
	if len(list) == 0 {
		return func() error { return nil }, nil
	}
	_, release, err = offsets.Holds(d.o.fs(), d.place, list[0])
	if errors.Is(err, offsets.ErrDamaged) || errors.Is(err, offsets.ErrNewerFormat) {
		err = nil
	}
	return release, err
}

// remove removes the files.
func (d *deletion) remove(list []int) error {
	for _, i := range list {
		if err := removeTree(d.o.fs(), PartitionPath(d.dir, i)); err != nil {
			return err
		}
	}
	if err := d.o.fs().SyncDir(d.dir); err != nil {
		return err
	}
	if d.what.Partitions != nil {
		return nil
	}
	// What earlier deletions left goes with the topic.
	return removeRest(d.o.fs(), d.dir)
}
