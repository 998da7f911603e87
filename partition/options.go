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

	// MaxRecordBytes is the size of the largest record; 0 means 16 MiB.
	MaxRecordBytes int

	// Compact stores JSON of several lines on one line instead of refusing it.
	Compact bool

	// Mode is the permission of new files; 0 means 0600. New directories get
	// the search bits that go with it.
	Mode fs.FileMode

	// AllowNetwork lets a log be written on a network file system, where
	// locks and fsync may not hold what they promise.
	AllowNetwork bool

	// Poll is how often a follower in another process looks for new records
	// behind the notifications of the file system; 0 means 100 ms.
	Poll time.Duration

	// Retain gives every record memory of its own, so that its Data stays
	// valid. Reading is slower then.
	Retain bool

	// Logger is told what was done without being asked: a recovery, a follower
	// that began again on a replaced file. nil is silent.
	Logger *slog.Logger

	// Progress is called during long work at opening, the building of a
	// missing index, with the bytes that are done and their total.
	Progress func(done, total int64)

	// FS is where the files are; nil means the operating system. It is for
	// the tests of this module.
	FS vfs.FS
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
	return writer.Options{
		Sync: o.Sync, Interval: o.Interval, Validate: o.Validate,
		Compact: o.Compact, MaxRecordBytes: o.MaxRecordBytes,
	}
}

func (o *Options) reader() *reader.Options {
	return &reader.Options{
		MaxRecordBytes: o.MaxRecordBytes, Retain: o.Retain, Poll: o.Poll,
		Logger: o.Logger, FS: o.FS,
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
