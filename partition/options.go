package partition

import (
	"io/fs"
	"log/slog"
	"time"

	"example.com/jlq/internal/vfs"
	"example.com/jlq/reader"
	"example.com/jlq/writer"
)

// Durability modes, see package writer.
type SyncMode = writer.SyncMode

// The durability modes. The zero value is SyncAlways.
const (
	SyncAlways   = writer.SyncAlways
	SyncInterval = writer.SyncInterval
	SyncOS       = writer.SyncOS
	SyncBuffered = writer.SyncBuffered
)

// Validate says how records are checked.
type Validate = writer.Validate

// The kinds of check. The zero value is Strict.
const (
	Strict = writer.Strict
	Frame  = writer.Frame
)

// ParseSync is the inverse of [SyncMode.String]: always, interval, os, buffered.
func ParseSync(name string) (SyncMode, error) { return writer.ParseSync(name) }

// ParseValidate is the inverse of [Validate.String]: strict, frame.
func ParseValidate(name string) (Validate, error) { return writer.ParseValidate(name) }

// Options configure a partition. nil means &Options{}, whose every zero value
// is the safest choice. Open copies them.
type Options struct {
	// Sync says what an acknowledged record survives; the zero value is
	// SyncAlways, a power loss.
	Sync SyncMode

	// Interval is that of SyncInterval; 0 means one second.
	Interval time.Duration

	// Validate says how records are checked; the zero value is Strict, one
	// JSON value as RFC 8259 has it.
	Validate Validate

	// MaxRecordBytes is the size of the largest record, at most 2 GiB; 0 means
	// 16 MiB.
	MaxRecordBytes int

	// SegmentBytes, SegmentRecords and SegmentAge are the most that one segment
	// of a partition directory holds, and how long it is appended to after its
	// first record; 0 means no limit. A batch that would go beyond one begins a
	// new segment. A record is never divided, so one that is larger than
	// SegmentBytes has a segment of its own. Where the files of a new segment
	// cannot be made, appends go on in the old one, the Logger and
	// [Partition.Stats] say so, and it is tried again a second later. A bare
	// file has no segments and is refused with these.
	SegmentBytes   int64
	SegmentRecords uint64
	SegmentAge     time.Duration

	// Retention bounds how much the log keeps; the zero value keeps everything.
	// It drops sealed segments, so it takes rolling, by a limit above or by
	// [Partition.Roll], for it to find any. A bare file is refused with it.
	Retention Retention

	// Compact stores JSON of several lines on one line instead of refusing it.
	Compact bool

	// TailCache is how many bytes of memory the records that were appended last
	// may take, so that followers in this process read no file; 0 means 2 MiB, a
	// negative number none. It is taken as it fills. A shared writer has none.
	TailCache int

	// Shared lets several processes append to the log, in turns: the writer's
	// lock is waited for, and held for one batch. Each turn begins with what the
	// others have appended, and recovers as opening does where one of them died
	// in its turn. Calls of one process at the same time share a turn, whatever
	// Sync says, and every batch can be read by all processes when its append
	// returns. SyncBuffered is refused with it. A writer that is not shared
	// keeps the others out for as long as it is open; they wait for it.
	Shared bool

	// LockWait is how long a shared writer waits for its turn, at opening and
	// for each append; then it returns an error that matches [ErrLocked] and
	// says who has the log, and nothing is stored. Those who share a turn wait
	// as long as the first of them. 0 means one minute, a negative number as long
	// as it takes.
	LockWait time.Duration

	// Mode is the permission of new files; 0 means 0600. New directories get
	// the search bits that go with it.
	Mode fs.FileMode

	// NoCreate refuses a log that does not exist, with an error that matches
	// [fs.ErrNotExist], instead of making it.
	NoCreate bool

	// AllowNetwork lets a log be written on a network file system, where
	// locks and fsync may not hold what they promise.
	AllowNetwork bool

	// Poll is how often a follower in another process looks for new records
	// behind the notifications of the file system; 0 means 100 ms.
	Poll time.Duration

	// Retain gives every record memory of its own, so that its Data stays
	// valid. Reading is slower then.
	Retain bool

	// Skip, where it is not nil, is told of each run of records that Records,
	// Backward or Follow comes to and that cannot be read, because they are
	// damaged. Where it returns nil, reading goes on behind them; else its
	// error ends the range. Without it the damage itself is the error.
	Skip func(Damage) error

	// Logger is told what was done without being asked: a recovery, a follower
	// that began again on a replaced file. nil is silent.
	Logger *slog.Logger

	// Progress is called during long work, the building of a missing index at
	// opening and Verify, with the bytes that are done and their total, by the
	// goroutine that opens or verifies.
	Progress func(done, total int64)

	// FS is where the files are; nil means the operating system. It is for
	// the tests of this module.
	FS vfs.FS

	// batch is the most bytes of one batch; 0 means 4 MiB. It lets tests see
	// several batches in a few bytes.
	batch int64
}

// withDefaults returns a copy in which what may be nil is not.
func (o *Options) withDefaults() Options {
	var c Options
	if o != nil {
		c = *o
	}
	if c.FS == nil {
		c.FS = vfs.OS
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c
}

func (o *Options) writer() writer.Options {
	tail := o.TailCache
	if o.Shared {
		tail = -1 // its readers look at the files, for what others append
	}
	return writer.Options{
		Sync: o.Sync, Interval: o.Interval, Validate: o.Validate,
		Compact: o.Compact, MaxRecordBytes: o.MaxRecordBytes, Batch: o.batch, TailCache: tail,
		SegmentBytes: o.SegmentBytes, SegmentRecords: o.SegmentRecords, SegmentAge: o.SegmentAge,
	}
}

func (o *Options) reader() *reader.Options {
	return &reader.Options{
		MaxRecordBytes: o.MaxRecordBytes, Retain: o.Retain, Poll: o.Poll,
		Skip: o.Skip, RejectNUL: o.Skip != nil, Logger: o.Logger, FS: o.FS,
	}
}

// filePerm is the permission of new files.
func (o *Options) filePerm() fs.FileMode {
	if o.Mode == 0 {
		return 0o600
	}
	return o.Mode.Perm()
}

// dirPerm is filePerm with a search bit for everyone who may read.
func (o *Options) dirPerm() fs.FileMode {
	perm := o.filePerm()
	return perm | perm&0o444>>2
}
