package topic

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"

	"example.com/jlq/internal/segment"
	"example.com/jlq/internal/vfs"
)

const (
	// Format is the version of topic.json that this package writes.
	Format = 1

	// MaxPartitions is how many partitions a topic can ever have.
	MaxPartitions = 10_000

	maxMetaBytes = 1 << 20
)

// Meta is the content of topic.json. On disk it is one line of JSON:
//
//	{"format":1,"name":"orders","partitions":4}
//
// A topic of which partitions are hidden or deleted says so behind that:
//
//	{…,"hidden":{"producers":[2],"consumers":[2]},"deleted":[0]}
//
// It changes only under the lock of topic.json.lock and only by replacement, so
// a reader sees the old or the new one, whole.
type Meta struct {
	Format int    `json:"format"`
	Name   string `json:"name"`

	// Partitions is how many partitions there ever were: their numbers are 0
	// to Partitions−1. It never becomes less, so that the number of a deleted
	// one is not used again.
	Partitions int `json:"partitions"`

	Hidden  Hidden `json:"hidden,omitzero"`
	Deleted []int  `json:"deleted,omitempty"` // ascending
}

// Hidden says from whom partitions are hidden, by their numbers in ascending
// order.
type Hidden struct {
	Producers []int `json:"producers,omitempty"`
	Consumers []int `json:"consumers,omitempty"`
}

// IsZero reports whether nothing is hidden.
func (h Hidden) IsZero() bool { return len(h.Producers)+len(h.Consumers) == 0 }

// Has reports whether partition i is there.
func (m *Meta) Has(i int) bool {
	return i >= 0 && i < m.Partitions && !slices.Contains(m.Deleted, i)
}

// All are the numbers of the partitions that are there.
func (m *Meta) All() []int { return m.without(nil) }

// Produced are those of the partitions that producers see.
func (m *Meta) Produced() []int { return m.without(m.Hidden.Producers) }

// Consumed are those of the partitions that consumers see.
func (m *Meta) Consumed() []int { return m.without(m.Hidden.Consumers) }

func (m *Meta) without(hidden []int) []int {
	out := make([]int, 0, m.Partitions)
	for i := range m.Partitions {
		if m.Has(i) && !slices.Contains(hidden, i) {
			out = append(out, i)
		}
	}
	return out
}

// need returns nil where partition i is there.
func (m *Meta) need(dir string, i int) error {
	if m.Has(i) {
		return nil
	}
	return &PartitionError{Path: dir, Partition: i, Count: m.Partitions, Deleted: i >= 0 && i < m.Partitions}
}

// clone shares nothing with m.
func (m *Meta) clone() Meta {
	c := *m
	c.Hidden.Producers = slices.Clone(m.Hidden.Producers)
	c.Hidden.Consumers = slices.Clone(m.Hidden.Consumers)
	c.Deleted = slices.Clone(m.Deleted)
	return c
}

// PartitionPath is the directory of partition i of the topic in dir.
func PartitionPath(dir string, i int) string { return filepath.Join(dir, strconv.Itoa(i)) }

// ReadMeta reads the topic.json of dir. Where there is none, the error matches
// [ErrNotTopic]; one that does not parse is a [*partition.CorruptError], and a
// newer format matches [ErrNewerFormat].
func ReadMeta(fsys vfs.FS, dir string) (Meta, error) {
	path := filepath.Join(dir, segment.TopicName)
	data, err := vfs.ReadFile(fsys, path, maxMetaBytes)
	if err != nil {
		return Meta{}, readError(fsys, dir, path, err)
	}
	m, err := parseMeta(data)
	if errors.Is(err, ErrNewerFormat) {
		return Meta{}, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	if err != nil {
		return Meta{}, corrupt(path, err)
	}
	return m, nil
}

// readError tells a directory that is no topic from one that lost its
// topic.json, and from none at all.
func readError(fsys vfs.FS, dir, path string, err error) error {
	if errors.Is(err, vfs.ErrTooLarge) {
		return corrupt(path, err)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if _, err := fsys.Stat(dir); err != nil {
		return err
	}
	if _, err := fsys.Stat(filepath.Join(dir, segment.TopicLock)); err == nil {
		return corrupt(path, segment.ErrTopicLost)
	}
	return &fs.PathError{Op: "open", Path: dir, Err: ErrNotTopic}
}

func parseMeta(data []byte) (Meta, error) {
	var m Meta
	if err := segment.CheckFormat(data, Format); err != nil {
		return m, err
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return m, err
	}
	return m, m.check()
}

// check holds what topic.json says against what it can say: a name that is
// none, or a number beyond the partitions, would become part of a path.
func (m *Meta) check() error {
	if err := CheckName(m.Name); err != nil {
		return err
	}
	if m.Partitions < 1 || m.Partitions > MaxPartitions {
		return fmt.Errorf("%d partitions: want 1 to %d", m.Partitions, MaxPartitions)
	}
	for _, list := range [][]int{m.Hidden.Producers, m.Hidden.Consumers, m.Deleted} {
		for i, n := range list {
			if n < 0 || n >= m.Partitions || i > 0 && n <= list[i-1] {
				return fmt.Errorf("hidden or deleted %v: want numbers of its %d partitions, ascending", list, m.Partitions)
			}
		}
	}
	return nil
}

// writeMeta replaces the topic.json of dir durably. The caller holds the lock.
func writeMeta(fsys vfs.FS, dir string, m Meta, perm fs.FileMode) error {
	m.Format = Format
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	path := filepath.Join(dir, segment.TopicName)
	info, err := fsys.Lstat(path)
	switch {
	case err == nil && info.Mode.IsRegular():
		perm = info.Mode.Perm() // what an operator has set stays
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	return vfs.ReplaceFile(fsys, path, append(data, '\n'), perm)
}
