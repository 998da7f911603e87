package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"

	"example.com/jlq/partition"
	"example.com/jlq/topic"
)

// runTopic is append to a topic.
func (c *appendCommand) runTopic(ctx context.Context, path string, files []string, opts *partition.Options) error {
	if c.expect != "" {
		return &usageError{err: fmt.Errorf("append: --expect-offset: %s is a topic, where each partition has offsets of its own", path), hint: "append to one of its partitions: " + topic.PartitionPath(path, 0)}
	}
	t, err := topic.Open(path, &topic.Options{Partition: *opts})
	if err != nil {
		return c.taken(damaged(path, topicError(path, err)))
	}
	s := c.newStore(path, opts)
	s.topic = &topicSink{t: t, field: string(c.key), counts: map[int]uint64{}}
	m := t.Meta()
	for _, i := range m.Produced() {
		p, err := t.Partition(i)
		if err != nil {
			return errors.Join(err, t.Close())
		}
		s.logs = append(s.logs, p)
	}
	return s.all(ctx, c, files)
}

// topicSink stores records in the partitions of a topic.
type topicSink struct {
	t       *topic.Topic
	field   string // that makes the key; "" for none
	batch   []topic.Keyed
	counts  map[int]uint64 // stored, by partition
	keyless uint64         // records without the field
}

// append stores records that are good as far as is known, and returns how
// many of them are stored: on an error not always those in front.
func (k *topicSink) append(s *store, items []item) (int, error) {
	k.batch = k.batch[:0]
	keyless := uint64(0)
	for _, it := range items {
		one := topic.Keyed{Data: it.data}
		if k.field != "" {
			var ok bool
			if one.Key, ok = topic.FieldKey(it.data, k.field); !ok {
				keyless++
			}
		}
		k.batch = append(k.batch, one)
	}
	ids, err := k.t.AppendBatch(k.batch)
	unknown := false
	if part, ok := errors.AsType[*topic.BatchError](err); ok {
		ids, unknown, err = part.IDs, part.Unknown, part.Err
	}
	if unknown {
		err = fmt.Errorf("%w; whether more is stored will be known when the topic is opened again", err)
	}
	stored := 0
	for _, id := range ids {
		if id != (topic.ID{}) {
			k.counts[id.Partition]++
			stored++
		}
	}
	if err == nil {
		k.keyless += keyless
	}
	if ackErr := k.acknowledge(s, ids); err == nil {
		err = ackErr
	}
	return stored, err
}

// acknowledge prints the ids of what is stored.
func (k *topicSink) acknowledge(s *store, ids []topic.ID) error {
	if !s.ack || len(ids) == 0 {
		return nil
	}
	var line []byte
	for _, id := range ids {
		if id == (topic.ID{}) {
			continue
		}
		line = id.Append(line[:0])
		if err := s.app.out.WriteLine(line, "\n"); err != nil {
			return err
		}
	}
	return s.app.out.Flush()
}

// tell says what is stored where.
func (k *topicSink) tell(s *store) {
	s.app.report("%s: %s stored%s", s.path, recordsText(s.stored), k.spread())
	if k.keyless > 0 {
		s.app.report("%s: %s without %s went to the partitions in turn", s.path, recordsText(k.keyless), k.field)
	}
}

// listedPartitions is how many partitions are told of one by one.
const listedPartitions = 16

// spread is how what is stored lies in the partitions.
func (k *topicSink) spread() (text string) {
	used := slices.Sorted(maps.Keys(k.counts))
	if len(used) > listedPartitions {
		counts := slices.Collect(maps.Values(k.counts))
		return fmt.Sprintf(" in %d partitions, %d to %d in each", len(used), slices.Min(counts), slices.Max(counts))
	}
	for _, i := range used {
		text += fmt.Sprintf(", %d in partition %d", k.counts[i], i)
	}
	return text
}

// refuseOwn keeps a log from being fed to itself, which would not end, and bad
// lines from being appended to it.
func (s *store) refuseOwn(name string, f *os.File) error {
	for _, p := range s.logs {
		if err := refuseOwn(p, name, f); err != nil {
			return err
		}
	}
	return nil
}

// close makes what is stored durable.
func (s *store) close() error {
	if s.topic != nil {
		return s.topic.t.Close()
	}
	return s.p.Close()
}
