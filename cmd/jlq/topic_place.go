package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	groups "example.com/jlq/internal/offsets"
	"example.com/jlq/internal/segment"
	"example.com/jlq/internal/vfs"
	"example.com/jlq/topic"
)

// A LOG may be a topic. Commands that look at files do what they do with each
// of its partitions; those that print records merge them, in topic_read.go.
// A record id, which names a partition, makes a single log of it.

// within finds the log that a location is about: path itself, or the partition
// of the topic path that in names. whole says that it is all of a topic.
func within(path string, in *topic.ID) (log string, whole bool, err error) {
	isTopic := topic.IsTopic(path, nil)
	if in == nil {
		return path, isTopic, nil
	}
	place, err := groups.Locate(vfs.OS, path)
	if err != nil {
		return path, false, noLog(path, err)
	}
	if place.Topic != in.Topic || !isTopic && place.Partition != in.Partition {
		is := place.Key(max(place.Partition, 0))
		if isTopic {
			is = "topic " + place.Topic
		}
		return path, false, &usageError{err: fmt.Errorf("%s: is %s; the id names a record of %s", path, is, partitionKey(in))}
	}
	if !isTopic {
		return path, false, nil
	}
	m, err := topic.ReadMeta(vfs.OS, path)
	if err == nil && !m.Has(in.Partition) {
		err = missing("%s: %s is not there: the topic has partitions %v", path, partitionKey(in), m.All())
	}
	return topic.PartitionPath(path, in.Partition), false, err
}

// partitionKey names the partition of an id.
func partitionKey(in *topic.ID) string { return (groups.Place{Topic: in.Topic}).Key(in.Partition) }

// eachPartition does something with each partition of a topic, or with the one
// log that path is. One that fails is told, and the others are done all the
// same. anyIsEnough says that it is not a failure that there was nothing to do in
// some of them.
func (a *app) eachPartition(ctx context.Context, path string, anyIsEnough bool, do func(path string) error) error {
	if !topic.IsTopic(path, nil) {
		return do(path)
	}
	m, err := topic.ReadMeta(vfs.OS, path)
	if err != nil {
		return err
	}
	worst, some := exitOK, false
	for _, i := range m.All() {
		err := do(topic.PartitionPath(path, i))
		code := exitCode(err)
		switch {
		case ctx.Err() != nil || code >= exitSignal:
			return err
		case code == exitOK:
			some = true
		case code == exitMissing && anyIsEnough:
			a.complain(err)
			worst = max(worst, exitMissing)
			continue
		}
		a.complain(err)
		worst = max(worst, code)
	}
	if worst == exitOK || worst == exitMissing && some && anyIsEnough {
		return nil
	}
	return silent(worst)
}

// topicOffset refuses an offset that would be one of each partition.
func topicOffset(path string, o offsets) error {
	for _, b := range []bound{o.from, o.to} {
		if b.kind != atOffset {
			continue
		}
		name := "TOPIC"
		if m, err := topic.ReadMeta(vfs.OS, path); err == nil {
			name = m.Name
		}
		return &usageError{
			err:  fmt.Errorf("%s: is a topic, where offset %d is one of each partition", path, b.n),
			hint: fmt.Sprintf("name the partition, as in %s-0@%s", name, o.text),
		}
	}
	return nil
}

// noTopic refuses a topic where one log is wanted.
func noTopic(path, command string) error {
	if !topic.IsTopic(path, nil) {
		return nil
	}
	return &usageError{err: fmt.Errorf("%s: %s is a topic", command, path), hint: "name one of its partitions: " + topic.PartitionPath(path, 0)}
}

// hiddenText says from whom a partition is hidden.
func hiddenText(m *topic.Meta, i int) string {
	producers, consumers := slices.Contains(m.Hidden.Producers, i), slices.Contains(m.Hidden.Consumers, i)
	switch {
	case producers && consumers:
		return "from all"
	case producers:
		return "from producers"
	case consumers:
		return "from consumers"
	}
	return "no"
}

// topicError says of a path that there is nothing, rather than how that was
// found out.
func topicError(path string, err error) error {
	if errors.Is(err, topic.ErrNotTopic) {
		return &usageError{err: err, hint: "jlq topic create " + path + " makes one where there is nothing else"}
	}
	if e, ok := errors.AsType[*fs.PathError](err); ok && e.Path == path && errors.Is(err, fs.ErrNotExist) {
		err := &usageError{err: fmt.Errorf("%s: no such topic: %w", path, e.Err)}
		if near := nearLog(path); near != "" {
			err.hint = "did you mean " + near + "?"
		}
		return err
	}
	return err
}

// lostTopic says what to do about a topic.json that is lost or damaged, which
// nothing makes anew: the names of groups and of records go by it. It is empty
// where err says something else.
func lostTopic(err error) string {
	corrupt, ok := errors.AsType[*segment.CorruptError](err)
	if !ok || filepath.Base(corrupt.Path) != segment.TopicName {
		return ""
	}
	dir := filepath.Dir(corrupt.Path)
	return fmt.Sprintf(`put it back from a copy, or write it anew with the name and the number of partitions that it had: {"format":1,"name":%q,"partitions":N}; until then each partition is a log of its own, such as %s`,
		filepath.Base(dir), topic.PartitionPath(dir, 0))
}
