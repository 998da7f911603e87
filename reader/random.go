package reader

import (
	"bytes"
	"encoding/binary"
	"io"
	"slices"
	"sync"
	"sync/atomic"

	"example.com/jlq/index"
	"example.com/jlq/internal/vfs"
)

// random is what makes reading a source at random cheap, and scanning it again.
//
// It is mapped once enough reads went without: a single look-up is cheaper by
// two system calls than by two mappings. The mapping ends where the file ended,
// so a file that grows is mapped again once enough reads missed it. How many is
// enough grows with the file, because a new mapping begins with no pages, and
// reads have to bring them in again one by one.
type random struct {
	maps    atomic.Pointer[maps]
	misses  atomic.Int64 // reads at random without a mapping
	scanned atomic.Int64 // bytes that ranges read without one
	making  sync.Mutex
}

// maps is one mapping of both files. Neither it nor what it maps changes; the
// garbage collector unmaps it when no read refers to it any more.
type maps struct {
	idx, rec vfs.Mapping
	count    uint64
	limit    int64 // longest record
	noNUL    bool
	reads    *mappedCount
}

const (
	missesBeforeMap = 16
	bytesPerMiss    = 1 << 20
)

// Get returns record offset as a slice of the caller's own. One that retention
// has dropped may be returned for as long as its segment is open.
func (l *Log) Get(offset uint64) ([]byte, error) {
	scratch := scratches.Get().(*[]byte)
	defer scratches.Put(scratch)
	data, err := l.GetInto(*scratch, offset)
	if err != nil {
		return nil, err
	}
	*scratch = data
	if cap(data) > 4*blockBytes {
		*scratch = nil
	}
	return slices.Clip(append(make([]byte, 0, len(data)), data...)), nil
}

var scratches = sync.Pool{New: func() any { return new([]byte) }}

// GetInto reads record offset into the memory of dst and returns it. The
// result begins where dst does, or is new memory where dst has too little: with
// one byte more than the longest record, and 16 at least, it never is. What is
// beyond the length of the result is not preserved.
func (l *Log) GetInto(dst []byte, offset uint64) ([]byte, error) {
	if s, _ := l.layout.Load().find(offset); s != nil {
		if src := s.src.Load(); src != nil {
			if data, ok := src.mapped(dst[:0], offset-s.Base); ok {
				return data, l.alive()
			}
		}
	}
	if data, ok := l.recent(dst[:0], offset); ok {
		return data, nil
	}
	return l.getUnmapped(dst[:0], offset)
}

// mapped reads record k from the mapping. ok is false where that is not to be
// had there, or is not what it should be; the caller then reads the files.
func (s *source) mapped(dst []byte, k uint64) (data []byte, ok bool) {
	m := s.random.maps.Load()
	if m == nil || k >= m.count {
		return nil, false
	}
	if !s.used.Load() {
		s.used.Store(true)
	}
	data, ok = m.get(dst, k)
	if ok {
		m.reads.count(k, len(data))
	}
	return data, ok
}

// get reads record k of the mapping. It stands between memory that anybody may
// change or cut and the caller, so everything is proved on the copy. Both files
// are read under one guard: it costs more than a read does.
//
// No branch on the way to a good record depends on what the record's bytes are,
// as it would if the newline were searched for: the processor goes on to the
// next call while the bytes of this one are still on their way from memory.
func (m *maps) get(dst []byte, k uint64) (data []byte, ok bool) {
	fault := false
	dst, ok = m.copyLine(dst, k, &fault)
	if !ok || fault {
		return nil, false
	}
	last := len(dst) - 1
	data = dst[:last]
	if dst[last] != '\n' || bytes.IndexByte(data, '\n') >= 0 || m.noNUL && bytes.IndexByte(data, 0) >= 0 {
		return nil, false
	}
	return data, true
}

// copyLine copies line k, with the newline that should be its end, where the
// index describes one that may be and a line begins there.
func (m *maps) copyLine(dst []byte, k uint64, fault *bool) (line []byte, ok bool) {
	defer vfs.Unguard(vfs.Guard(), fault)
	dst = roomy(dst, 2*index.EntrySize)
	if _, err := m.idx.Copy(dst, int64(k)*index.EntrySize); err != nil {
		return nil, false
	}
	start, end := binary.BigEndian.Uint64(dst), binary.BigEndian.Uint64(dst[index.EntrySize:])
	if start >= end || end > uint64(m.rec.Len()) || end-start-1 > uint64(m.limit) {
		return nil, false
	}
	n := int(end - start)
	dst = roomy(dst, n)
	if _, err := m.rec.Copy(dst, int64(start)); err != nil {
		return nil, false
	}
	return dst, start == 0 || m.rec.At(int64(start)-1) == '\n'
}

