package writer

import (
	"errors"
	"io/fs"
	"sync"
	"sync/atomic"
	"time"

	"example.com/jlq/internal/jsonl"
	"example.com/jlq/internal/segment"
)

// Writer appends to one log. It is safe for concurrent use. There is one for
// a log, across all processes: whoever makes it holds the locks.
type Writer struct {
	opts  Options
	batch int64
	live  *segment.Live
	owner Owner

	durable atomic.Uint64 // offset below which records survive a power loss
	due     atomic.Bool   // a publication is: the next append does it

	mu         sync.Mutex // guards what follows, and the active segment
	changed    *sync.Cond // a wait for turn, space, sync or an end is over
	active     *segment.Active
	stats      counts
	err        error // sticky
	publishErr error // of the index, to be returned by the next append
	turns      turns // of callers that append alone
	leading    bool  // a group is being committed (SyncAlways)
	forming    *group
	spare      *group // a finished group, for its buffers
	buf        []byte // lines on their way to the file (other modes)
	ends       []int64
	synced     target // up to where everything is on the disk
	dirty      dirty
	rolling    rolling

	tasks tasks
}

// New begins to write to a segment that was recovered. The Writer owns active
// from here on.
func New(active *segment.Active, live *segment.Live, owner Owner, opts Options) *Writer {
	w := &Writer{opts: opts, batch: opts.bound(), active: active, live: live, owner: owner, synced: target{active.End(), live.Next()}}
	live.KeepTail(opts.tail())
	w.changed = sync.NewCond(&w.mu)
	w.durable.Store(live.Next())
	w.start()
	return w
}

// Append stores one record and returns its offset. data is not kept.
func (w *Writer) Append(data []byte) (offset uint64, err error) {
	one := [1][]byte{data}
	first, err := w.append(one[:], nil)
	if err == nil {
		return first, nil
	}
	if batch, ok := errors.AsType[*BatchError](err); ok && !batch.Unknown {
		return 0, batch.Err
	}
	return first, err
}

// AppendBatch stores records under contiguous offsets and returns the first.
// The data is not kept. An error is a [*BatchError]; a record that is refused
// is a [*RecordError] within it, and then nothing is stored.
func (w *Writer) AppendBatch(data [][]byte) (first uint64, err error) {
	return w.append(data, nil)
}

// AppendAt stores records only if the first of them gets offset expect, else
// it returns a [*ConflictError]. So a retry after an unknown outcome stores
// nothing twice.
func (w *Writer) AppendAt(expect uint64, data ...[]byte) error {
	_, err := w.append(data, &expect)
	return err
}

func (w *Writer) append(data [][]byte, expect *uint64) (uint64, error) {
	data, err := w.prepare(data)
	if err != nil {
		return 0, &BatchError{Err: err}
	}
	return w.put(data, expect)
}

// put stores records that were checked.
func (w *Writer) put(data [][]byte, expect *uint64) (uint64, error) {
	var r result
	switch {
	case len(data) == 0 && expect == nil:
		r = result{first: w.Next(), err: w.Err()}
	case expect != nil || w.lines(data) > w.batch || w.opts.SegmentRecords > 0 && uint64(len(data)) > w.opts.SegmentRecords:
		r = w.appendAlone(data, expect)
	case w.opts.Sync == SyncAlways || w.shared():
		r = w.appendGrouped(data)
	default:
		r = w.appendDirect(data)
	}
	if r.err != nil {
		return r.first, r.batchError()
	}
	return r.first, nil
}

// lines is the number of bytes that data makes in the file.
func (w *Writer) lines(data [][]byte) int64 {
	n := int64(len(data))
	for _, rec := range data {
		n += int64(len(rec))
	}
	return n
}

// prepare checks every record before anything is written.
func (w *Writer) prepare(data [][]byte) ([][]byte, error) {
	i, err := w.check(data)
	switch {
	case err == nil:
		return data, nil
	case w.opts.Compact && errors.Is(err, jsonl.ErrNewline):
		return w.compact(data, i)
	}
	return nil, refusal(len(data), i, err)
}

