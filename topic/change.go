package topic

import (
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"slices"
)

// Audience is who sees a partition.
type Audience int

// The audiences. Hide and Unhide take several, joined by |.
const (
	Producers Audience = 1 << iota // who appends: Append and AppendBatch
	Consumers                      // who reads all of a topic: groups, merged reading
)

func (m *Meta) equal(o *Meta) bool { return reflect.DeepEqual(m.clone(), o.clone()) }

// AddPartitions makes n more partitions and returns what the topic is then.
// Keys change their partition with the number of partitions: a key's records
// lie in the old one up to here and in the new one from here on.
//
// A crash before topic.json is replaced leaves empty partitions, which the next
// call uses.
func AddPartitions(dir string, n int, opts *Options) (Meta, error) {
	o := opts.withDefaults()
	return change(dir, &o, func(m *Meta) error {
		if n < 1 || n > MaxPartitions-m.Partitions {
			return &fs.PathError{Op: "add partitions", Path: dir, Err: fmt.Errorf("%d more to %d: want at least 1, and at most %d in all", n, m.Partitions, MaxPartitions)}
		}
		info, err := o.fs().Stat(dir)
		if err != nil {
			return err
		}
		from := m.Partitions
		m.Partitions += n
		for i := from; i < m.Partitions; i++ {
			if err := refuseStranger(&o, dir, i); err != nil {
				return err
			}
		}
		return makePartitions(&o, dir, from, m.Partitions, info.Mode.Perm())
	})
}

// refuseStranger refuses a directory with files that has the name of a new
// partition: nobody knows whose they are.
func refuseStranger(o *Options, dir string, i int) error {
	path := PartitionPath(dir, i)
	ok, err := blank(o.fs(), path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && !ok {
		err = &fs.PathError{Op: "add partition", Path: path, Err: ErrNotEmpty}
	}
	return err
}

// Hide hides a partition: from producers, who append to others then, or from
// consumers. Processes that have the topic open notice it within Options.Reload.
func Hide(dir string, partition int, from Audience, opts *Options) (Meta, error) {
	return setHidden(dir, partition, from, opts, func(list []int) []int {
		i, found := slices.BinarySearch(list, partition)
		if found {
			return list
		}
		return slices.Insert(list, i, partition)
	})
}

// Unhide is the inverse of [Hide].
func Unhide(dir string, partition int, from Audience, opts *Options) (Meta, error) {
	return setHidden(dir, partition, from, opts, func(list []int) []int {
		return slices.DeleteFunc(list, func(n int) bool { return n == partition })
	})
}

func setHidden(dir string, partition int, from Audience, opts *Options, set func([]int) []int) (Meta, error) {
	o := opts.withDefaults()
	return change(dir, &o, func(m *Meta) error {
		if err := m.need(dir, partition); err != nil {
			return err
		}
		if from&Producers != 0 {
			m.Hidden.Producers = set(m.Hidden.Producers)
		}
		if from&Consumers != 0 {
			m.Hidden.Consumers = set(m.Hidden.Consumers)
		}
		return nil
	})
}
