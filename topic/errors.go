package topic

import (
	"errors"
	"fmt"
	"io/fs"

	"example.com/jlq/internal/segment"
)

var (
	// ErrNotTopic: the directory has no topic.json.
	ErrNotTopic = errors.New("not a topic: it has no topic.json")
	// ErrExists: there is a topic already.
	ErrExists = errors.New("is a topic already")
	// ErrNewerFormat: a later version of jlq wrote topic.json.
	ErrNewerFormat = segment.ErrNewerFormat
	// ErrNoPartition: a topic has, or shows producers, no partition at all.
	ErrNoPartition = errors.New("no partition takes records: all are hidden from producers or deleted")
)

// PartitionError says that a topic does not have a partition: it never had,
// or the partition was Deleted.
type PartitionError struct {
	Path      string // of the topic
	Partition int
	Count     int  // how many the topic ever had
	Deleted   bool // the number was one once; it is never used again
}

// Error implements error.
func (e *PartitionError) Error() string {
	if e.Deleted {
		return fmt.Sprintf("%s: partition %d was deleted", e.Path, e.Partition)
	}
	return fmt.Sprintf("%s: there is no partition %d: the topic has %s, from 0", e.Path, e.Partition, segment.Plural(uint64(e.Count), "partition"))
}

// Is reports whether target is [fs.ErrNotExist].
func (e *PartitionError) Is(target error) bool { return target == fs.ErrNotExist }

// corrupt is an error about topic.json as a whole.
func corrupt(path string, err error) error {
	return &segment.CorruptError{Path: path, Offset: segment.UnknownOffset, Err: err}
}

// GoneError says that a topic which is open was deleted, or its directory
// moved.
type GoneError struct {
	Path string
	Err  error
}

// Error implements error.
func (e *GoneError) Error() string {
	return fmt.Sprintf("%s: the topic was deleted or moved: %v", e.Path, e.Err)
}

// Unwrap returns what looking for it brought.
func (e *GoneError) Unwrap() error { return e.Err }

// CrowdedError says that a process may not have as many files open as it takes to
// append to all partitions of a topic.
type CrowdedError struct {
	Path       string
	Partitions int // that producers see
	Opened     int // of them, before there were no more handles
	Files      int // that the process may have open; 0 where that is not known
	Err        error
}

// Error implements error.
func (e *CrowdedError) Error() string {
	return fmt.Sprintf("%s: %d of %d partitions could be opened for appending: %v; this process may have %d files open: allow more (ulimit -n), or share the topic (--shared), which opens few at a time",
		e.Path, e.Opened, e.Partitions, e.Err, e.Files)
}

// Unwrap returns Err.
func (e *CrowdedError) Unwrap() error { return e.Err }
