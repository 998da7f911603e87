package topic

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"example.com/jlq/internal/offsets"
	"example.com/jlq/internal/segment"
	"example.com/jlq/partition"
)

// Deletion says what [Delete] deletes.
type Deletion struct {
	// Partitions are deleted by number; nil deletes the topic as a whole, with
	// its groups and their dead letters.
	Partitions []int
	// Force deletes although the rules forbid it.
	Force bool
}

// DeletePlan says what a deletion takes away, and why it may not. Its JSON
// names are stable.
type DeletePlan struct {
	Done       bool          `json:"done"` // it was done; else it only would be
	Topic      string        `json:"topic"`
	Whole      bool          `json:"whole"` // the topic as a whole goes
	Partitions []DeletedPart `json:"partitions"`
	Dead       []DeletedDead `json:"dead,omitempty"`    // dead letters that go with the topic
	Unknown    []string      `json:"unknown,omitempty"` // files that are none of a topic
}

// DeletedPart is one partition in a [DeletePlan].
type DeletedPart struct {
	Partition int      `json:"partition"`
	Start     uint64   `json:"start"`
	Next      uint64   `json:"next"`
	Records   uint64   `json:"records"`
	Bytes     int64    `json:"bytes"`
	Against   []string `json:"against,omitempty"` // why the rules forbid it
}

// DeletedDead is the dead letters of a group for one partition.
type DeletedDead struct {
	Group     string `json:"group"`
	Partition int    `json:"partition"`
	Records   uint64 `json:"records"`
}

// Against are the reasons why the rules forbid the deletion.
func (p *DeletePlan) Against() (reasons []string) {
	for i := range p.Partitions {
		for _, why := range p.Partitions[i].Against {
			reasons = append(reasons, fmt.Sprintf("partition %d %s", p.Partitions[i].Partition, why))
		}
	}
	for _, d := range p.Dead {
		reasons = append(reasons, fmt.Sprintf("group %s has %s of partition %d", d.Group, segment.Plural(d.Records, "dead letter"), d.Partition))
	}
	for _, path := range p.Unknown {
		reasons = append(reasons, path+" is no file of a topic")
	}
	return reasons
}

// Lost adds up what goes.
func (p *DeletePlan) Lost() (records uint64, bytes int64) {
	for i := range p.Partitions {
		records += p.Partitions[i].Records
		bytes += p.Partitions[i].Bytes
	}
	return records, bytes
}

// RefusedError says that the rules forbid a deletion; the plan has the reasons.
type RefusedError struct {
	Path string
	Plan DeletePlan
}

// Error implements error.
func (e *RefusedError) Error() string {
	return fmt.Sprintf("%s: not deleted: %s", e.Path, strings.Join(e.Plan.Against(), "; "))
}

// PlanDelete says what [Delete] would do, and what speaks against it. It takes
// no lock and changes nothing.
func PlanDelete(dir string, what Deletion, opts *Options) (DeletePlan, error) {
	o := opts.withDefaults()
	m, err := ReadMeta(o.fs(), dir)
	if err != nil {
		return DeletePlan{}, err
	}
	d := deletion{o: &o, dir: dir, what: what, meta: m}
	if d.place, err = offsets.Locate(o.fs(), dir); err != nil {
		return DeletePlan{}, err
	}
	return d.plan()
}

// deletion is one deletion.
type deletion struct {
	o     *Options
	dir   string
	what  Deletion
	meta  Meta
	place offsets.Place
}

