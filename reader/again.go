package reader

// The larger part of a scan is the kernel looking for the pages of a block and
// copying them. Where the file is mapped, copying is all there is to it, which
// takes half of the time, and two readers of the same pages do not get into each
// other's way. But a new mapping has no pages, and bringing them in costs more
// than reading them, so it pays for what is read again and again: a file is
// mapped when ranges have read as many bytes of it as it has, and begin anew.
//
// A page that is not in memory stops a processor of the process while it is
// brought in, where a system call would let go of it. So that a scan of what
// memory does not hold stops nobody else, large files are not read that way.
//
// What is copied proves itself as what is read does. It is read from the file
// where it does not, where the mapping ends before it, and where another program
// has cut the file.

// scanMapped is the size of the largest records file that ranges read from a
// mapping.
const scanMapped = 1 << 30

// readRecords reads records from position at on, as many as there are.
func (r *Reader) readRecords(src *source, p []byte, at int64) (int, error) {
	if m := src.random.maps.Load(); m != nil && m.read(p, at) {
		return len(p), nil
	}
	n, err := src.readAt(p, at)
	if r.ranging && err == nil {
		r.log.mapScanned(src, n-1) // without the byte before the block
	}
	return n, err
}

// read reports whether the mapping has all of p, and could be read.
func (m *maps) read(p []byte, at int64) bool {
	if size := m.rec.Len(); at+int64(len(p)) > size || size > scanMapped {
		return false
	}
	if _, err := m.rec.ReadAt(p, at); err != nil {
		return false
	}
	m.reads.count(uint64(at/blockBytes), len(p))
	return true
}

// mapScanned counts bytes that a range read without a mapping, and maps the
// source when it is being read again.
func (l *Log) mapScanned(src *source, bytes int) {
	if src.random.scanned.Add(int64(bytes)) <= max(src.RecInfo.Size, bytesPerMiss) || !l.mayMap(src) {
		return
	}
	if size, err := src.size(); err == nil && size <= scanMapped && src.random.scanned.Load() > size {
		l.remap(src)
	}
}
