package segment

import (
	"errors"
	"fmt"
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

	// ErrReplaced: the name of a file that is being written denotes another
	// file now, because another program replaced, renamed or removed it.
	ErrReplaced = errors.New("file was replaced by another program")

	// ErrForeignWrite: another program changed the size of a file that is
	// being written.
	ErrForeignWrite = errors.New("file was written to by another program")
)

// CorruptError says that bytes which the log vouched for are not what they
// were, and where.
type CorruptError struct {
	Path     string // the file
	Offset   uint64 // the first record concerned
	Position int64  // where in the file it begins
	End      int64  // where it ends; 0 where that is not known
	Err      error  // what is wrong
}

// Error implements error.
func (e *CorruptError) Error() string {
	if e.End > e.Position {
		return fmt.Sprintf("%s: corrupt at offset %d, bytes %d to %d: %v", e.Path, e.Offset, e.Position, e.End, e.Err)
	}
	return fmt.Sprintf("%s: corrupt at offset %d, position %d: %v", e.Path, e.Offset, e.Position, e.Err)
}

// Unwrap returns what is wrong.
func (e *CorruptError) Unwrap() error { return e.Err }

// RangeError says that an offset is not there, and what is.
type RangeError struct {
	Offset uint64 // the one asked for
	Start  uint64 // the first that is kept
	Next   uint64 // the one that the next append gets
}

// Error implements error.
func (e *RangeError) Error() string {
	switch {
	case e.Start == e.Next:
		return fmt.Sprintf("offset %d is not there: the log is empty, the next offset is %d", e.Offset, e.Next)
	case e.Offset < e.Start:
		return fmt.Sprintf("offset %d is gone, and %d records with it: the log holds %d to %d", e.Offset, e.Start-e.Offset, e.Start, e.Next-1)
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
