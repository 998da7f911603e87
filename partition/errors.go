package partition

import (
	"errors"

	"example.com/jlq/internal/jsonl"
	"example.com/jlq/internal/segment"
	"example.com/jlq/internal/vfs"
	"example.com/jlq/writer"
)

// Errors that a caller tells apart by which they are.
var (
	// ErrLocked: another writer has the log. A [*LockedError] says who.
	ErrLocked = vfs.ErrLocked
	// ErrPoisoned: this writer may not append any more; open the log again.
	ErrPoisoned = writer.ErrPoisoned
	// ErrReadOnly: the log was opened for reading.
	ErrReadOnly = errors.New("opened for reading only")
	// ErrTooLarge: a record is larger than Options.MaxRecordBytes.
	ErrTooLarge = jsonl.ErrTooLarge
	// ErrNewline: a record holds a newline.
	ErrNewline = jsonl.ErrNewline
	// ErrIndexMismatch: the index does not describe the records beside it.
	ErrIndexMismatch = segment.ErrIndexMismatch
	// ErrReplaced: another program replaced a file that is being written.
	ErrReplaced = segment.ErrReplaced
	// ErrForeignWrite: another program wrote to a file that is being written.
	ErrForeignWrite = segment.ErrForeignWrite
	// ErrNewerFormat: a later version of jlq wrote the files.
	ErrNewerFormat = segment.ErrNewerFormat
	// ErrTopic: the path is a topic, not a partition.
	ErrTopic = segment.ErrTopic
	// ErrNotLog: the path is not a log and must not become one.
	ErrNotLog = segment.ErrNotLog
	// ErrNetwork: the log lies on a network file system.
	ErrNetwork = errors.New("on a network file system, where locks and fsync may not hold what they promise")
)

// Errors that carry numbers.
type (
	// CorruptError says where bytes are not what was promised: Path, Offset and
	// Records, Position and End in the file, and Err, what is wrong.
	CorruptError = segment.CorruptError
	// RangeError says that an Offset is not there, and what is: [Start, Next).
	RangeError = segment.RangeError
	// SegmentAwayError says that a segment is missing: its Path and Base.
	SegmentAwayError = segment.SegmentAwayError
	// BatchError says how much of an append is stored.
	BatchError = writer.BatchError
	// RecordError says which record of a batch was refused.
	RecordError = writer.RecordError
	// LineError says which line of a stream was refused: Line, from 1, its Data and
	// Err.
	LineError = writer.LineError
	// ConflictError says that AppendAt met another next offset.
	ConflictError = writer.ConflictError
	// SyntaxError says where a record is not JSON.
	SyntaxError = jsonl.SyntaxError
	// LockedError says who holds the lock: the Path, and the PID where it is
	// known.
	LockedError = vfs.LockedError
)
