package reader

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"iter"
	"math"
	"runtime"
	"sync"
)

// Reader is a cursor over a log, and what every way of reading is built on.
// It belongs to one goroutine. It needs no Close: what it holds is released
// when its log is closed or the Reader is garbage.
type Reader struct {
	log *Log
	buffers
	block block
	i     int    // the line of block that Next gives next
	next  uint64 // its offset
	step  uint64 // 1, or 0 where offsets are not known

	lease  *lease
	srcEnd uint64 // the offset at which the segment ends; MaxUint64: it is the last
	window window // entries of its index

	// indexed is how many records of the source are read through the index.
	// Behind them, in a bare file, the reader goes line by line and keeps
	// its own place.
	indexed uint64
	byLine  bool
	line    linePlace

	// How far to read: below offset limit and, in a bare file, below
	// position end.
	limit   uint64
	end     int64
	bounded bool // both were taken from the log when the range began
	clamp   bool // an offset beyond the end is an empty range
	whole   bool // a last line without newline is no record

	tail *uint64  // Tail was asked for this many and has not begun
	bad  badRange // what the last error was about
	skip func(Damage) error
	ctx  context.Context // stops the counting of lines

	single  bool // it reads one record, and is asked where that lies
	ranging bool // it belongs to a range over the log: what it reads may be read again
}

var readers = sync.Pool{New: func() any { return &Reader{lease: new(lease)} }}

// borrow returns a Reader for one range or one record.
func (l *Log) borrow() *Reader {
	r := readers.Get().(*Reader)
	r.init(l)
	return r
}

func (r *Reader) init(l *Log) {
	*r = Reader{
		log: l, buffers: r.buffers, lease: r.lease, line: linePlace{lead: r.line.lead[:0]},
		window: window{posts: r.window.posts[:0], raw: r.window.raw},
		step:   1, limit: math.MaxUint64, end: math.MaxInt64,
		whole: l.opts.WholeLines, skip: l.opts.skip(), ctx: l.life,
	}
	r.lease.pool = &l.pool
}

// giveBack ends the use of a borrowed Reader.
func (r *Reader) giveBack() {
	r.finish()
	r.leaveSource()
	r.log, r.ctx, r.block = nil, nil, block{}
	if cap(r.buf) <= 4*blockBytes {
		readers.Put(r)
	}
}

// Reader returns a cursor at offset from.
func (l *Log) Reader(from uint64) *Reader {
	r := &Reader{lease: new(lease)}
	r.init(l)
	r.next = from
	runtime.AddCleanup(r, func(held *lease) { held.set(nil) }, r.lease)
	return r
}

// Offset returns the offset of the record that Next gives next, or
// [UnknownOffset].
func (r *Reader) Offset() uint64 {
	if r.tail != nil && r.begin() != nil {
		return UnknownOffset
	}
	return r.next
}

// Next returns the next record. At the high watermark it returns [io.EOF],
// which is not final: a later call returns what was appended since.
func (r *Reader) Next() (Record, error) {
	r.spoil(r.i - 1)
	if r.i >= r.block.n {
		if err := r.fill(); err != nil {
			return Record{}, err
		}
	}
	b, i, offset := &r.block, r.i, r.next
	r.i = i + 1
	r.next = offset + r.step
	return Record{offset, b.posts[i], b.data(i)}, nil
}

// Records returns the records up to the high watermark that is seen when the
// range begins. The Reader is moved, so the sequence can be ranged over once;
// after leaving the loop the Reader stands behind the last record that was
// yielded.
func (r *Reader) Records() iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		err := r.bound(math.MaxUint64)
		defer r.unbound()
		for err == nil {
			var rec Record
			if rec, err = r.Next(); err != nil {
				err = r.passOver(err)
			} else if !yield(rec, nil) {
				return
			}
		}
		if err != io.EOF {
			yield(Record{}, err)
		}
	}
}

