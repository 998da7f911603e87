package topic

import (
	"fmt"
	"strconv"
	"strings"

	"example.com/jlq/internal/offsets"
)

// ID names one record: orders-0@42 is the record at offset 42 of partition 0 of
// the topic orders, and 0@42 one of a log that is in no topic. The zero ID
// names none.
type ID struct {
	Topic     string
	Partition int
	Offset    uint64
}

// String is the ID as people write it; [ParseID] is its inverse.
func (id ID) String() string { return string(id.Append(nil)) }

// Append appends the ID to dst.
func (id ID) Append(dst []byte) []byte {
	if id.Topic != "" {
		dst = append(append(dst, id.Topic...), '-')
	}
	dst = append(strconv.AppendInt(dst, int64(id.Partition), 10), '@')
	return strconv.AppendUint(dst, id.Offset, 10)
}

// ParseID reads an ID. Numbers have no sign and no leading zeros, so that each
// record has one ID only.
func ParseID(text string) (ID, error) {
	key, digits, _ := strings.Cut(text, "@")
	id, err := ParseKey(key)
	if err == nil {
		id.Offset, err = parseOffset(digits)
	}
	if err != nil {
		return ID{}, fmt.Errorf("%q is no record id, such as orders-0@42", text)
	}
	return id, nil
}

// ParseKey reads the part of an ID before the @, which names a partition:
// orders-0, or 0 alone. A topic's name may hold hyphens itself: the last one
// counts.
func ParseKey(key string) (ID, error) {
	name, partition, err := offsets.ParseKey(key)
	if err == nil && partition >= MaxPartitions {
		err = fmt.Errorf("%q: a topic has at most %d partitions", key, MaxPartitions)
	}
	if err != nil {
		return ID{}, err
	}
	return ID{Topic: name, Partition: partition}, nil
}

// parseOffset reads digits, the canonical ones only.
func parseOffset(digits string) (uint64, error) {
	n, err := strconv.ParseUint(digits, 10, 64)
	if err == nil && strconv.FormatUint(n, 10) != digits {
		err = fmt.Errorf("%q is no number without sign and leading zeros", digits)
	}
	return n, err
}
