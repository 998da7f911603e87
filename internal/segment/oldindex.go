package segment

import (
	"encoding/binary"
	"fmt"
	"io"

	"example.com/jlq/index"
)

// oldIndex is the index that is there when a pair is repaired: evidence of
// where records began, as far as it holds together.
type oldIndex struct {
	r       io.ReaderAt // nil where there is none
	size    int64
	claimed uint64 // records that its whole entries describe, without zeros at the end
	zeros   uint64 // entries at its end that are 0 and claim nothing
	sound   uint64 // entries 0 to sound increase strictly from 0
	breaks  uint64 // entries that are not above the one before
	ok      bool   // entry 0 is there and is 0

	first uint64 // entry that buf begins with
	buf   []byte
}

// entryBlock is how many entries are read at once.
const entryBlock = 4096

// newOldIndex reads the whole index once.
func newOldIndex(r io.ReaderAt, size int64) (*oldIndex, error) {
	x := &oldIndex{r: r, size: size, claimed: index.Count(size)}
	if r == nil || size < index.EntrySize {
		return x, nil
	}
	entries := NewEntryReader(r, 0, x.claimed)
	before := uint64(0)
	for i := uint64(0); i <= x.claimed; i++ {
		pos, err := entries.Next()
		if err != nil {
			return nil, err
		}
		x.take(i, before, pos)
		before = pos
	}
	x.breaks -= min(x.breaks, x.zeros)
	x.claimed -= x.zeros
	return x, nil
}

// take looks at entry i and the one before it.
func (x *oldIndex) take(i, before, pos uint64) {
	switch {
	case i == 0:
		x.ok = pos == 0
		return
	case pos == 0:
		x.zeros++
	default:
		x.zeros = 0
	}
	if pos <= before {
		x.breaks++
	} else if x.ok && x.sound == i-1 {
		x.sound = i
	}
}

// plausible reports whether it is the index of something, and not garbage.
func (x *oldIndex) plausible() bool { return x.ok && x.breaks <= 1+x.claimed/100 }

// at returns entry i ≤ claimed.
func (x *oldIndex) at(i uint64) (uint64, error) {
	if i < x.first || i-x.first >= uint64(len(x.buf)/index.EntrySize) {
		if err := x.load(i); err != nil {
			return 0, err
		}
	}
	return binary.BigEndian.Uint64(x.buf[(i-x.first)*index.EntrySize:]), nil
}

func (x *oldIndex) load(i uint64) error {
	x.first = i - i%entryBlock
	n := min(entryBlock, x.claimed-x.first+1)
	if uint64(cap(x.buf)) < n*index.EntrySize {
		x.buf = make([]byte, n*index.EntrySize)
	}
	x.buf = x.buf[:n*index.EntrySize]
	if err := readFull(x.r, x.buf, int64(x.first)*index.EntrySize); err != nil {
		x.buf = x.buf[:0]
		return fmt.Errorf("index entry %d: %w", i, err)
	}
	return nil
}

// find returns the number of the sound entry for position, or of the first
// one above it.
func (x *oldIndex) find(position int64) (i uint64, found bool, err error) {
	i, err = x.above(position - 1)
	if err != nil || i > x.sound || !x.ok {
		return i, false, err
	}
	pos, err := x.at(i)
	return i, err == nil && pos == uint64(position), err
}

// above returns the first sound entry above position, sound+1 if there is
// none.
func (x *oldIndex) above(position int64) (uint64, error) {
	if !x.ok || position < 0 {
		return 0, nil
	}
	low, high := x.bracket(uint64(position))
	for low < high {
		mid := low + (high-low)/2
		pos, err := x.at(mid)
		if err != nil {
			return 0, err
		}
		if pos > uint64(position) {
			high = mid
		} else {
			low = mid + 1
		}
	}
	return low, nil
}

// bracket bounds the search for position: by the block at hand, where it has
// the answer. Searches go forward through the file, so that it mostly has.
func (x *oldIndex) bracket(position uint64) (low, high uint64) {
	n := uint64(len(x.buf) / index.EntrySize)
	if n > 0 && x.first+n-1 <= x.sound {
		first := binary.BigEndian.Uint64(x.buf)
		last := binary.BigEndian.Uint64(x.buf[(n-1)*index.EntrySize:])
		if first <= position && position < last {
			return x.first, x.first + n - 1
		}
	}
	return 0, x.sound + 1
}
