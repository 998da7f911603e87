package reader

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"sort"

	"example.com/jlq/index"
	"example.com/jlq/internal/segment"
)

// fill reads the next block. It returns io.EOF where there is nothing more to
// be read now.
func (r *Reader) fill() error {
	r.finish()
	if err := r.begin(); err != nil {
		return err
	}
	final := false
	for t := (attempts{}); t.another(r.log, turns); {
		r.bad = badRange{}
		if done, err := r.loadRecent(); done || err != nil {
			return r.loadedOr(err)
		}
		if err := r.ready(); err != nil {
			return err
		}
		if r.lease.src == nil {
			continue
		}
		err := r.load(final)
		if err == nil && r.block.n > 0 {
			return r.loaded()
		}
		if err == nil {
			err = r.leave()
		} else if !final && r.doubtful(err) {
			final, err = true, r.renew(r.next)
		} else {
			err = r.widen(err)
		}
		if err != nil {
			return err
		}
	}
	return r.log.restless()
}

// ready sees to it that there is a source, where there is more to read.
func (r *Reader) ready() error {
	if r.step == 1 && r.next >= r.limit {
		if r.next == UnknownOffset && !r.bounded {
			return r.log.rangeError(r.next)
		}
		r.makeRoom()
		return io.EOF
	}
	if err := r.log.alive(); err != nil {
		return err
	}
	if r.lease.src == nil {
		return r.enter()
	}
	return nil
}

// loadedOr is loaded where nothing went wrong.
func (r *Reader) loadedOr(err error) error {
	if err != nil {
		return err
	}
	return r.loaded()
}

// loaded counts the block.
func (r *Reader) loaded() error {
	r.log.stats.blocks.Add(1)
	r.log.stats.bytes.Add(uint64(r.block.posts[r.block.n] - r.block.posts[0]))
	r.makeRoom()
	return nil
}

// doubtful reports whether err may come from files that were replaced.
func (r *Reader) doubtful(err error) bool {
	return errors.Is(err, segment.ErrIndexMismatch) || errors.Is(err, fs.ErrClosed)
}

// renew looks at the names again and takes the files that they denote, where
// these are others. offset is that of the record that is to be read.
func (r *Reader) renew(offset uint64) error {
	r.log.stats.retries.Add(1)
	r.window.src = nil
	if _, err := r.log.refresh(); err != nil {
		return err
	}
	src := r.lease.src
	src.random.maps.Store(nil) // the files themselves are read
	fresh, err := src.Fresh(r.log.fs)
	if err != nil || fresh {
		return err
	}
	if r.log.place.Bare {
		// Offsets of the file that was replaced mean nothing in the new
		// one, so what was begun with the old one ends with it.
		return nil
	}
	if src.slot.src.Load() == src {
		if err := r.log.replace(src); err != nil {
			return err
		}
	}
	if now, _ := r.log.layout.Load().find(offset); now == src.slot {
		r.leaveSource()
	}
	return nil
}

// load reads a block from the source, or leaves r.block.n 0 where the source
// has nothing at r.next. With final, a block that does not prove itself is
// cut to what does, and where that is nothing the error says what is wrong.
func (r *Reader) load(final bool) error {
	if r.byLine {
		return r.loadLines()
	}
	src := r.lease.src
	k := r.next - src.Base
	n, live, err := r.visible(k)
	switch {
	case err != nil:
		return err
	case n == 0 && !r.log.indexed():
		return r.goByLine()
	case n == 0:
		return nil
	}
	if r.step == 1 {
		n = min(n, r.limit-r.next)
	}
	var posts []int64
	if live {
		posts, err = r.livePosts(r.next, n)
	} else {
		posts, err = r.window.ahead(src, k, n)
	}
	if err != nil {
		return r.damaged(r.indexError(src, r.next, err))
	}
	if len(posts) < 2 {
		return nil
	}
	if final {
		posts = rising(posts)
	}
	posts = posts[:fit(posts)+1]
	return r.readBlock(posts, r.next, final)
}

