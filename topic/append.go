package topic

import (
	"bytes"
	"errors"
	"io/fs"
	"math"
	"strings"

	"example.com/jlq/internal/jsonl"
	"example.com/jlq/partition"
)

// Append stores one record in the partition that its key belongs to and
// returns its ID. A nil key is none: such records go to one partition after the
// other, first to the one that has the fewest. An empty key is a key. record is
// as for [partition.Partition.Append]; neither is kept.
//
// A key belongs to the partition [PartitionOf](key, Meta.Partitions). While
// that one is hidden from producers, or deleted, its keys are spread over the
// others; keys of visible partitions stay where they are.
func (t *Topic) Append(key, record []byte) (ID, error) {
	for {
		v := t.now.Load()
		if err := t.takes(v); err != nil {
			return ID{}, err
		}
		i := t.place(v, key)
		offset, err := t.appendTo(i, record)
		if err == nil {
			return ID{v.meta.Name, i, offset}, nil
		}
		if again, err := t.failed(v, i, err); !again {
			return ID{}, err
		}
	}
}

func (t *Topic) appendTo(i int, record []byte) (offset uint64, err error) {
	defer t.using(i)()
	p, err := t.writer(i)
	if err != nil {
		return 0, err
	}
	return p.Append(record)
}

// AppendValue encodes v as one line of JSON and stores it as [Topic.Append]
// does.
func (t *Topic) AppendValue(key []byte, v any) (ID, error) {
	data, err := jsonl.Marshal(v)
	if err != nil {
		return ID{}, err
	}
	return t.Append(key, data)
}

// takes returns nil where there is a partition to append to.
func (t *Topic) takes(v *view) error {
	switch {
	case v.gone != nil:
		return v.gone
	case !t.writes:
		return partition.ErrReadOnly
	case len(v.targets) == 0:
		return &fs.PathError{Op: "append", Path: t.dir, Err: ErrNoPartition}
	}
	return nil
}

// place chooses the partition for a key.
func (t *Topic) place(v *view, key []byte) int {
	if key != nil {
		return place(key, v.meta.Partitions, v.visible, v.targets)
	}
	turn := t.turn.Add(1) - 1
	return v.targets[turn%uint64(len(v.targets))]
}

// failed decides what an error of partition i comes to. A partition that was
// closed stored nothing: where that is because topic.json has changed, the
// record is placed again.
func (t *Topic) failed(v *view, i int, err error) (again bool, _ error) {
	_ = t.Refresh() // what it finds, the next look at the view finds too
	now := t.now.Load()
	if now.gone != nil {
		return false, now.gone
	}
	if partition, ok := errors.AsType[*PartitionError](err); ok {
		return now != v, partition
	}
	moved := !now.meta.Has(i) || !now.visible[i]
	if moved && errors.Is(err, fs.ErrClosed) {
		return true, nil
	}
	if !now.meta.Has(i) {
		return false, errors.Join(now.meta.need(t.dir, i), err)
	}
	return false, err
}

// shortest says whose turn it is first: that of the partition with the lowest
// next offset, so that processes which append one record each do not fill one
// partition only.
func (t *Topic) shortest() uint64 {
	turn, least := 0, uint64(math.MaxUint64)
	v := t.now.Load()
	for k, i := range v.targets {
		if _, next := v.parts[i].Bounds(); next < least {
			turn, least = k, next
		}
	}
	return uint64(turn)
}

// FieldKey is the key that a field of a record makes: the text of a string,
// else the bytes of the JSON value as they stand there. Dots lead to nested
// fields where there is none of the whole name. ok is false where the field is
// missing or null; such a record has no key.
func FieldKey(record []byte, field string) (key []byte, ok bool) {
	raw, ok := fieldAt(record, field)
	if !ok || bytes.Equal(raw, []byte("null")) {
		return nil, false
	}
	if raw[0] != '"' {
		return raw, true
	}
	var text string
	if jsonl.Unmarshal(raw, &text) != nil {
		return nil, false
	}
	return append([]byte{}, text...), true
}

// fieldAt finds a field as [partition.Partition.OffsetAt] does.
func fieldAt(record []byte, field string) (raw []byte, ok bool) {
	raw, ok = jsonl.Field(record, field)
	if !ok && strings.Contains(field, ".") {
		raw, ok = jsonl.Field(record, strings.Split(field, ".")...)
	}
	return raw, ok
}
