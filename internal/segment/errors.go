package segment

import (
	"errors"
	"fmt"
	"math"
)

var (
	// ErrIndexMismatch: the index does not describe the records file beside
	// it. It is found inside a [*CorruptError] that says where.
	ErrIndexMismatch = errors.New("index does not match the records")

	// ErrNewerFormat: the files were written by a later version of jlq.
	ErrNewerFormat = errors.New("written in a newer format than this version of jlq knows")

	// ErrNotLog: the path is neither a partition directory nor a file that
	// could be read as lines.
	ErrNotLog = errors.New("not a log")

	// ErrTopic: the path is a topic directory where a partition was wanted.
	ErrTopic = errors.New("a topic, not a partition; name one of its partition directories")

	// ErrTopicLost: what a topic leaves in its directory is there, but not
	// topic.json, which says what its partitions are.
	ErrTopicLost = errors.New("topic.json is missing: it was lost, or the topic was not made to the end (then make it again)")

	// ErrReplaced: the name of a file that is being written denotes another
	// file now, because another program replaced, renamed or removed it.
	ErrReplaced = errors.New("file was replaced by another program")

	// ErrForeignWrite: another program changed the size of a file that is
	// being written.
	ErrForeignWrite = errors.New("file was written to by another program")
)

// UnknownOffset stands for the offset of a record where it is not known.
const UnknownOffset = math.MaxUint64

// CorruptError says that bytes which the log vouched for are not what they
// were, and where.
type CorruptError struct {
	Path     string // the file
	Offset   uint64 // the first record concerned, or UnknownOffset
	Records  uint64 // how many are concerned; 0 where that is not known
	Position int64  // where in the file the first of them begins
	End      int64  // where the last of them ends; 0 where that is not known
	Err      error  // what is wrong
}

// Error implements error.
func (e *CorruptError) Error() string {
	return fmt.Sprintf("%s: corrupt at %s%s: %v", e.Path, e.offsets(), e.positions(), e.Err)
}

func (e *CorruptError) offsets() string {
	switch {
	case e.Offset == UnknownOffset:
		return ""
	case e.Records > 1:
		return fmt.Sprintf("offsets %d to %d (%d records), ", e.Offset, e.Offset+e.Records-1, e.Records)
	}
	return fmt.Sprintf("offset %d, ", e.Offset)
}

func (e *CorruptError) positions() string {
	if e.End > e.Position {
		return fmt.Sprintf("bytes %d to %d", e.Position, e.End)
	}
	return fmt.Sprintf("position %d", e.Position)
}

// Unwrap returns what is wrong.
func (e *CorruptError) Unwrap() error { return e.Err }

// RangeError says that an offset is not there, and what is.
type RangeError struct {
	Offset uint64 // the one asked for
	Start  uint64 // the first that is kept
	Next   uint64 // the one that the next append gets
}

// Gone is how many records are gone from Offset on, because retention has
// dropped them; 0 where the offset is not there yet.
func (e *RangeError) Gone() uint64 {
	if e.Offset >= e.Start {
		return 0
	}
	return e.Start - e.Offset
}

// Error implements error.
func (e *RangeError) Error() string {
	switch {
	case e.Start == e.Next && e.Gone() > 0:
		return fmt.Sprintf("offset %d is gone, %s dropped from there on: the log is empty, the next offset is %d", e.Offset, Plural(e.Gone(), "record"), e.Next)
	case e.Start == e.Next:
		return fmt.Sprintf("offset %d is not there: the log is empty, the next offset is %d", e.Offset, e.Next)
	case e.Gone() > 0:
		return fmt.Sprintf("offset %d is gone, %s dropped from there on: the log holds %d to %d", e.Offset, Plural(e.Gone(), "record"), e.Start, e.Next-1)
	default:
		return fmt.Sprintf("offset %d is not there yet: the log holds %d to %d", e.Offset, e.Start, e.Next-1)
	}
}

// SegmentAwayError says that a segment which the log should hold is missing:
// it was moved or lost, not dropped by retention.
type SegmentAwayError struct {
	Path string // the records file that is missing
	Base uint64 // its first offset
}

// Error implements error.
func (e *SegmentAwayError) Error() string {
	return fmt.Sprintf("%s: segment of offsets from %d is away (moved or lost); put its two files back", e.Path, e.Base)
}
