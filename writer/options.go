package writer

import (
	"fmt"
	"io/fs"
	"math"
	"time"

	"example.com/jlq/internal/jsonl"
	"example.com/jlq/internal/segment"
)

// SyncMode says what an acknowledged record survives. The zero value is the
// safest.
type SyncMode uint8

// The durability modes.
const (
	// SyncAlways: an acknowledged record survives a power loss. Concurrent
	// appends share one fdatasync.
	SyncAlways SyncMode = iota
	// SyncInterval: it survives the death of the process at once, and a power
	// loss after the interval plus one fsync.
	SyncInterval
	// SyncOS: it survives the death of the process. It is fsynced in the
	// background every 64 MiB, and by Sync and Close.
	SyncOS
	// SyncBuffered: it survives nothing until it is flushed, after 256 KiB or
	// 10 ms. Readers in the process see it at once.
	SyncBuffered
)

// String returns the name that partition.json and the command line use.
func (m SyncMode) String() string {
	if int(m) < len(segment.SyncNames) {
		return segment.SyncNames[m]
	}
	return fmt.Sprintf("SyncMode(%d)", m)
}

// ParseSync is the inverse of [SyncMode.String].
func ParseSync(name string) (SyncMode, error) {
	for i, n := range segment.SyncNames {
		if n == name {
			return SyncMode(i), nil
		}
	}
	return 0, fmt.Errorf("unknown sync mode %q: always, interval, os or buffered", name)
}

// Validate says how a record is checked before it is written.
type Validate uint8

// The kinds of check.
const (
	// Strict: exactly one JSON value as RFC 8259 has it, in valid UTF-8,
	// nested no deeper than 1,000.
	Strict Validate = iota
	// Frame: no newline, no NUL byte, not empty. For callers that vouch for
	// their bytes.
	Frame
)

// String returns the name that partition.json and the command line use.
func (v Validate) String() string {
	if int(v) < len(segment.ValidateNames) {
		return segment.ValidateNames[v]
	}
	return fmt.Sprintf("Validate(%d)", v)
}

// ParseValidate is the inverse of [Validate.String].
func ParseValidate(name string) (Validate, error) {
	for i, n := range segment.ValidateNames {
		if n == name {
			return Validate(i), nil
		}
	}
	return 0, fmt.Errorf("unknown validation %q: strict or frame", name)
}

// Check returns nil when rec, of at most maxBytes, is a record by this kind of
// check; see package internal/jsonl for the errors.
func (v Validate) Check(rec []byte, maxBytes int) error {
	if v == Frame {
		return jsonl.CheckFrame(rec, maxBytes)
	}
	return jsonl.CheckStrict(rec, maxBytes)
}

// Options configure a [Writer]. The zero value is the safest one.
type Options struct {
	// Sync is the durability mode; the zero value is SyncAlways.
	Sync SyncMode
	// Interval is that of SyncInterval; 0 means one second.
	Interval time.Duration
	// Validate says how records are checked; the zero value is Strict.
	Validate Validate
	// Compact lets multi-line JSON be stored, without its insignificant
	// white space, instead of being refused.
	Compact bool
	// MaxRecordBytes is the size of the largest record, at most 2 GiB; 0 means
	// 16 MiB.
	MaxRecordBytes int
	// Batch is the most bytes of one batch; 0 means 4 MiB. The largest record
	// with its newline makes a batch in any case.
	Batch int64
	// TailCache is how many bytes of memory the records that were appended
	// last may take; 0 means 2 MiB, a negative number none. SyncBuffered takes
	// 512 KiB in any case, for what is not written yet.
	TailCache int

	// SegmentBytes, SegmentRecords and SegmentAge are the most that a segment
	// holds, and how long it is appended to; 0 means no limit. A record is never
	// divided, so one that is larger has a segment of its own.
	SegmentBytes   int64
	SegmentRecords uint64
	SegmentAge     time.Duration
}

// minBatch is the least bound on the bytes of one batch.
const minBatch = 4 << 20

// BatchBytes is the most bytes that one batch has: the larger of Batch, which
// is 4 MiB unless set, and the largest record with its newline.
func (o Options) BatchBytes() int64 {
	batch := o.Batch
	if batch <= 0 {
		batch = minBatch
	}
	return max(batch, min(int64(o.maxRecord()), math.MaxInt64-1)+1)
}

// leastBuffered is the memory that SyncBuffered needs.
const leastBuffered = 2 * bufferBytes

func (o Options) tail() int {
	tail := max(o.TailCache, 0)
	if o.TailCache == 0 {
		tail = segment.DefaultTail
	}
	if o.Sync == SyncBuffered {
		tail = max(tail, leastBuffered)
	}
	return tail
}

func (o Options) maxRecord() int {
	if o.MaxRecordBytes <= 0 {
		return jsonl.DefaultMaxBytes
	}
	return o.MaxRecordBytes
}

func (o Options) interval() time.Duration {
	if o.Interval <= 0 {
		return time.Second
	}
	return o.Interval
}

// Check reports an option that is none.
func (o Options) Check() error {
	if int(o.Sync) >= len(segment.SyncNames) || int(o.Validate) >= len(segment.ValidateNames) {
		return fmt.Errorf("%w: %v, %v", fs.ErrInvalid, o.Sync, o.Validate)
	}
	if int64(o.MaxRecordBytes) >= segment.MaxBatch {
		return fmt.Errorf("%w: records of %d bytes, at most %d", fs.ErrInvalid, o.MaxRecordBytes, int64(segment.MaxBatch-1))
	}
	return o.checkRolls()
}