// roomy returns n bytes where dst begins, or new ones where it has too few.
func roomy(dst []byte, n int) []byte {
	if cap(dst) < n {
		return slices.Grow(dst[:0], n)[:n]
	}
	return dst[:n]
}

// getUnmapped reads record offset from the files, or from the writer's tail.
func (l *Log) getUnmapped(dst []byte, offset uint64) ([]byte, error) {
	l.stats.gets.Add(1)
	r := l.borrow()
	defer r.giveBack()
	if err := r.one(offset); err != nil {
		return dst, err
	}
	dst = append(dst, r.block.data(0)...)
	if r.lease.src != nil {
		l.mapWhenDue(r.lease.src)
	}
	return dst, nil
}

// one reads the block that is just the record at offset. One that was not there,
// and is when the error about it is made, is looked for again.
func (r *Reader) one(offset uint64) error {
	for t := (attempts{}); t.another(r.log, turns); {
		r.next, r.limit, r.single = offset, offset+1, true
		err := io.EOF
		if offset != UnknownOffset {
			err = r.fill()
		}
		if err == io.EOF {
			err = r.log.rangeError(offset)
		}
		if _, ok := cameMeanwhile(err); !ok {
			return err
		}
	}
	return r.log.restless()
}

// mapWhenDue counts a read that went without a mapping, and maps the source
// when there were enough of them.
func (l *Log) mapWhenDue(src *source) {
	if !l.mayMap(src) {
		return
	}
	due := int64(missesBeforeMap)
	if m := src.random.maps.Load(); m != nil {
		due += (m.idx.Len() + m.rec.Len()) / bytesPerMiss
	}
	if src.random.misses.Add(1) >= due {
		l.remap(src)
	}
}

// mayMap reports whether the source can be mapped. A bare file that another
// program writes may be replaced at any time, and a read from the mapping does
// not look at names.
func (l *Log) mayMap(src *source) bool {
	return l.mapper != nil && src.believed && l.indexed()
}

// remap maps the source as it is now. That it cannot be mapped is not an error.
func (l *Log) remap(src *source) {
	if !src.random.making.TryLock() {
		return
	}
	defer src.random.making.Unlock()
	src.random.misses.Store(0)
	src.random.scanned.Store(0)
	m, err := l.mapSource(src)
	if err != nil || m == nil {
		return
	}
	l.stats.maps.Add(1)
	src.random.maps.Store(m)
}

// mapSource maps the index first: what it describes at that moment is in the
// records file by then. Files that are no longer those of the source are not
// used.
func (l *Log) mapSource(src *source) (*maps, error) {
	idx, err := l.mapper.Map(src.Index)
	if err != nil || !idx.Info().Same(src.IdxInfo) {
		return nil, err
	}
	rec, err := l.mapper.Map(src.Records)
	if err != nil || !rec.Info().Same(src.RecInfo) {
		return nil, err
	}
	return &maps{
		idx: idx, rec: rec, count: index.Count(idx.Len()),
		limit: l.layout.Load().limit, noNUL: l.noNUL(), reads: src.counts.mapping(),
	}, nil
}

// Locate returns where record offset lies on disk: the records file, the
// position of its first byte in it, and its length without the newline.
func (l *Log) Locate(offset uint64) (path string, position int64, length int, err error) {
	if h, _, ok := l.hold(l.layout.Load(), offset); ok {
		defer h.Release()
		return l.pairAt(h.Base()).Records, h.Position(offset), h.Size(offset, offset+1) - 1, nil
	}
	r := l.borrow()
	defer r.giveBack()
	if err := r.one(offset); err != nil {
		return "", 0, 0, err
	}
	if r.lease.src == nil {
		return l.Locate(offset) // it was appended just now, and is in memory
	}
	b := &r.block
	return r.lease.src.Records, b.posts[0], int(b.posts[1] - b.posts[0] - 1), nil
}
