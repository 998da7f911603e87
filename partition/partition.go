package partition

import (
	"context"
	"errors"
	"iter"
	"sync"
	"sync/atomic"
	"time"

	"example.com/jlq/internal/jsonl"
	"example.com/jlq/internal/segment"
	"example.com/jlq/reader"
	"example.com/jlq/writer"
)

// Record is one record as a reader gets it: Offset, Position and Data. Data is
// valid until the next step of the iteration, because the memory is used
// again: keep it with Clone, decode it with Decode, or ask for
// Options.Retain. See [reader.Record].
type Record = reader.Record

// Damage is a run of records that cannot be read, see Options.Skip.
type Damage = reader.Damage

// RecoveryReport says what opening found and did: Created; Adopted and
// AdoptedFrom, the lines that were taken in; TornBytes, TornPath and TornWhy, the
// torn tail that was set aside; IndexRebuilt and IndexReason; LostFrom and
// LostTo, offsets that the index claimed and the records do not hold; Rolled,
// Leftovers and Trimmed, what became of a roll or of trimming that was broken
// off; NewlineAdded and IncompleteTail of a bare file. Lines tells all of it to a
// person, a sentence each.
type RecoveryReport = segment.Report

// Partition is one log: opened by [Open] for appending and reading, or by
// [OpenReader] for reading. It is safe for concurrent use and must be closed.
type Partition struct {
	opts     Options
	place    segment.Place
	log      *reader.Log
	write    *writer.Writer // nil when opened for reading
	live     *segment.Live  // nil when opened for reading
	meta     *keeper        // partition.json; nil of a bare file and when opened for reading
	locks    segment.Locks
	turn     *turn          // to append; nil when opened for reading
	halfMade []segment.Pair // what rolls that were put off may have left; the writer's turn guards it
	putOff   string         // why the last roll was; "" where none was
	retain   *retainer      // nil where nothing is limited
	trimming sync.Mutex     // one trim at a time
	retained retained
	sizes    sizes // of sealed segments
	recovery RecoveryReport
	closed   atomic.Bool

	pairs []segment.Pair // of a directory, while it is opened
}

// Path is the directory or file that was opened.
func (p *Partition) Path() string { return p.place.Path }

// Recovery says what opening found and did. It is the zero value where all
// was in order.
func (p *Partition) Recovery() RecoveryReport { return p.recovery }

// Append stores one record and returns its offset. data is one JSON value
// without a newline (json.Encoder adds one: trim it) and is not kept.
func (p *Partition) Append(data []byte) (offset uint64, err error) {
	if p.write == nil {
		return 0, ErrReadOnly
	}
	return p.write.Append(data)
}

// AppendBatch stores records under contiguous offsets and returns the first.
// The data is not kept. An error is a [*BatchError], which says how many of
// the records are stored; when a record is refused, a [*RecordError] within
// it says which, and none is.
func (p *Partition) AppendBatch(data [][]byte) (first uint64, err error) {
	if p.write == nil {
		return 0, &BatchError{Err: ErrReadOnly}
	}
	return p.write.AppendBatch(data)
}

// AppendAt stores records only if the first of them gets the offset expect,
// else it stores nothing and returns a [*ConflictError]. So a retry after an
// unknown outcome stores nothing twice.
func (p *Partition) AppendAt(expect uint64, data ...[]byte) error {
	if p.write == nil {
		return ErrReadOnly
	}
	return p.write.AppendAt(expect, data...)
}

// AppendValue encodes v as one line of JSON and stores it.
func (p *Partition) AppendValue(v any) (offset uint64, err error) {
	data, err := jsonl.Marshal(v)
	if err != nil {
		return 0, err
	}
	return p.Append(data)
}

// Get returns record offset, in memory of its own. Where it is not there, the
// error is a [*RangeError].
func (p *Partition) Get(offset uint64) ([]byte, error) { return p.log.Get(offset) }

// GetInto is [Partition.Get] into dst, which is replaced where it is too
// small: what is returned begins at dst[:0].
func (p *Partition) GetInto(dst []byte, offset uint64) ([]byte, error) {
	return p.log.GetInto(dst, offset)
}

// Records yields the records from offset from up to the high watermark that
// it finds when the range begins. It may be ranged many times. An error is the
// last pair.
func (p *Partition) Records(from uint64) iter.Seq2[Record, error] { return p.log.Records(from) }

// Backward yields the records before offset before, the last first.
func (p *Partition) Backward(before uint64) iter.Seq2[Record, error] { return p.log.Backward(before) }

// Follow yields the records from offset from on and waits for more, until ctx
// ends: its cause is the error of the last pair.
func (p *Partition) Follow(ctx context.Context, from uint64) iter.Seq2[Record, error] {
	return p.log.Follow(ctx, from)
}

// Reader returns a cursor that stands before record from. It is for one
// goroutine and holds nothing that must be closed.
func (p *Partition) Reader(from uint64) *reader.Reader { return p.log.Reader(from) }

// Log gives everything else that reading offers. It is closed with p.
func (p *Partition) Log() *reader.Log { return p.log }

// OffsetAt returns the first offset whose record has a time at or after t in
// the named field; "" takes the first of ts, time, timestamp and @timestamp
// that holds a time. It is exact where no record is displaced by more than
// 1,024 from the order of time.
func (p *Partition) OffsetAt(t time.Time, field string) (uint64, error) {
	return p.log.OffsetAt(context.Background(), t, field)
}

// Bounds returns the half-open range of offsets that the log holds: start is
// the first that is kept, next the one that the next append gets. Where the
// files cannot be read, it is an empty range, and reading says why. On a bare
// file without an index it counts lines; [reader.Log.Bounds] can be stopped.
func (p *Partition) Bounds() (start, next uint64) {
	start, next, err := p.log.Bounds(context.Background())
	if err != nil {
		return 0, 0
	}
	return start, next
}

// Durable is the offset below which every record survives a power loss. It is
// known to the writer only; of a partition opened for reading it is 0.
func (p *Partition) Durable() (next uint64) {
	if p.write == nil {
		return 0
	}
	return p.write.Durable()
}

// Sync returns when every record that was acknowledged before the call
// survives a power loss.
func (p *Partition) Sync() error {
	if p.write == nil {
		return ErrReadOnly
	}
	return p.write.Sync()
}

// Close makes everything durable, closes the files and gives up the lock.
// Followers end with [fs.ErrClosed], and so does a second call of Close.
func (p *Partition) Close() error {
	if p.closed.Swap(true) {
		return errClosed
	}
	var errs []error
	if p.turn != nil {
		p.turn.stop()
	}
	p.retain.stop()
	// A trim that is under way ends first: nothing of the log is changed once
	// its lock is given up.
	p.trimming.Lock()
	defer p.trimming.Unlock()
	if p.write != nil {
		errs = append(errs, p.write.Close())
	}
	errs = append(errs, p.log.Close(), p.locks.Release())
	return errors.Join(errs...)
}
