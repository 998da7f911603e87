package index

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"example.com/jlq/internal/vfs"
)

// ErrLocked is matched by the error of BuildFile while another process, or
// another part of this one, writes to the same log.
var ErrLocked = vfs.ErrLocked

// BuildFile makes the index of the JSON-lines file records at indexPath, or
// extends the one that is there by the lines that are new. It reads no further
// than the records file reached when it began, and only to a newline.
//
// An index that is [Trusted] is extended in place. One that is missing,
// foreign, damaged or longer than the records is built anew beside it and
// renamed over it, so that readers see the old one or the whole new one; one
// with several names (hard links) is too, and a symbolic link is refused. An
// error while building leaves the old index as it was. When the context ends,
// an extension keeps the entries that it has written and goes on from there
// next time.
//
// It fails with [ErrLocked] while a writer has the records file or the index
// open, because that writer keeps the index itself, or while another BuildFile
// is at work.
func BuildFile(ctx context.Context, records, indexPath string, opts *Options) (Report, error) {
	o := opts.withDefaults()
	lock, err := o.lock(records)
	if err != nil {
		return Report{}, err
	}
	defer lock.Close()
	shared, err := o.lockIndex(indexPath, lock.Info())
	if err != nil {
		return Report{}, err
	}
	defer shared.Close()
	p, err := openPair(o.FS, records, indexPath)
	if err != nil {
		return Report{}, err
	}
	defer p.close()
	if !o.Locked && !lock.Info().Same(p.recsInfo) {
		// The name changed hands between locking and opening: what is locked
		// is not what would be indexed.
		return Report{}, p.recordsError(errReplaced)
	}
	r, err := p.build(ctx, &o)
	if err != nil {
		return r, fmt.Errorf("index %s of %s: %w", indexPath, records, err)
	}
	return r, nil
}

// lock takes the lock of the records file where the caller does not hold it.
func (o *Options) lock(records string) (vfs.Lock, error) {
	if o.Locked {
		return noLock{}, nil
	}
	return o.lockRegular(records)
}

// lockRegular does not lock a directory, in which Windows would leave a file
// for it.
func (o *Options) lockRegular(name string) (vfs.Lock, error) {
	info, err := o.FS.Stat(name)
	if err == nil && !info.Mode.IsRegular() {
		err = &fs.PathError{Op: "lock", Path: name, Err: vfs.ErrNotRegular}
	}
	if err != nil {
		return nil, err
	}
	return o.FS.Lock(name)
}

// lockIndex excludes a writer that came to the index from another records file:
// x and x.records share x.index.
func (o *Options) lockIndex(indexPath string, records vfs.Info) (vfs.Lock, error) {
	if o.Locked {
		return noLock{}, nil
	}
	info, err := o.FS.Stat(indexPath)
	if errors.Is(err, fs.ErrNotExist) {
		return noLock{}, nil
	}
	if err != nil || info.Same(records) { // the latter is refused, with its own words
		return noLock{}, err
	}
	return o.lockRegular(indexPath)
}

// noLock stands for a lock that is held elsewhere.
type noLock struct{}

func (noLock) Info() vfs.Info { return vfs.Info{} }
func (noLock) Close() error   { return nil }

// build extends or rebuilds.
func (p *pair) build(ctx context.Context, o *Options) (Report, error) {
	why, err := p.unfit(o.Unproven)
	if err != nil {
		return p.report(), err
	}
	if why != "" {
		return p.rebuild(ctx, o, why)
	}
	return p.extend(ctx, o)
}

// unfit returns why the index cannot be extended, or "".
func (p *pair) unfit(unproven int64) (string, error) {
	if p.idx == nil {
		return "there is no index", nil
	}
	size := p.recsInfo.Size
	problem, err := sample(p.idx, p.count(), p.recs, size)
	if problem == nil && err == nil {
		problem, err = newWindow(p.recs, size, trustLimit).proveBack(p.idx, sampled(p.count()), size-unproven)
	}
	if err != nil {
		return "", err
	}
	if problem != nil {
		return problem.Text, nil
	}
	end, err := p.end()
	if err == nil && p.idxInfo.Links > 1 && end < size {
		return "the index has other names, which would change with it", nil
	}
	return "", err
}

// rebuild makes a new index and puts it in the place of the old one.
func (p *pair) rebuild(ctx context.Context, o *Options, why string) (Report, error) {
	r := p.report()
	if err := p.refuseLink(); err != nil {
		return r, err
	}
	started := false
	err := vfs.Replace(p.fs, p.indexPath, p.perm(o), func(w io.Writer) error {
		started = true
		b := NewBuilder(w, 0, true)
		if err := p.scan(ctx, o, b, 0); err != nil {
			return err
		}
		r.Records, r.End, r.Tail = b.Records(), b.End(), r.Size-b.End()
		return p.stands()
	})
	if err != nil {
		return p.report(), explain(err, p.indexPath, started)
	}
	r.Added, r.Rebuilt, r.Reason = r.Records, true, why
	return r, nil
}

// perm returns the mode of the index that replaces the present one.
func (p *pair) perm(o *Options) fs.FileMode {
	switch {
	case o.Perm != 0:
		return o.Perm
	case p.idx != nil:
		return p.idxInfo.Mode.Perm()
	}
	return p.recsInfo.Mode.Perm() &^ 0o111
}

// refuseLink returns an error where the index is a symbolic link: renaming
// over it would part it from its target, and links are not written through.
func (p *pair) refuseLink() error {
	info, err := p.fs.Lstat(p.indexPath)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err == nil && info.Mode&os.ModeSymlink != 0:
		return p.indexError(errSymlink)
	}
	return err
}

var errSymlink = errors.New("is a symbolic link, which is not written through")

// scan gives b the records from position from up to the size the file had when
// it was opened, and writes all entries.
func (p *pair) scan(ctx context.Context, o *Options, b *Builder, from int64) error {
	w := newWindow(p.recs, p.recsInfo.Size, blockSize)
	w.step = o.stepper(ctx, w.size)
	for from < w.size {
		block, err := w.from(from)
		if err != nil {
			return err
		}
		if _, err := b.Write(block); err != nil {
			return err
		}
		from += int64(len(block))
	}
	o.Progress(w.size, w.size)
	return b.Flush()
}

// explain adds to an error of replacing the index what its user can do about
// it: the error itself names a temporary file that nobody has heard of.
func explain(err error, indexPath string, started bool) error {
	if !started && (errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)) {
		return fmt.Errorf("directory %s is not writable: %w", filepath.Dir(indexPath), err)
	}
	return err
}
