package group

import (
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"example.com/jlq/internal/vfs"
)

// Options say how a group is joined and consumed. Nil means &Options{}. They are
// copied by Open.
type Options struct {
	// Start is where a group begins that is not registered yet; the zero
	// value is the first record. One that is registered goes on where it was.
	Start To

	// CommitEvery is how often what was finished is committed while consuming;
	// 0 means one second, a negative number never: only on request and on Close.
	CommitEvery time.Duration

	// BeforeCommit, where it is not nil, is called before what was finished is
	// committed, by the goroutine that commits: for a consumer that gathers
	// what it made of records, and acks them before that is where it should be.
	// Where it returns an error, nothing is committed, and what was finished
	// since the last commit is delivered again to the next holder.
	BeforeCommit func() error

	// NoCommit consumes without writing anything: no group is registered,
	// nothing is claimed, shared out or committed, there are no dead letters, and
	// every record is delivered again next time. It is for logs that may only be
	// read.
	NoCommit bool

	// NoWait refuses to join, with a [*HeldError], where other members have a
	// partition each and none is left.
	NoWait bool

	// DrainTimeout is how long records in flight are waited for before a
	// partition is given up; 0 means one second. What is not finished by then
	// is delivered again to the next holder.
	DrainTimeout time.Duration

	// MaxAttempts is how often a record is delivered before it becomes a dead
	// letter; 0 means 5, a negative number without end. Consumers that died
	// with it count.
	MaxAttempts int

	// RetryDelay is how long a record that failed waits, and RetryMax what that
	// grows to, twice as long with each attempt, less a random part of up to
	// half; 0 means 200 ms and 30 s.
	RetryDelay, RetryMax time.Duration

	// MaxInFlight and MaxInFlightBytes are how many records of one partition may
	// be delivered and not answered, and their bytes; 0 means 1,024 and 64 MiB.
	// Messages waits where it is so many. A record that is larger passes alone.
	// Behind a consumer that died, one record at a time is given out, for as many
	// as could be in flight: who collects messages answers them all the same.
	MaxInFlight      int
	MaxInFlightBytes int64

	// MaxRecordBytes bounds the memory that one record may take; a longer one is
	// an error. 0 means 16 MiB, or more where the log's writer may store more.
	MaxRecordBytes int

	// AutoAck takes a message for acked that is not answered when the loop asks
	// for the next one. One that the loop is left with is not.
	AutoAck bool

	// Tags, where there are any, are the values of the field TagField ("tag"
	// where it is "") of the records that are wanted, or of an element of it where
	// it is a list. Others are passed over: a commit goes beyond them.
	Tags     []string
	TagField string

	// Where, where it is not nil, says whether a record is wanted. It does not
	// keep the bytes and calls nothing of the member. A record that it returns
	// an error for becomes a dead letter.
	Where func(data []byte) (bool, error)

	// Decode, where it is not nil, makes Message.Value of a record. It does not
	// keep the bytes. A record that it returns an error for becomes a dead
	// letter at once, and the next one is served.
	Decode func(data []byte) (any, error)

	// SkipDamage makes a dead letter of records that cannot be read, because
	// the log is damaged, and goes on behind them. Without it Messages says so
	// and the partition waits until it is repaired.
	SkipDamage bool

	// Workers is how many messages Handle deals with at a time; 0 means one, or
	// with Parallel as many as the process may run at once. Those of one
	// partition come in order, one at a time, unless Parallel is set: then they
	// come in any order, and no commit passes an unfinished one.
	Workers  int
	Parallel bool

	// OnError is told by Handle of errors of one partition, while the others go
	// on. Nil has the Logger told.
	OnError func(error)

	// Member is how this member is called where members are listed; "" means
	// the name of the program.
	Member string

	// Mode is the permission of new files, those of the log it is for where it
	// is 0. New directories get the search bits that go with it.
	Mode fs.FileMode

	// Poll is how often new records are looked for behind the notifications
	// of the file system; 0 means 100 ms.
	Poll time.Duration

	// Logger is told what was done without being asked: partitions taken and
	// given up, an offsets file that was not believed. Nil is silent.
	Logger *slog.Logger

	// FS is where the files are; nil means the operating system. It is for
	// the tests of this module.
	FS vfs.FS
}

func (o *Options) withDefaults() Options {
	var out Options
	if o != nil {
		out = *o
	}
	if out.CommitEvery == 0 {
		out.CommitEvery = time.Second
	}
	if out.DrainTimeout == 0 {
		out.DrainTimeout = time.Second
	}
	if out.Member == "" {
		out.Member = filepath.Base(os.Args[0])
	}
	if out.Logger == nil {
		out.Logger = slog.New(slog.DiscardHandler)
	}
	if out.FS == nil {
		out.FS = vfs.OS
	}
	out.deliveryDefaults()
	return out
}

func (o *Options) deliveryDefaults() {
	if o.MaxAttempts == 0 {
		o.MaxAttempts = 5
	}
	if o.RetryDelay == 0 {
		o.RetryDelay = 200 * time.Millisecond
	}
	if o.RetryMax == 0 {
		o.RetryMax = 30 * time.Second
	}
	if o.MaxInFlight <= 0 {
		o.MaxInFlight = 1024
	}
	if o.MaxInFlightBytes <= 0 {
		o.MaxInFlightBytes = 64 << 20
	}
	if o.TagField == "" {
		o.TagField = "tag"
	}
	if o.Workers <= 0 {
		o.Workers = 1
		if o.Parallel {
			o.Workers = runtime.GOMAXPROCS(0)
		}
	}
	if o.OnError == nil {
		logger := o.Logger
		o.OnError = func(err error) { logger.Error("a partition fails", "error", err) }
	}
}

// fileMode is the permission of new files that hold no offsets.
func (o *Options) fileMode() fs.FileMode {
	if o.Mode == 0 {
		return 0o600
	}
	return o.Mode
}

// dirMode is the permission of new directories: who may read a file's
// content may look through them.
func (o *Options) dirMode() fs.FileMode { return o.fileMode() | o.fileMode()&0o444>>2 | 0o300 }
