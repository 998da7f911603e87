package reader

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"iter"
	"time"

	"example.com/jlq/internal/segment"
)

// Follow returns the records from offset from on and then those that are
// appended, as they come. from may be the high watermark. Only whole lines are
// records, each once.
//
// The sequence ends when ctx does, with its cause, or when the log or its
// writer in this process is closed, with an error that matches [ErrClosed]. It
// survives a roll and a rebuilt index, and waits for an index that is removed or
// cut; Options.Logger is told. A bare file that is replaced is followed
// to its last newline and then from the beginning of the new one; one that is
// cut or rewritten, from its beginning: offsets begin at 0 again, and
// Options.Logger is told. One that is gone is waited for.
func (l *Log) Follow(ctx context.Context, from uint64) iter.Seq2[Record, error] {
	return l.follow(ctx, func(r *Reader) { r.next = from })
}

// FollowTail returns the last n records and then those that are appended, as
// [Log.Follow] does. Offsets are those of [Log.Tail].
func (l *Log) FollowTail(ctx context.Context, n uint64) iter.Seq2[Record, error] {
	return l.follow(ctx, func(r *Reader) { r.tail = &n })
}

func (l *Log) follow(ctx context.Context, place func(*Reader)) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		f := l.newFollower(ctx)
		defer f.close()
		place(f.r)
		for {
			rec, err := f.next()
			if err != nil {
				yield(Record{}, err)
				return
			}
			if !yield(rec, nil) {
				return
			}
		}
	}
}

// follower is one range over Follow.
type follower struct {
	log   *Log
	r     *Reader
	ctx   context.Context
	stop  func()
	watch *watch

	again   bool      // the file is to be followed from its beginning, once it can be opened
	leaving time.Time // the file was replaced: when to go over to the new one
	missed  bool      // that the file, or the index, is gone has been told
	begun   bool      // where it stands was there once
}

func (l *Log) newFollower(ctx context.Context) *follower {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(l.life, func() { cancel(context.Cause(l.life)) })
	f := &follower{log: l, r: l.borrow(), ctx: ctx}
	f.stop = func() { stop(); cancel(nil) }
	f.r.whole, f.r.ctx = true, ctx
	return f
}

func (f *follower) close() {
	f.stop()
	f.watch.close()
	f.r.giveBack()
}

// next returns the next record, waiting for it.
func (f *follower) next() (Record, error) {
	for f.ctx.Err() == nil {
		rec, err := f.read()
		if err == nil {
			return rec, nil
		}
		if err == io.EOF {
			err = f.wait()
		}
		if err == errAgain {
			continue
		}
		if err != nil {
			return Record{}, err
		}
	}
	return Record{}, context.Cause(f.ctx)
}

// read returns the next record that is there, or io.EOF.
func (f *follower) read() (Record, error) {
	if f.again {
		if err := f.restart(); err != nil {
			return Record{}, err
		}
	}
	rec, err := f.r.Next()
	if err == nil || err == io.EOF {
		f.begun = true
		f.missed = f.missed && err != nil
		return rec, err
	}
	if f.withdrawn(err) {
		return Record{}, io.EOF
	}
	if !f.rewritten(err) {
		if err = f.r.passOver(err); err == nil {
			err = errAgain
		}
		return Record{}, err
	}
	f.log.log.Warn("file was cut short or rewritten; following it from its beginning",
		"path", f.log.place.Path, "reason", reason(err))
	f.again = true
	return Record{}, errAgain
}

