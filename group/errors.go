package group

import (
	"errors"
	"fmt"
	"syscall"

	"example.com/jlq/internal/offsets"
	"example.com/jlq/internal/segment"
	"example.com/jlq/partition"
)

// RangeError says that an offset is not there, and what is.
type RangeError = partition.RangeError

// ErrLogTruncated is matched by every [*TruncatedError].
var ErrLogTruncated = errors.New("the log is not the one that was consumed")

// ErrFenced: another member, or a reset, has taken the partition since; what
// this member finished meanwhile is not committed.
var ErrFenced = offsets.ErrFenced

// ErrNotRegistered: the group is not in the offsets file.
var ErrNotRegistered = errors.New("no such group")

// TruncatedError says that what a group had consumed of a partition is not
// what the log holds now: the log was cut, emptied or written anew. The other
// partitions go on. To go on with this one, say where: jlq group reset.
type TruncatedError struct {
	Group     string
	Path      string // of the partition
	Partition int
	Committed uint64 // the next record of the group
	Next      uint64 // the next record of the log
}

// Error implements error.
func (e *TruncatedError) Error() string {
	what := fmt.Sprintf("record %d is another one than the group consumed", e.Committed-1)
	if e.Committed > e.Next {
		what = fmt.Sprintf("the log ends at %d", e.Next)
	}
	return fmt.Sprintf("%s: group %s has committed offset %d, but %s: the log was cut or written anew; set where to go on: jlq group reset %s %s OFFSET",
		e.Path, e.Group, e.Committed, what, e.Path, e.Group)
}

// Is reports whether target is [ErrLogTruncated].
func (e *TruncatedError) Is(target error) bool { return target == ErrLogTruncated }

// LostError says that records were dropped from a partition, by a limit or by
// hand, before the group had consumed them. Messages tells of it once and
// goes on at To.
type LostError struct {
	Group     string
	Path      string // of the partition
	Partition int
	From, To  uint64 // records [From, To) are gone
}

// Error implements error.
func (e *LostError) Error() string {
	return fmt.Sprintf("%s: %s from offset %d on were dropped before group %s consumed them; going on at %d",
		e.Path, segment.Plural(e.To-e.From, "record"), e.From, e.Group, e.To)
}

// HeldError says that another member has a partition, or that a group has
// members.
type HeldError struct {
	Group     string
	Partition int        // -1 where it is about no partition
	Holder    MemberInfo // what is known of it; PID is 0 where nothing is
}

// Error implements error.
func (e *HeldError) Error() string {
	if e.Partition < 0 {
		return fmt.Sprintf("group %s: is consumed by %s", e.Group, e.Holder)
	}
	return fmt.Sprintf("group %s: partition %d is held by %s", e.Group, e.Partition, e.Holder)
}

// Is reports whether target is [partition.ErrLocked].
func (e *HeldError) Is(target error) bool { return target == partition.ErrLocked }

// SaveError says that the place of a group cannot be kept, where, and why.
type SaveError struct {
	Group string
	Path  string // the offsets file
	Err   error
}

// Error implements error.
func (e *SaveError) Error() string {
	return fmt.Sprintf("group %s: its offsets cannot be saved in %s: %v", e.Group, e.Path, e.Err)
}

// Unwrap returns Err.
func (e *SaveError) Unwrap() error { return e.Err }

// CrowdedError says that a member takes no more partitions, because each takes an
// open file and the system allows the process only so many. Those that are left
// wait for another member.
type CrowdedError struct {
	Group string
	Held  int // partitions that the member has
	Left  int // that it would take
	Files int // that the process may have open
}

// Error implements error.
func (e *CrowdedError) Error() string {
	return fmt.Sprintf("group %s: this member has %s and leaves %d to others, because its process may have %d files open: allow more (ulimit -n), or start more members",
		e.Group, segment.Plural(uint64(e.Held), "partition"), e.Left, e.Files)
}

// Is reports whether target is [syscall.EMFILE].
func (e *CrowdedError) Is(target error) bool { return target == syscall.EMFILE }

// PartitionError is an error of one partition; the others go on.
type PartitionError struct {
	Partition int
	Err       error
}

// Error implements error.
func (e *PartitionError) Error() string { return fmt.Sprintf("partition %d: %v", e.Partition, e.Err) }

// Unwrap returns Err.
func (e *PartitionError) Unwrap() error { return e.Err }