// numbers are the partitions that go.
func (d *deletion) numbers() ([]int, error) {
	if d.what.Partitions == nil {
		return d.meta.All(), nil
	}
	list := slices.Compact(slices.Sorted(slices.Values(d.what.Partitions)))
	for _, i := range list {
		if err := d.meta.need(d.dir, i); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func (d *deletion) plan() (DeletePlan, error) {
	plan := DeletePlan{Topic: d.meta.Name, Whole: d.what.Partitions == nil, Partitions: []DeletedPart{}}
	list, err := d.numbers()
	if err != nil {
		return plan, err
	}
	for _, i := range list {
		part, err := d.part(i)
		if err != nil {
			return plan, err
		}
		plan.Partitions = append(plan.Partitions, part)
		if plan.Whole {
			continue // strangers has looked there
		}
		strange, err := strangersIn(d.o.fs(), PartitionPath(d.dir, i))
		if err != nil {
			return plan, err
		}
		plan.Unknown = append(plan.Unknown, strange...)
	}
	if !plan.Whole {
		return plan, nil
	}
	if plan.Unknown, err = strangers(d.o.fs(), d.dir, &d.meta); err != nil {
		return plan, err
	}
	plan.Dead, err = d.dead()
	return plan, err
}

// part looks at one partition. What cannot be found out speaks against its
// deletion; only what the system refuses is an error.
func (d *deletion) part(i int) (DeletedPart, error) {
	part := DeletedPart{Partition: i}
	against := func(format string, args ...any) { part.Against = append(part.Against, fmt.Sprintf(format, args...)) }
	if !slices.Contains(d.meta.Hidden.Producers, i) {
		against("is not hidden from producers")
	}
	if !slices.Contains(d.meta.Hidden.Consumers, i) {
		against("is not hidden from consumers")
	}
	lines, err := d.measure(&part)
	if err != nil {
		if !fileTrouble(err) {
			return part, err
		}
		against("cannot be read: %v", err)
	}
	if lines > 0 {
		against("has %s behind its index, which nobody has read", segment.Plural(lines, "line"))
	}
	holds, err := offsets.Peek(d.o.fs(), d.place, i)
	if err != nil {
		if !errors.Is(err, offsets.ErrDamaged) && !errors.Is(err, offsets.ErrNewerFormat) {
			return part, err
		}
		against("may not have been consumed: %v", err)
	}
	for _, h := range holds {
		if h.Next < part.Next {
			against("was not consumed by group %s, which is at offset %d of %d", h.Group, h.Next, part.Next)
		}
	}
	return part, nil
}

// fileTrouble reports whether an error is about the files of the partition:
// damage, or that they are away.
func fileTrouble(err error) bool {
	_, corrupt := errors.AsType[*partition.CorruptError](err)
	_, away := errors.AsType[*partition.SegmentAwayError](err)
	return corrupt || away || errors.Is(err, fs.ErrNotExist) || errors.Is(err, partition.ErrNewerFormat)
}

// measure finds what a partition holds, and how many whole lines lie behind
// its index.
func (d *deletion) measure(part *DeletedPart) (lines uint64, err error) {
	path := PartitionPath(d.dir, part.Partition)
	names, err := d.o.fs().List(path)
	if err != nil {
		return 0, err
	}
	for _, name := range names {
		info, err := d.o.fs().Lstat(filepath.Join(path, name))
		if err == nil {
			part.Bytes += info.Size
		} else if !errors.Is(err, fs.ErrNotExist) {
			return 0, err
		}
	}
	p, err := partition.OpenReader(path, &d.o.Partition)
	if err != nil {
		return 0, err
	}
	defer p.Close() // it was only read
	if part.Start, part.Next, err = p.Log().Bounds(context.Background()); err != nil {
		return 0, err
	}
	part.Records = part.Next - part.Start
	lines, _, err = p.Log().Behind()
	return lines, err
}

// dead finds the dead letters that go with the topic.
func (d *deletion) dead() (found []DeletedDead, err error) {
	groups, err := d.list(d.place.Dead)
	for _, group := range groups {
		var numbers []string
		if numbers, err = d.list(filepath.Join(d.place.Dead, group)); err != nil {
			return nil, err
		}
		for _, name := range numbers {
			n, ok := offsets.ParsePartition(name)
			if !ok {
				continue
			}
			records, err := d.count(d.place.DeadDir(group, n))
			if err != nil {
				return nil, err
			}
			if records > 0 {
				found = append(found, DeletedDead{group, n, records})
			}
		}
	}
	return found, err
}

// list is the names in a directory that may not be there.
func (d *deletion) list(dir string) ([]string, error) {
	names, err := d.o.fs().List(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return names, err
}

// count is how many records a partition holds.
func (d *deletion) count(path string) (uint64, error) {
	p, err := partition.OpenReader(path, &d.o.Partition)
	if err != nil {
		return 0, err
	}
	defer p.Close() // it was only read
	start, next, err := p.Log().Bounds(context.Background())
	return next - start, err
}
