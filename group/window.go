package group

import (
	"slices"
	"sort"
)

// window is what was delivered of one partition and is not finished, and so
// how far the group may be committed: never past an unfinished record, in
// whatever order they are finished. Records that are passed over, because a
// filter skips them, take no place in it. It is not safe for concurrent use.
type window struct {
	next  uint64 // every record below it was delivered or passed over
	slots []slot // delivered ones, in order, from the first that is unfinished
	head  int    // slots before it are gone
	open  int    // unfinished ones
	bytes int64  // their bytes
}

// slot is one record that was delivered.
type slot struct {
	offset uint64
	size   int64
	done   bool
}

// newWindow begins at an offset.
func newWindow(next uint64) window { return window{next: next} }

// frontier is the offset below which every record is finished: what may be
// committed.
func (w *window) frontier() uint64 {
	if w.head < len(w.slots) {
		return w.slots[w.head].offset
	}
	return w.next
}

// span is how many records are remembered: the unfinished ones, and the
// finished ones behind the first of them.
func (w *window) span() int { return len(w.slots) - w.head }

// pass says that every record below offset was delivered or is passed over.
func (w *window) pass(offset uint64) { w.next = max(w.next, offset) }

// deliver adds a record, which lies behind all that were added.
func (w *window) deliver(offset uint64, size int64) {
	if w.head == len(w.slots) {
		w.slots, w.head = w.slots[:0], 0
	} else if w.head > 64 && w.head > len(w.slots)/2 {
		w.slots, w.head = slices.Delete(w.slots, 0, w.head), 0
	}
	w.slots = append(w.slots, slot{offset: offset, size: size})
	w.next = offset + 1
	w.open++
	w.bytes += size
}

// finish says that a record is finished. It reports false where that is not
// an unfinished one.
func (w *window) finish(offset uint64) bool {
	live := w.slots[w.head:]
	i := 0
	if len(live) > 0 && live[0].offset != offset { // it is the first, as a rule
		i = sort.Search(len(live), func(i int) bool { return live[i].offset >= offset })
	}
	if i >= len(live) || live[i].offset != offset || live[i].done {
		return false
	}
	live[i].done = true
	w.open--
	w.bytes -= live[i].size
	for w.head < len(w.slots) && w.slots[w.head].done {
		w.head++
	}
	return true
}

// single reports whether nothing is remembered but one unfinished record.
func (w *window) single() bool { return w.open == 1 && w.span() == 1 }

// replace finishes the only record and adds the next one.
func (w *window) replace(offset uint64, size int64) {
	w.slots[w.head] = slot{offset: offset, size: size}
	w.next, w.bytes = offset+1, size
}

// oldest is the first unfinished record.
func (w *window) oldest() (offset uint64, ok bool) {
	if w.open == 0 {
		return 0, false
	}
	return w.slots[w.head].offset, true
}

// admits reports whether one more record of that size may be in flight. One
// that is larger than the bound passes alone.
func (w *window) admits(size int64, records int, bytes int64) bool {
	return w.open == 0 || w.open < records && w.bytes+size <= bytes && w.span() < records*spanFactor
}

// spanFactor bounds how far the window reaches behind a record that nobody
// finishes: so many times the records in flight are remembered, and delivered
// again after a crash.
const spanFactor = 64