// WriteTo writes the lines up to the high watermark that is seen when it
// begins, with their newlines, whole blocks at a time. An error of w is
// returned as it is; the records of the block that it broke off in count as
// read.
func (r *Reader) WriteTo(w io.Writer) (written int64, err error) {
	err = r.bound(math.MaxUint64)
	defer r.unbound()
	for err == nil {
		if r.i < r.block.n {
			n, err := r.writeBlock(w)
			written += n
			if err != nil {
				return written, err
			}
		}
		if err = r.fill(); err != nil {
			err = r.passOver(err)
		}
	}
	if err == io.EOF {
		err = nil
	}
	return written, err
}

func (r *Reader) writeBlock(w io.Writer) (int64, error) {
	lines := r.takeBlock().Data
	n, err := w.Write(lines)
	if err == nil && n < len(lines) {
		err = io.ErrShortWrite
	}
	if err == nil && r.block.open {
		var m int
		m, err = w.Write(newline)
		n += m
	}
	return int64(n), err
}

// Seek moves to an offset. Whether it is there is found out by Next.
func (r *Reader) Seek(offset uint64) error {
	if err := r.log.alive(); err != nil {
		return err
	}
	r.finish()
	r.next, r.step, r.tail, r.byLine, r.bad = offset, 1, nil, false, badRange{}
	if r.lease.src != nil && (offset < r.lease.src.Base || offset >= r.srcEnd) {
		r.leaveSource()
	}
	return nil
}

// enter takes hold of the segment that the next record lies in.
func (r *Reader) enter() error { return r.enterAt(r.next) }

func (r *Reader) enterAt(offset uint64) error {
	slot, end, err := r.log.find(offset)
	if err != nil {
		r.beforeFirst(offset, err)
		return err
	}
	acquire := r.log.acquire
	if !r.log.indexed() {
		acquire = r.log.acquireFresh
	}
	src, err := acquire(slot)
	if err != nil {
		return r.gone(slot, offset, err)
	}
	r.hold(src, end)
	return r.compareNames(src)
}

// beforeFirst marks the records in front of the first segment that is there,
// where that of the first record kept is away: so many can be left out.
func (r *Reader) beforeFirst(offset uint64, err error) {
	ly := r.log.layout.Load()
	if !isAway(err) || len(ly.slots) == 0 || offset >= ly.slots[0].Base {
		return
	}
	r.absent(ly.start, offset, ly.slots[0].Base)
}

// absent marks the records from base to end, of which that at offset is to be
// read next, as a range that can be passed over, where it is known to end.
func (r *Reader) absent(base, offset, end uint64) {
	end = min(end, r.limit)
	switch {
	case offset < r.next: // backwards
		r.bad = badRange{set: true, records: r.next - base}
	case end != math.MaxUint64:
		r.bad = badRange{set: true, records: end - offset}
	}
}

// hold makes src, retained by the caller, what is read.
func (r *Reader) hold(src *source, end uint64) {
	r.lease.set(src)
	r.srcEnd, r.byLine, r.line = end, false, linePlace{lead: r.line.lead[:0]}
	r.indexed = min(src.count.Load(), end-src.Base)
}

// gone handles a segment that could not be opened: where it was unlinked
// since its name was read, the names are read again. One that is still among
// them may lead nowhere, as a link into cold storage does, or was back for a
// moment only.
func (r *Reader) gone(s *slot, offset uint64, err error) error {
	if !errors.Is(err, fs.ErrNotExist) || r.log.place.Bare {
		return err
	}
	if _, err := r.log.refresh(); err != nil {
		return err
	}
	now, end := r.log.layout.Load().find(offset)
	if now != s {
		return nil // another turn finds what there is instead
	}
	if _, err := r.log.fs.Stat(s.Records); !errors.Is(err, fs.ErrNotExist) {
		return err // it was away, and is back
	}
	r.absent(s.Base, offset, end)
	return r.log.awayError(s.Base)
}

func (r *Reader) leaveSource() {
	r.lease.set(nil)
	r.window.src = nil
}
