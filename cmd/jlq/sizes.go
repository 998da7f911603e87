package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"os"

	"example.com/jlq/index"
	"example.com/jlq/internal/segment"
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
	most  int64 // the size of the records file; 0 where it does not matter
	count uint64
	begun bool
}

// errEntry: what the index says is no size of a record.
var errEntry = errors.New("entries do not increase, or go beyond the records")

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
	if e.begun && (at <= e.last || e.most > 0 && at > e.most) {
		return errEntry
	}
	if e.begun {
		e.sizes.add(at - e.last - 1)
	}
	e.last, e.begun = at, true
	e.count++
	return nil
}

// corrupt is the error about the entry that was not taken.
func (e *entrySizes) corrupt(seg reader.SegmentInfo) error {
	err := fmt.Errorf("%w: its entry %d does not fit", segment.ErrIndexMismatch, e.count)
	return &segment.CorruptError{
		Path: seg.Index, Offset: seg.Base + max(e.count, 1) - 1, Position: int64(e.count) * index.EntrySize, Err: err,
	}
}

// chunkEntries is how many records' sizes are read from an index at once.
const chunkEntries = 32 << 10

// measurer finds the record sizes of segments from their indexes. Where there
// are very many records it takes every step-th chunk of them only, so that it
// takes about the same time for any log.
type measurer struct {
	entrySizes
	step  uint64 // 1: every record
	chunk uint64 // number of the next one, over all segments
	buf   []byte
}

// mostMeasured is how many records are measured before it becomes a sample.
const mostMeasured = 16 << 20

func newMeasurer(records uint64) *measurer {
	return &measurer{entrySizes: entrySizes{sizes: new(sizes)}, step: 1 + records/mostMeasured}
}

// index takes the sizes of the first count records of seg from its index, and
// returns where that says the last of them ends.
func (m *measurer) index(ctx context.Context, seg reader.SegmentInfo, count uint64) (end int64, err error) {
	// The size is asked for behind the count: a writer may be at work.
	info, err := os.Stat(seg.Records)
	if err != nil {
		return 0, err
	}
	f, err := os.Open(seg.Index)
	if err != nil {
		return 0, err
	}
	defer f.Close() // it was only read
	m.most, m.last, m.begun, m.count = info.Size(), 0, false, 0
	for from := uint64(0); from < count; from += chunkEntries {
		m.chunk++
		if (m.chunk-1)%m.step != 0 {
			continue
		}
		if ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
		if err := m.entries(f, from, min(count-from, chunkEntries)); errors.Is(err, errEntry) {
			return 0, m.corrupt(seg)
		} else if err != nil {
			return 0, err
		}
	}
	last, err := index.Entry(f, count)
	return int64(last), err
}

// entries takes the sizes of n records from number from on.
func (m *measurer) entries(f *os.File, from, n uint64) error {
	size := int(n+1) * index.EntrySize
	if cap(m.buf) < size {
		m.buf = make([]byte, size)
	}
	buf := m.buf[:size]
	if _, err := f.ReadAt(buf, int64(from)*index.EntrySize); err != nil {
		return fmt.Errorf("%s: %w", f.Name(), err)
	}
	m.begun, m.part, m.count = false, m.part[:0], from
	_, err := m.Write(buf)
	return err
}

// lines takes the sizes of the records of a bare file from position from on
// from the lines themselves.
func (m *measurer) lines(ctx context.Context, seg reader.SegmentInfo, from int64) error {
	m.most, m.last, m.begun = 0, from, from > 0
	lines := index.NewBuilder(&m.entrySizes, from, !m.begun)
	if err := copyFile(ctx, lines, seg.Records, from, seg.Bytes); err != nil {
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