// visible returns how many records the source shows from record k on, at
// least; live says that their entries are in the tail of this process's writer.
func (r *Reader) visible(k uint64) (n uint64, live bool, err error) {
	if k < r.indexed {
		return r.indexed - k, false, nil
	}
	src := r.lease.src
	if w := r.log.live; w != nil && w.Base() == src.Base {
		// What is not written yet is in memory. What is published later than
		// this is found in the index by the next turn.
		next, published := w.Written()-src.Base, w.Published()-src.Base
		// A roll in between makes these numbers those of another segment; the
		// index of this one has all of its records then.
		if w.Base() == src.Base {
			r.indexed = published
			if k < r.indexed {
				return r.indexed - k, false, nil
			}
			return next - min(next, k), true, nil
		}
	}
	if r.bounded && !r.log.indexed() {
		return 0, false, nil
	}
	count, err := src.recount()
	r.indexed = min(count, r.srcEnd-src.Base)
	return r.indexed - min(r.indexed, k), false, err
}

// livePosts returns posts of records that the writer has not published.
func (r *Reader) livePosts(offset, n uint64) ([]int64, error) {
	posts := r.fences(int(min(n, blockPosts)) + 1)
	got, ok := r.log.live.Positions(offset, posts)
	if !ok {
		return nil, nil // published meanwhile: the next turn reads the index
	}
	return posts[:got], nil
}

// indexError makes an error of reading the index one with a place. What the
// operating system says stays as it is: an I/O error is not corruption.
func (r *Reader) indexError(src *source, offset uint64, err error) error {
	if _, system := errors.AsType[*fs.PathError](err); system {
		return err
	}
	if !errors.Is(err, segment.ErrIndexMismatch) {
		err = fmt.Errorf("%w: %w", segment.ErrIndexMismatch, err)
	}
	return &segment.CorruptError{
		Path: src.Index, Offset: offset,
		Position: int64(min((offset-src.Base)*index.EntrySize, math.MaxInt64)), Err: err,
	}
}

// rising cuts posts behind the last of those that increase, but not to less
// than one record: what is read at once is taken from the last, which must not
// be noise.
func rising(posts []int64) []int64 {
	n := 2
	for n < len(posts) && posts[n] > posts[n-1] {
		n++
	}
	return posts[:n]
}

// fit returns how many of the records between posts are read at once, at
// least 1.
func fit(posts []int64) int {
	n := len(posts) - 1
	if posts[n]-posts[0] <= blockBytes {
		return n
	}
	return max(1, sort.Search(n, func(i int) bool { return posts[i+1]-posts[0] > blockBytes }))
}

// readBlock reads the records between posts, of which the first has that
// offset.
func (r *Reader) readBlock(posts []int64, offset uint64, final bool) error {
	src := r.lease.src
	r.block = block{posts: posts, noNUL: r.log.noNUL()}
	if offset == src.Base && posts[0] != 0 {
		return r.damaged(r.indexError(src, offset, mismatch("the first entry is %d, not 0", posts[0])))
	}
	n := len(posts) - 1
	if posts[n]-posts[0] > blockBytes || posts[n] <= posts[0] {
		if err := r.checkLength(src, offset, posts[0], posts[1]); err != nil {
			return err
		}
		n = 1
	}
	if err := r.readBytes(src, posts[0], posts[n]); err != nil {
		return err
	}
	r.block.n = n
	if !r.block.proven() {
		if err := r.unproven(src, offset, final); err != nil {
			return err
		}
	}
	if err := r.withinLimit(offset); err != nil || r.log.indexed() {
		return err
	}
	r.pass(false) // where the index ends, the lines go on from here
	return nil
}

// readBytes reads positions [start, end) and the byte before.
func (r *Reader) readBytes(src *source, start, end int64) error {
	at := max(start-1, 0)
	buf := r.bytes(int(end-at), at, r.log.opts.Retain)
	got, err := r.readRecords(src, buf, at)
	r.block.buf, r.block.at = buf[:got], at
	return err
}

// unproven decides about a block that is not what the index says.
func (r *Reader) unproven(src *source, offset uint64, final bool) error {
	good := 0
	if final {
		good = r.block.goodPrefix()
	}
	if good > 0 {
		r.block.n = good
		return nil
	}
	return r.mismatchAt(src, offset, 0)
}

// mismatchAt makes the error about line i of the block.
func (r *Reader) mismatchAt(src *source, offset uint64, i int) error {
	start, end, flaw := r.block.posts[i], r.block.posts[i+1], r.block.flaw(i)
	r.block.n = 0
	return r.damaged(src.corrupt(offset, start, end, mismatch("%s", flaw)))
}