// withdrawn reports whether err comes from a partition that ends before the
// place that was reached, or did a moment ago: somebody removed, emptied or cut
// the index. The records are still there, so it will be back, made again by hand
// or by the next writer, and is waited for.
func (f *follower) withdrawn(err error) bool {
	l := f.log
	if !f.begun || l.place.Bare || l.live != nil {
		return false
	}
	_, beyond := errors.AsType[*segment.RangeError](err)
	if !beyond && !errors.Is(err, segment.ErrIndexMismatch) {
		return false
	}
	start, next, failed := l.watermark()
	if failed != nil || f.r.next < start {
		return false
	}
	if next > f.r.next {
		return beyond // it was missing a moment ago, and is back
	}
	if !f.missed {
		l.log.Warn("the index ends before what was read; waiting for it",
			"path", l.place.Path, "read", f.r.next, "index", next)
	}
	f.missed = true
	f.r.leaveSource()
	return true
}

// errAgain: read is to be called again, unless the context has ended.
var errAgain = errors.New("again")

// rewritten reports whether err comes from a bare file that another program
// wrote anew: what was read last is no longer there, or the index, of which a
// part was still to be read, no longer fits.
func (f *follower) rewritten(err error) bool {
	if f.log.indexed() || f.r.lease.src == nil {
		return false
	}
	if errors.Is(err, ErrChanged) {
		return true
	}
	if !errors.Is(err, segment.ErrIndexMismatch) {
		return false
	}
	src, err := f.log.openSource(f.r.lease.src.slot)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	defer src.Close()
	return !src.believed || !src.RecInfo.Same(f.r.lease.src.RecInfo)
}

// reason is what is wrong, without the place that the log line names anyway.
func reason(err error) error {
	if e, ok := errors.AsType[*segment.CorruptError](err); ok {
		return e.Err
	}
	return err
}

// restart begins at offset 0 of what the name denotes now, or returns io.EOF
// where that is nothing. The file is opened again even where it is the same
// one, because its index has to be judged again.
func (f *follower) restart() error {
	s := f.log.layout.Load().last()
	src, err := f.log.openSource(s)
	if errors.Is(err, fs.ErrNotExist) {
		return io.EOF
	}
	if err != nil {
		return err
	}
	if src, err = f.log.pool.put(src); err != nil {
		return err
	}
	f.log.stats.restarts.Add(1)
	if err := f.r.Seek(0); err != nil {
		f.log.pool.release(src)
		return err
	}
	f.r.hold(src, UnknownOffset)
	f.again, f.leaving = false, time.Time{}
	return nil
}

// wait returns when there may be more to read.
func (f *follower) wait() error {
	l := f.log
	if l.live != nil {
		return l.live.Wait(f.ctx, f.r.next)
	}
	if f.watch == nil {
		f.watch = l.newWatch()
		return nil // what came before the watch began is seen by looking again
	}
	if l.place.Bare && !f.again {
		if err := f.compareName(); err != nil || f.again {
			return err
		}
	}
	return f.watch.wait(f.ctx, l.opts.Poll)
}

// compareName looks whether the name of a bare file denotes another one. Who
// has the old one open may still be writing to it, so it is read for one more
// interval.
func (f *follower) compareName() error {
	src := f.r.lease.src
	info, err := f.log.fs.Stat(f.log.place.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if !f.missed {
			f.log.log.Info("file is gone; waiting for it", "path", f.log.place.Path)
		}
		f.missed = true
		return nil
	case err != nil || src == nil:
		return err
	}
	f.missed = false
	if info.Same(src.RecInfo) {
		f.leaving = time.Time{}
		return nil
	}
	now := time.Now()
	if f.leaving.IsZero() {
		f.leaving = now.Add(f.log.opts.Poll)
		return nil
	}
	if now.Before(f.leaving) {
		return nil
	}
	f.log.log.Info("file was replaced; following the new one from its beginning",
		"path", f.log.place.Path, "unfinished", f.unfinished(src))
	f.again = true
	return nil
}

// unfinished is how many bytes follow the last newline of a file that is left
// behind.
func (f *follower) unfinished(src *source) int64 {
	size, err := src.size()
	if err != nil || !f.r.byLine {
		return 0
	}
	return max(0, size-f.r.line.pos)
}
