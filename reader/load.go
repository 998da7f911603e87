package reader

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"sort"

	"example.com/jlq/index"
	"example.com/jlq/internal/jsonl"
	"example.com/jlq/internal/segment"
)

// turns bounds how often a read is begun again because the files changed.
const turns = 16

// fill reads the next block. It returns io.EOF where there is nothing more to
// be read now.
func (r *Reader) fill() error {
	r.finish()
	r.bad = badRange{}
	if err := r.begin(); err != nil {
		return err
	}
	final := false
	for range turns {
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
			final, err = true, r.renew()
		}
		if err != nil {
			return err
		}
	}
	return r.log.restless()
}

func (l *Log) restless() error {
	return &fs.PathError{Op: "read", Path: l.place.Path, Err: errors.New("its files change faster than they can be read")}
}

// ready sees to it that there is a source, where there is more to read.
func (r *Reader) ready() error {
	if r.step == 1 && r.next >= r.limit {
		if r.next == UnknownOffset && !r.bounded {
			return r.log.rangeError(r.next)
		}
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

// loaded counts the block.
func (r *Reader) loaded() error {
	r.log.stats.blocks.Add(1)
	r.log.stats.bytes.Add(uint64(r.block.posts[r.block.n] - r.block.posts[0]))
	return nil
}

// doubtful reports whether err may come from files that were replaced.
func (r *Reader) doubtful(err error) bool {
	return errors.Is(err, segment.ErrIndexMismatch) || errors.Is(err, fs.ErrClosed)
}

// renew looks at the names again and takes the files that they denote, where
// these are others.
func (r *Reader) renew() error {
	r.log.stats.retries.Add(1)
	r.window.src = nil
	if _, err := r.log.refresh(); err != nil {
		return err
	}
	src := r.lease.src
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
	if now, _ := r.log.layout.Load().find(r.next); now == src.slot {
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
		r.bad = badRange{set: true}
		return r.indexError(src, r.next, err)
	}
	if len(posts) < 2 {
		return nil
	}
	posts = posts[:fit(posts)+1]
	return r.readBlock(posts, r.next, live, final)
}

// visible returns how many records the source shows from record k on, at
// least; live says that their entries are in the tail of this process's writer.
func (r *Reader) visible(k uint64) (n uint64, live bool, err error) {
	if k < r.indexed {
		return r.indexed - k, false, nil
	}
	src := r.lease.src
	if w := r.log.live; w != nil && w.Base() == src.Base {
		// The watermark is read first: what is published later than that
		// is found in the index by the next turn.
		next := w.Next() - src.Base
		r.indexed = w.Published() - src.Base
		if k < r.indexed {
			return r.indexed - k, false, nil
		}
		return next - min(next, k), true, nil
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
func (r *Reader) readBlock(posts []int64, offset uint64, live, final bool) error {
	src := r.lease.src
	r.block = block{posts: posts}
	if offset == src.Base && posts[0] != 0 {
		r.bad = badRange{set: true}
		return r.indexError(src, offset, mismatch("the first entry is %d, not 0", posts[0]))
	}
	n := len(posts) - 1
	if posts[n]-posts[0] > blockBytes || posts[n] <= posts[0] {
		if err := r.checkLength(src, offset, posts[0], posts[1]); err != nil {
			return err
		}
		n = 1
	}
	if err := r.readBytes(src, posts[0], posts[n], live); err != nil {
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

// withinLimit cuts the block before a record that is larger than the limit.
// Those that are larger than a block were looked at before they were read.
func (r *Reader) withinLimit(offset uint64) error {
	limit := r.log.layout.Load().limit
	if limit >= blockBytes {
		return nil
	}
	for i := range r.block.n {
		length := r.block.posts[i+1] - 1 - r.block.posts[i]
		if length <= limit {
			continue
		}
		r.block.n = i
		if i == 0 {
			return r.checkLimit(r.lease.src, offset, r.block.posts[0], length)
		}
		return nil
	}
	return nil
}

// readBytes reads positions [start, end) and the byte before.
func (r *Reader) readBytes(src *source, start, end int64, live bool) error {
	at := max(start-1, 0)
	buf := r.bytes(int(end-at), r.log.opts.Retain)
	inFile := len(buf)
	if live {
		// This order matters: what the writer flushes in between is in the
		// file by the time that the file is read.
		inFile = r.log.live.Unwritten(buf, at)
	}
	got, err := src.readAt(buf[:inFile], at)
	if got == inFile {
		got = len(buf)
	}
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
	r.bad = badRange{set: true}
	return src.corrupt(offset, start, end, mismatch("%s", flaw))
}

// checkLength says whether a record that does not fit a block, or whose entries
// do not increase, is one at all, before memory is taken for it.
func (r *Reader) checkLength(src *source, offset uint64, start, end int64) error {
	size, err := src.size()
	switch {
	case err != nil:
		return err
	case end <= start || start < 0:
		r.bad = badRange{set: true}
		return src.corrupt(offset, start, 0, mismatch("its entries do not increase"))
	case end > size && r.log.live == nil:
		r.bad = badRange{set: true}
		return src.corrupt(offset, start, end, mismatch("the records file ends at %d", size))
	}
	return r.checkLimit(src, offset, start, end-start-1)
}

// checkLimit returns an error where length is beyond the limit. partition.json
// is asked again first: a later writer may be allowed more.
func (r *Reader) checkLimit(src *source, offset uint64, start, length int64) error {
	if length <= r.log.layout.Load().limit {
		return nil
	}
	ly, err := r.log.refresh()
	if err != nil || length <= ly.limit {
		return err
	}
	r.bad = badRange{set: true, line: r.byLine}
	return tooLarge(src, offset, start, ly.limit)
}

func tooLarge(src *source, offset uint64, start, limit int64) error {
	if offset == UnknownOffset {
		return fmt.Errorf("%s: record at position %d: %w: more than %d bytes", src.Records, start, jsonl.ErrTooLarge, limit)
	}
	return fmt.Errorf("%s: record at offset %d, position %d: %w: more than %d bytes", src.Records, offset, start, jsonl.ErrTooLarge, limit)
}

// leave is called where the source has nothing at r.next. It returns nil when
// there is reason to look once more, and io.EOF where the log ends.
func (r *Reader) leave() error {
	src := r.lease.src
	switch {
	case r.byLine || !r.log.indexed():
		return io.EOF
	case r.next == r.srcEnd:
		return r.checkJoint(src)
	case r.log.live != nil && r.log.live.Base() == src.Base:
		return r.atLiveEnd()
	case r.srcEnd != math.MaxUint64 || r.bounded:
		return r.gap(src)
	}
	return r.atEnd()
}

// checkJoint leaves a sealed segment, which has as many records as the base of
// the next one says.
func (r *Reader) checkJoint(src *source) error {
	n, err := src.recount()
	if err != nil {
		return err
	}
	if n > r.srcEnd-src.Base {
		err := mismatch("it describes %d records, but the next segment begins after %d", n, r.srcEnd-src.Base)
		return r.indexError(src, r.next, err)
	}
	r.leaveSource()
	return nil
}

// gap handles an index that ends before the next segment begins, or before
// the high watermark that it had.
func (r *Reader) gap(src *source) error {
	ly, err := r.log.refresh()
	if err != nil {
		return err
	}
	if s, end := ly.find(r.next); s != src.slot || end != r.srcEnd {
		r.leaveSource() // what was missing is back
		return nil
	}
	if fresh, err := src.Fresh(r.log.fs); err != nil || !fresh {
		return errors.Join(err, r.renew())
	}
	n, err := src.recount()
	if err != nil {
		return err
	}
	if n > r.next-src.Base {
		r.indexed = min(n, r.srcEnd-src.Base)
		return nil
	}
	return r.gapError(src, n)
}

// gapError tells a missing segment from an index that lost its end: the
// records of a segment that is whole end where its index does.
func (r *Reader) gapError(src *source, n uint64) error {
	size, err := src.size()
	if err != nil {
		return err
	}
	var end int64
	if n > 0 {
		if end, err = index.Entry(src.Idx, n); err != nil {
			return r.indexError(src, r.next, err)
		}
	}
	if n > 0 && end == size && r.srcEnd != math.MaxUint64 {
		return r.log.awayError(src.Base + n)
	}
	return r.indexError(src, r.next, mismatch("it ends before the records do"))
}

// atLiveEnd tells the end of the log from an offset beyond it.
func (r *Reader) atLiveEnd() error {
	next := r.log.live.Next()
	switch {
	case r.next == next:
		return io.EOF
	case r.next > next:
		return r.log.rangeError(r.next)
	}
	return nil
}

// atEnd looks whether another process has published more, under other names
// too.
func (r *Reader) atEnd() error {
	_, next, err := r.log.watermark()
	switch {
	case err != nil:
		return err
	case r.next == next:
		return io.EOF
	case r.next > next:
		return r.log.rangeError(r.next)
	}
	r.leaveSource()
	return nil
}
