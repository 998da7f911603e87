package reader

import (
	"io/fs"
	"log/slog"
	"math"
	"time"

	"example.com/jlq/internal/jsonl"
	"example.com/jlq/internal/vfs"
)

const (
	// blockBytes is how much of a records file is read at once: enough that
	// the system call is a small part of the cost, little enough that the
	// block is still in the second-level cache when its records are used.
	blockBytes = 256 << 10

	// blockPosts is how many index entries are read at once.
	blockPosts = 4 << 10

	defaultPoll = 100 * time.Millisecond
)

// ErrClosed is returned by every method of a [Log] after Close.
var ErrClosed = fs.ErrClosed

// Options changes how a log is read. Nil options are the zero value. They are
// copied by [Open].
type Options struct {
	// MaxRecordBytes bounds the memory that one record may take. 0 means
	// 16 MiB, or what partition.json says that the writer was allowed if
	// that is more; a negative number, no bound.
	MaxRecordBytes int

	// Retain makes Data of sequential reads valid for ever, at the price of
	// a new block of memory for each block read. A record that is kept keeps
	// its block, 256 KiB or its own size, alive.
	Retain bool

	// WholeLines leaves out a last line without a newline, also when it is
	// a complete JSON value. Following does so in any case. It concerns bare
	// files only.
	WholeLines bool

	// RejectNUL makes a record of a partition that holds a NUL byte an
	// error. No writer stores one, so it is what a crash or a broken disk left.
	// Looking for it takes about a tenth of the time of a scan, which is why it
	// is not the default; a hole that swallowed the end of a record is found
	// in any case. Every line of a bare file stays a record.
	RejectNUL bool

	// Skip, where it is not nil, is told of each run of records that Records,
	// Range, Backward, Follow or WriteTo comes to and that cannot be read,
	// because they are damaged or larger than they may be. Where it returns
	// nil, reading goes on behind them; an error of it ends the range. Next
	// and Get return such errors, see [Reader.Skip].
	Skip func(Damage) error

	// SkipLarge, where it is not nil and Skip is, is told as Skip would be of records
	// that are larger than they may be, and of no others. Blocks and Pieces yield
	// these instead, in their places: see [Lines].
	SkipLarge func(Damage) error

	// Counting, where it is not nil, is told how far the lines of a bare file are
	// counted that no index covers, while that goes on, and at last with both numbers
	// the same. It may be called by several goroutines.
	Counting func(position, size int64)

	// Poll is how often a follower of another process's log looks for
	// more where file notification is silent or not to be had. 0 means
	// 100 ms.
	Poll time.Duration

	// Logger is told what a reader did on its own: a file was replaced or
	// cut under a follower, an index was not believed. Nil is silent.
	Logger *slog.Logger

	// FS is the file system; nil is the operating system's.
	FS vfs.FS
}

// filled returns a copy of o with its defaults; o may be nil.
func (o *Options) filled() Options {
	var f Options
	if o != nil {
		f = *o
	}
	if f.Poll <= 0 {
		f.Poll = defaultPoll
	}
	if f.Logger == nil {
		f.Logger = slog.New(slog.DiscardHandler)
	}
	if f.FS == nil {
		f.FS = vfs.OS
	}
	return f
}

// limit is the most bytes of one record, where the writer's largest batch had
// batch bytes; 0 where that is not known.
func (o *Options) limit(batch int64) int64 {
	switch {
	case o.MaxRecordBytes < 0:
		return math.MaxInt
	case o.MaxRecordBytes > 0:
		return int64(o.MaxRecordBytes)
	}
	return min(max(jsonl.DefaultMaxBytes, batch-1), math.MaxInt)
}

// noNUL reports whether a record with a NUL byte is damage.
func (l *Log) noNUL() bool { return l.opts.RejectNUL && !l.place.Bare }
