package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math/bits"
	"os"

	"example.com/jlq/index"
	"example.com/jlq/reader"
)

// exactSizes is the size below which records are counted by their exact size.
const exactSizes = 64 << 10

// sizes is a histogram of record sizes in bytes, without newlines. Memory is
// bounded: quantiles are exact below 64 KiB, and above it at most 1.6 % low.
type sizes struct {
	small [exactSizes]uint64
	large [64 * 64]uint64 // by length of the number in bits and its next six bits
	count uint64
	max   int64
}

func (s *sizes) add(n int64) {
	s.count++
	s.max = max(s.max, n)
	if n < exactSizes {
		s.small[n]++
		return
	}
	s.large[largeSlot(n)]++
}

func largeSlot(n int64) int {
	length := bits.Len64(uint64(n))
	return length<<6 | int(n>>(length-7)&63)
}

// slotSize is the smallest size in a slot of large.
func slotSize(slot int) int64 {
	return int64(64|slot&63) << (slot>>6 - 7)
}

// quantile returns the size that a fraction q of the records do not exceed.
func (s *sizes) quantile(q float64) int64 {
	rank := uint64(q * float64(s.count))
	if rank >= s.count {
		return s.max
	}
	for n, count := range s.small {
		if rank < count {
			return int64(n)
		}
		rank -= count
	}
	for slot, count := range s.large {
		if rank < count {
			return slotSize(slot)
		}
		rank -= count
	}
	return s.max
}

// entrySizes takes index entries and adds the sizes of the records between
// them. It is an [io.Writer].
type entrySizes struct {
	sizes *sizes
	part  []byte // an entry that is not whole yet
	last  int64
	begun bool
}

// Write implements [io.Writer].
func (e *entrySizes) Write(p []byte) (int, error) {
	total := len(p)
	for len(p) > 0 {
		if len(e.part) == 0 && len(p) >= index.EntrySize {
			if err := e.entry(binary.BigEndian.Uint64(p)); err != nil {
				return total - len(p), err
			}
			p = p[index.EntrySize:]
			continue
		}
		e.part = append(e.part, p[0])
		p = p[1:]
		if len(e.part) == index.EntrySize {
			whole := binary.BigEndian.Uint64(e.part)
			e.part = e.part[:0]
			if err := e.entry(whole); err != nil {
				return total - len(p), err
			}
		}
	}
	return total, nil
}

func (e *entrySizes) entry(position uint64) error {
	at := int64(position)
	if e.begun && at <= e.last {
		return fmt.Errorf("entries do not increase at position %d", at)
	}
	if e.begun {
		e.sizes.add(at - e.last - 1)
	}
	e.last, e.begun = at, true
	return nil
}

// measure finds the record sizes of one segment from its index, and what the
// index does not describe of a bare file from the lines.
func (s *sizes) measure(ctx context.Context, seg reader.SegmentInfo, bare bool) error {
	entries := &entrySizes{sizes: s}
	if seg.Count > 0 {
		if err := copyFile(ctx, entries, seg.Index, 0, int64(seg.Count+1)*index.EntrySize); err != nil {
			return fmt.Errorf("%s: %w", seg.Index, err)
		}
	}
	if !bare {
		return nil
	}
	lines := index.NewBuilder(entries, entries.last, !entries.begun)
	if err := copyFile(ctx, lines, seg.Records, entries.last, seg.Bytes); err != nil {
		return fmt.Errorf("%s: %w", seg.Records, err)
	}
	return lines.Flush()
}

// copyFile copies the bytes from position from up to position to.
func copyFile(ctx context.Context, w io.Writer, path string, from, to int64) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close() // it was only read
	_, err = io.CopyBuffer(struct{ io.Writer }{w}, &contextReader{ctx, io.NewSectionReader(f, from, to-from)}, make([]byte, 256<<10))
	return err
}

// contextReader reads until its context ends.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

// Read implements [io.Reader].
func (c *contextReader) Read(p []byte) (int, error) {
	if c.ctx.Err() != nil {
		return 0, context.Cause(c.ctx)
	}
	return c.r.Read(p)
}
