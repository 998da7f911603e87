package partition

import (
	"encoding/binary"
	"fmt"
	"io"

	"example.com/jlq/index"
)

const (
	fewEntries  = 64
	manyEntries = 4096
)

// cursor stands at an entry of an index. It reads few entries first and more
// the longer it goes on, so that one which is soon given up costs little. It
// hands out raw values: what they are worth is not its business.
type cursor struct {
	idx    io.ReaderAt
	last   uint64 // number of the last entry
	number uint64 // of the entry at hand
	page   []byte // entries from first on
	first  uint64
	next   uint64 // how many are read next
}

// seek moves to entry number.
func (c *cursor) seek(number uint64) {
	c.number, c.page, c.next = number, c.page[:0], fewEntries
}

// more reports whether there is an entry at hand.
func (c *cursor) more() bool { return c.number <= c.last }

// value returns the entry at hand, of which there is one.
func (c *cursor) value() (uint64, error) {
	i := (c.number - c.first) * index.EntrySize
	if i >= uint64(len(c.page)) {
		if err := c.read(); err != nil {
			return 0, err
		}
		i = 0
	}
	return binary.BigEndian.Uint64(c.page[i:]), nil
}

func (c *cursor) read() error {
	n := int(min(c.next, c.last-c.number+1)) * index.EntrySize
	if cap(c.page) < n {
		c.page = make([]byte, n)
	}
	c.page, c.first = c.page[:n], c.number
	c.next = min(2*c.next, manyEntries)
	if _, err := c.idx.ReadAt(c.page, int64(c.number)*index.EntrySize); err != nil {
		c.page = c.page[:0]
		return fmt.Errorf("index entry %d: %w", c.number, err)
	}
	return nil
}
