package writer

import (
	"errors"
	"fmt"
	"io/fs"
	"time"

	"example.com/jlq/internal/segment"
)

// A roll seals the active segment and begins the next; the order of its steps
// is in package internal/segment. It is done by whoever keeps all others from
// appending: the caller that has the turn, or the leader of a group. So
// appends wait for it, which is why most of a segment is synced in the
// background before.

// rollRetry is the time between attempts to roll where one failed.
const rollRetry = time.Second

// nearRoll is how much of a segment's limit may be left to sync by the roll.
const nearRoll = 8

// ErrEmpty is returned by [Writer.Roll] when the active segment holds no
// record.
var ErrEmpty = errors.New("the active segment is empty; there is nothing to seal")

// ErrNoSegments is returned by [Writer.Roll] where a log is one file for good.
var ErrNoSegments = errors.New("a bare file has no segments")

// rolling is the state of rolling. The writer's mu guards it.
type rolling struct {
	created time.Time // since when the active segment holds records
	old     bool      // that is longer ago than SegmentAge
	unsaved bool      // created is not in partition.json, where others look for it
	ahead   bool      // a sync ahead of the roll was asked for
	retryAt time.Time // a roll was put off until then; zero where none was
	timer   roller
}

// Roll seals the active segment and begins the next. Where that segment is
// empty, the error is [ErrEmpty]. When it fails otherwise, appends go on in the
// old segment, unless the writer is poisoned.
func (w *Writer) Roll() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.takeTurn()
	defer w.giveTurn()
	if err := w.enterHolding(); err != nil {
		return err
	}
	defer w.leave()
	return w.rollAlone()
}

// rollAlone is Roll for a caller that has the turn, and holds mu.
func (w *Writer) rollAlone() error {
	switch {
	case w.err != nil:
		return w.err
	case w.owner.Next == nil:
		return ErrNoSegments
	case w.inSegment() == 0:
		return ErrEmpty
	}
	return w.roll()
}

// inSegment is how many records the active segment holds.
func (w *Writer) inSegment() uint64 { return w.live.Next() - w.active.Base }

// rollDue reports whether a batch of that many records and bytes must go to a
// new segment. The caller holds mu.
func (w *Writer) rollDue(records int, size int64) bool {
	o := &w.opts
	if !o.rolls() || w.inSegment() == 0 || w.err != nil {
		return false
	}
	due := w.rolling.old ||
		o.SegmentBytes > 0 && w.end()+size > o.SegmentBytes ||
		o.SegmentRecords > 0 && w.inSegment()+uint64(records) > o.SegmentRecords
	return due && !time.Now().Before(w.rolling.retryAt)
}

// rollBefore makes room for a batch, for a caller that keeps all others from
// appending. Where that fails, the batch goes to the old segment, or the
// writer is poisoned. The caller holds mu, which is not held on the way.
func (w *Writer) rollBefore(records int, size int64) {
	if w.rollDue(records, size) {
		_ = w.roll() // told to the owner, and kept in the statistics or as what poisoned the writer
	}
}

// rollInTurn is rollBefore for a caller that holds mu only. Somebody else may
// have rolled by the time that it is his turn.
func (w *Writer) rollInTurn(records int, size int64) {
	w.takeTurn()
	defer w.giveTurn()
	if err := w.enterHolding(); err != nil {
		w.rolling.retryAt = time.Now().Add(rollRetry)
		return // whoever has the locks rolls, or the next append does
	}
	defer w.leave()
	w.rollBefore(records, size)
}

// roll does it. The caller keeps all others from appending, and holds mu,
// which is not held on the way.
func (w *Writer) roll() error {
	w.mu.Unlock()
	defer w.mu.Lock()
	err := w.rollFiles()
	if err == nil || w.Err() != nil {
		return err
	}
	w.putOff(err)
	return err
}

func (w *Writer) putOff(err error) {
	if w.owner.PutOff != nil {
		w.owner.PutOff(err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.rolling.retryAt = time.Now().Add(rollRetry)
	w.stats.putOff(err)
}

// rollFiles holds syncMu: a sync of the old segment ends before its files are
// closed, and none of the new one begins before it is the active one.
func (w *Writer) rollFiles() error {
	w.tasks.syncMu.Lock()
	defer w.tasks.syncMu.Unlock()
	if err := w.seal(); err != nil {
		return err
	}
	base := w.live.Next()
	next, err := w.owner.Next(w.active, base)
	w.mu.Lock()
	defer w.mu.Unlock()
	if errors.Is(err, segment.ErrUncertain) {
		return w.poison(err)
	}
	if err != nil {
		return err
	}
	// Only from here on is anything appended to the new segment.
	w.stats.seal(w.active.Base)
	w.active = next
	w.live.Roll()
	w.synced, w.dirty = target{0, base}, dirty{}
	w.rolling.created, w.rolling.old, w.rolling.ahead, w.rolling.retryAt = time.Now(), false, false, time.Time{}
	w.stats.rolled()
	w.changed.Broadcast()
	if w.owner.Rolled != nil {
		w.owner.Rolled()
	}
	return nil
}

// seal publishes and syncs everything, and makes sure that the files are ours
// alone: nothing looks at a sealed segment again. The caller holds syncMu.
func (w *Writer) seal() error {
	to, unpublished, err := w.beginSync()
	if err != nil {
		return err
	}
	if unpublished == nil {
		err = w.sealFiles(to)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil {
		return w.poison(err)
	}
	if unpublished != nil {
		w.dirty.since = w.dirty.syncing // they wait for the next sync as before
	}
	w.dirty.syncing = time.Time{}
	return unpublished
}

func (w *Writer) sealFiles(to target) error {
	if err := w.active.Check(0); err != nil {
		return err
	}
	if err := w.fsync(); err != nil {
		return err
	}
	w.raiseDurable(to.next)
	return w.active.SyncIndex()
}

// syncAhead asks for a sync as a segment comes near its limit, so that a roll
// has little left to sync. The caller holds mu.
func (w *Writer) syncAhead() bool {
	limit := w.opts.SegmentBytes
	if limit < minBatch || w.end() < limit-limit/nearRoll || w.rolling.ahead {
		return false
	}
	w.rolling.ahead = true
	return true
}

// checkRolls reports options of rolling that are none.
func (o *Options) checkRolls() error {
	if o.SegmentBytes < 0 || o.SegmentAge < 0 {
		return fmt.Errorf("%w: segments of %d bytes, %v", fs.ErrInvalid, o.SegmentBytes, o.SegmentAge)
	}
	return nil
}

// rolls reports whether anything limits a segment.
func (o *Options) rolls() bool {
	return o.SegmentBytes > 0 || o.SegmentRecords > 0 || o.SegmentAge > 0
}

// bound is the most bytes of a batch: calls that are larger are several, and
// so fit the segments that they go to.
func (o *Options) bound() int64 {
	if o.SegmentBytes > 0 {
		return min(o.BatchBytes(), o.SegmentBytes)
	}
	return o.BatchBytes()
}
