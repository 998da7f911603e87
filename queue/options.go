package queue

import (
	"fmt"
	"io/fs"

	"example.com/jlq/group"
	"example.com/jlq/partition"
)

// DefaultGroup is the consumer group of a queue where Options name none.
const DefaultGroup = "queue"

// DefaultSegmentBytes is the size of the segments of a queue with DropConsumed
// where Options.Log sets no limit of its own.
const DefaultSegmentBytes = 16 << 20

// Options configure a queue. nil means &Options[T]{}, whose every zero value is
// the safest choice. Open copies them.
type Options[T any] struct {
	// Codec turns values into records; nil means JSON[T]().
	Codec Codec[T]

	// Group is the consumer group whose place is that of the queue; "" means
	// DefaultGroup. Queues of different groups on one log each get every value.
	Group string

	// Log says how values are stored: how durably, in segments of what size,
	// how large the largest is.
	Log partition.Options

	// Delivery says how values are consumed: how often one is tried, how long
	// it waits in between, how many are in flight at once, how often what was
	// answered is committed. Decode, AutoAck and what is for group.Member.Handle
	// have no effect; FS, Logger and Mode are those of Log where they are not set.
	Delivery group.Options

	// DropConsumed removes segments once the group has consumed them. Without
	// it the log keeps everything, to be read again. A bare file has no
	// segments and is refused with it.
	DropConsumed bool

	// ConsumeOnly opens an existing queue for consuming: another process may
	// have it open to enqueue, and Enqueue is refused with
	// partition.ErrReadOnly.
	ConsumeOnly bool
}

// withDefaults returns a copy in which everything is said.
func (o *Options[T]) withDefaults() (out Options[T], err error) {
	if o != nil {
		out = *o
	}
	if out.Codec == nil {
		out.Codec = JSON[T]()
	}
	if out.Group == "" {
		out.Group = DefaultGroup
	}
	if out.ConsumeOnly && out.DropConsumed {
		return out, fmt.Errorf("%w: DropConsumed is for a process that opens the queue to enqueue", fs.ErrInvalid)
	}
	out.Delivery.Decode, out.Delivery.AutoAck = nil, false
	if out.Delivery.FS == nil {
		out.Delivery.FS = out.Log.FS
	}
	if out.Delivery.Logger == nil {
		out.Delivery.Logger = out.Log.Logger
	}
	if out.Delivery.Mode == 0 {
		out.Delivery.Mode = out.Log.Mode
	}
	if out.DropConsumed {
		dropConsumed(&out.Log)
	}
	return out, nil
}

// dropConsumed has every sealed segment go that no group needs.
func dropConsumed(log *partition.Options) {
	if log.SegmentBytes == 0 && log.SegmentRecords == 0 && log.SegmentAge == 0 {
		log.SegmentBytes = DefaultSegmentBytes
	}
	if log.Retention.MaxSegments == 0 {
		log.Retention.MaxSegments = 1
	}
}
