package index

import (
	"context"
	"errors"
	"os"

	"example.com/jlq/internal/vfs"
)

// extend appends the entries of the lines behind the index, which is trusted.
func (p *pair) extend(ctx context.Context, o *Options) (Report, error) {
	r := p.report()
	from, err := p.end()
	if err != nil {
		return r, err
	}
	a := &appender{pair: p, start: p.idxInfo.Size / EntrySize * EntrySize}
	a.end = a.start
	b := NewBuilder(a, from, a.start == 0)
	err = p.scan(ctx, o, b, from)
	if err == nil {
		err = p.stands()
	}
	if err == nil {
		err = a.dropPartial()
	}
	// What was written before the context ended is as good as the rest.
	if err = a.finish(err, errors.Is(err, context.Cause(ctx))); err != nil {
		return r, err
	}
	r.Records, r.Added = p.count()+b.Records(), b.Records()
	r.End, r.Tail = b.End(), r.Size-b.End()
	r.Extended = a.end > a.start
	return r, nil
}

// appender writes entries behind those of an index. It opens the index for
// writing only when there is something to write, so that an index that is up
// to date may be read-only.
type appender struct {
	pair  *pair
	start int64 // bytes of whole entries that were there
	end   int64 // bytes of whole entries that are there now
	dirty int64 // bytes of those that are not synced
	f     vfs.File
}

// Write appends whole entries.
func (a *appender) Write(p []byte) (int, error) {
	if err := a.open(); err != nil {
		return 0, err
	}
	if err := a.bound(len(p)); err != nil {
		return 0, err
	}
	n, err := a.f.WriteAt(p, a.end)
	if err == nil {
		a.end += int64(n)
		a.dirty += int64(n)
	}
	return n, err
}

// bound syncs what was written where n bytes more would be more than Trusted
// looks through: a power loss may leave holes between unsynced entries, and
// only there.
func (a *appender) bound(n int) error {
	if a.dirty+int64(n) <= trustOrdered*EntrySize {
		return nil
	}
	a.dirty = 0
	return a.f.Sync()
}

// open opens the index for writing, once.
func (a *appender) open() error {
	if a.f != nil {
		return nil
	}
	if err := a.pair.refuseLink(); err != nil {
		return err
	}
	f, err := a.pair.fs.Open(a.pair.indexPath, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	if err := a.same(f); err != nil {
		return errors.Join(err, f.Close())
	}
	a.f = f
	return a.prepare()
}

// prepare drops a partial entry, of which nothing may remain where the next
// write fails half way, and syncs what a killed predecessor may have left:
// with what comes now it could be more than Trusted looks through.
func (a *appender) prepare() error {
	if a.pair.idxInfo.Size != a.start {
		if err := a.f.Truncate(a.start); err != nil {
			return err
		}
	}
	return a.f.Sync()
}

// same returns an error where f is not the index that was found trusted, as it
// was.
func (a *appender) same(f vfs.File) error {
	now, err := f.Stat()
	if err != nil {
		return err
	}
	if !now.Same(a.pair.idxInfo) || now.Size != a.pair.idxInfo.Size {
		return a.pair.indexError(errChanged)
	}
	return nil
}

var errChanged = errors.New("the index was changed by another program")

// dropPartial cuts a partial entry where no line came to be written over it.
func (a *appender) dropPartial() error {
	if a.pair.idxInfo.Size == a.start {
		return nil
	}
	return a.open()
}

// finish makes what was written durable, or takes it back after err, unless
// keep says that the whole entries shall stay. It returns err, or its own.
func (a *appender) finish(err error, keep bool) error {
	if a.f == nil {
		return err
	}
	if err == nil || keep {
		err = errors.Join(err, a.f.Sync())
	} else {
		err = errors.Join(err, a.f.Truncate(a.start))
	}
	return errors.Join(err, a.f.Close())
}