// compact is prepare for a call whose record from holds newlines, on a copy
// of the caller's slice.
func (w *Writer) compact(data [][]byte, from int) ([][]byte, error) {
	out := append([][]byte(nil), data...)
	for i := from; i < len(out); i++ {
		err := w.opts.Validate.Check(out[i], w.opts.maxRecord())
		if errors.Is(err, jsonl.ErrNewline) {
			if out[i], err = jsonl.Compact(nil, out[i]); err == nil {
				err = w.opts.Validate.Check(out[i], w.opts.maxRecord())
			}
		}
		if err != nil {
			return nil, refusal(len(data), i, err)
		}
	}
	return out, nil
}

// refusal names the record, unless there is only one.
func refusal(records, i int, err error) error {
	if records == 1 {
		return err
	}
	return &RecordError{Index: i, Err: err}
}

// result is the outcome of one call.
type result struct {
	first   uint64
	stored  int
	unknown bool
	err     error
}

func (r result) batchError() error {
	if conflict, ok := errors.AsType[*ConflictError](r.err); ok {
		return conflict
	}
	return &BatchError{First: r.first, Stored: r.stored, Unknown: r.unknown, Err: r.err}
}

// poison ends all writing. The first reason stays.
func (w *Writer) poison(err error) error {
	if w.err == nil {
		w.err = &PoisonedError{Err: err}
		w.changed.Broadcast()
	}
	return w.err
}

// Next is the offset that the next record gets.
func (w *Writer) Next() uint64 { return w.live.Next() }

// Durable is the offset below which every record survives a power loss.
func (w *Writer) Durable() uint64 { return w.durable.Load() }

// Err returns why this writer may not append any more, or nil.
func (w *Writer) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// CheckNames returns nil where the names of the segment that is appended to
// still denote its files, and so the directory is still the log's: it comes
// before anything else in that directory is changed.
func (w *Writer) CheckNames() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return w.err
	}
	return w.active.CheckNames()
}

// Sync returns when every record that was acknowledged before the call
// survives a power loss.
func (w *Writer) Sync() error { return w.syncAll() }

// Close makes everything durable and closes the files. Appends that are
// under way finish; later ones match [fs.ErrClosed]. It returns the first
// error that concerns stored records: of a poisoned writer, why it was.
//
// Where others append to the log as well and have its locks, it makes durable what
// this writer has written, and leaves the rest to them.
func (w *Writer) Close() error {
	w.rolling.timer.stop() // it takes turns like those who append
	if w.shared() {
		w.tasks.stop() // and so do its syncs
	}
	w.mu.Lock()
	w.takeTurn()
	if errors.Is(w.err, fs.ErrClosed) {
		w.giveTurn()
		w.mu.Unlock()
		return w.err
	}
	w.mu.Unlock()
	w.tasks.stop()
	err := w.lastSync()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.err = fs.ErrClosed
	w.giveTurn()
	w.live.Close()
	return errors.Join(err, w.active.Close())
}

// turns are tickets, served in order: without an order, one goroutine that
// takes its turn again and again would keep Close out.
type turns struct {
	next    uint64 // ticket that the next caller gets
	serving uint64 // ticket whose turn it is
}

// taken reports whether somebody has the turn or waits for it.
func (t *turns) taken() bool { return t.next != t.serving }

// takeTurn waits until nobody else appends and keeps everybody out. The
// caller holds mu.
func (w *Writer) takeTurn() {
	ticket := w.turns.next
	w.turns.next++
	for w.turns.serving != ticket || w.leading || w.forming != nil {
		w.changed.Wait()
	}
}

// giveTurn lets the others in again. The caller holds mu.
func (w *Writer) giveTurn() {
	w.turns.serving++
	w.changed.Broadcast()
}

// dirty says since when there are bytes that are not synced.
type dirty struct {
	since   time.Time // of those that no sync under way covers; zero if none
	syncing time.Time // of those that one covers
}

// oldest is how long the oldest unsynced byte has been waiting.
func (d *dirty) oldest(now time.Time) time.Duration {
	if !d.syncing.IsZero() {
		return now.Sub(d.syncing)
	}
	if !d.since.IsZero() {
		return now.Sub(d.since)
	}
	return 0
}
