package reader

import (
	"io"
	"iter"
	"sort"
)

// Backward returns the records before-1, before-2 and so on, down to the
// first. A before beyond the high watermark that is seen when the range begins
// is that watermark; [UnknownOffset] always is. In a bare file, offsets are
// found by counting what its index does not cover; where that is more than
// 64 MiB and before is UnknownOffset, nothing is counted and the records have
// UnknownOffset.
func (l *Log) Backward(before uint64) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		r := l.borrow()
		defer r.giveBack()
		r.recordsBack(r.startBack(before), yield)
	}
}

// recordsBack yields the records before the place of the reader, the last one first;
// err is how getting there ended.
func (r *Reader) recordsBack(err error, yield func(Record, error) bool) {
	for err == nil {
		var rec Record
		if rec, err = r.prev(); err != nil {
			err = r.passOverBack(err)
		} else if !yield(rec, nil) {
			return
		}
	}
	if err != io.EOF {
		yield(Record{}, err)
	}
}

// prev is Next for going backwards.
func (r *Reader) prev() (Record, error) {
	r.spoil(r.i)
	for r.i == 0 {
		if err := r.fillBack(); err != nil {
			return Record{}, err
		}
	}
	r.i--
	r.next -= r.step
	return Record{r.next, r.block.posts[r.i], r.block.data(r.i)}, nil
}

// startBack places the reader for going backwards: r.next is the offset
// behind the records that come, and r.i counts the lines of the block that are
// left.
func (r *Reader) startBack(before uint64) error {
	if err := r.placeBefore(before); err != nil {
		return err
	}
	if r.log.indexed() {
		return nil
	}
	size, err := r.lease.src.size()
	r.end, r.bounded = size, true
	if err == nil && r.step == 0 && r.line.open {
		err = r.loadLastLine(r.line.pos)
	}
	return err
}

// fillBack reads the block of records that ends before r.next.
func (r *Reader) fillBack() error {
	r.finish()
	final := false
	for t := (attempts{}); t.another(r.log, turns); {
		r.bad = badRange{}
		if done, err := r.loadRecentBack(); done || err != nil {
			r.i = r.block.n
			return r.loadedOr(err)
		}
		if err := r.readyBack(); err != nil {
			return err
		}
		if r.lease.src == nil {
			continue
		}
		err := r.loadBack(final)
		if err == nil && r.block.n > 0 {
			r.i = r.block.n
			return r.loaded()
		}
		if err != nil && !final && r.doubtful(err) {
			final, err = true, r.renew(r.next-1)
		} else if err != nil {
			err = r.widenBack(err)
		}
		if err != nil {
			return err
		}
	}
	return r.log.restless()
}

// readyBack sees to it that there is a source, where there is more to read.
func (r *Reader) readyBack() error {
	if err := r.log.alive(); err != nil {
		return err
	}
	if r.step == 0 {
		return eofIf(r.line.pos == 0)
	}
	if r.next <= r.log.layout.Load().start {
		return io.EOF
	}
	if src := r.lease.src; src != nil && r.next == src.Base {
		r.leaveSource()
	}
	if r.lease.src != nil {
		return nil
	}
	return r.enterAt(r.next - 1)
}

func eofIf(end bool) error {
	if end {
		return io.EOF
	}
	return nil
}

// loadBack reads the block that ends before r.next.
func (r *Reader) loadBack(final bool) error {
	src := r.lease.src
	if r.byLine && (r.step == 0 || r.line.pos > src.lines.first.pos) {
		return r.loadLinesBack()
	}
	k := r.next - src.Base
	n, live, err := r.visibleBack(src, k)
	if err != nil {
		return err
	}
	if n == 0 && !r.log.indexed() {
		return r.goByLineBack()
	}
	var posts []int64
	if live {
		posts, err = r.livePosts(r.next-n, n)
	} else {
		posts, err = r.window.behind(src, k, n)
	}
	if err != nil {
		return r.damaged(r.indexError(src, r.next-1, err))
	}
	if uint64(len(posts)) < 2 {
		return nil
	}
	if final {
		posts = risingBack(posts)
	}
	return r.readBlockBack(src, posts[fitBack(posts):], final)
}

// visibleBack returns how many records that end with k-1 are described in one
// place; 0 where no index reaches as far.
func (r *Reader) visibleBack(src *source, k uint64) (n uint64, live bool, err error) {
	if w := r.log.live; w != nil && w.Base() == src.Base {
		if published := w.Published() - src.Base; k > published {
			return min(k-published, blockPosts), true, nil
		}
		return min(k, blockPosts), false, nil
	}
	if k <= r.indexed {
		return min(k, blockPosts), false, nil
	}
	if !r.log.indexed() {
		return 0, false, nil
	}
	count, err := src.recount()
	if err != nil {
		return 0, false, err
	}
	if r.indexed = min(count, r.srcEnd-src.Base); k > r.indexed {
		return 0, false, r.lost(r.gapError(src, count, src.Base+count), k-r.indexed)
	}
	return min(k, blockPosts), false, nil
}

// risingBack cuts posts before the last run of those that increase, but not to
// less than one record.
func risingBack(posts []int64) []int64 {
	i := len(posts) - 2
	for i > 0 && posts[i-1] < posts[i] {
		i--
	}
	return posts[i:]
}

// fitBack returns the first of the posts from which on the records are read
// at once.
func fitBack(posts []int64) int {
	n := len(posts) - 1
	return min(n-1, sort.Search(n, func(i int) bool { return posts[n]-posts[i] <= blockBytes }))
}

// readBlockBack reads the records between posts, the last of which is
// r.next-1.
func (r *Reader) readBlockBack(src *source, posts []int64, final bool) error {
	n := len(posts) - 1
	if posts[n]-posts[0] > blockBytes || posts[n] <= posts[0] {
		posts, n = posts[n-1:], 1
		if err := r.checkLength(src, r.next-1, posts[0], posts[1]); err != nil {
			return err
		}
	}
	r.block = block{posts: posts, noNUL: r.log.noNUL()}
	if err := r.readBytes(src, posts[0], posts[n]); err != nil {
		return err
	}
	r.block.n = n
	if !r.block.proven() {
		if err := r.unprovenBack(src, final); err != nil {
			return err
		}
	}
	return r.withinLimitBack()
}

func (r *Reader) unprovenBack(src *source, final bool) error {
	n := r.block.n
	first := n
	if final {
		first = r.block.goodSuffix()
	}
	if first == n {
		return r.mismatchAt(src, r.next-1, n-1)
	}
	r.block.posts = r.block.posts[first:]
	r.block.n = n - first
	return nil
}

// withinLimitBack cuts the block behind a record that is larger than the
// limit.
func (r *Reader) withinLimitBack() error {
	limit := r.log.layout.Load().limit
	if limit >= blockBytes {
		return nil
	}
	posts := r.block.posts
	for i := r.block.n - 1; i >= 0; i-- {
		length := posts[i+1] - 1 - posts[i]
		if length <= limit {
			continue
		}
		n := r.block.n
		r.block.posts, r.block.n = posts[i+1:], n-1-i
		if r.block.n == 0 {
			return r.checkLimit(r.lease.src.Records, r.next-r.step, posts[i], length)
		}
		return nil
	}
	return nil
}
