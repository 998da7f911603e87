package index

import "io"

const (
	// trustAll is the number of records up to which Trusted looks at each.
	trustAll = 4096

	// trustSpread and trustLast are how many records of a larger index
	// Trusted looks at: spread evenly, and at the end, where a crash leaves
	// its marks.
	trustSpread = 64
	trustLast   = 1024

	// trustOrdered is how many entries at the end of a larger index Trusted
	// compares with each other. BuildFile leaves no more than these unsynced,
	// so that whatever a power loss makes of them, NUL or garbage, is seen.
	trustOrdered = 512 << 10

	// trustLimit is how far into a record Trusted looks for an inner newline.
	trustLimit = 4 << 10

	// trustBlock is how many bytes Trusted reads at once where it reads on.
	trustBlock = 64 << 10
)

// Trusted reports whether an index of n records fits the records, which are
// the first size bytes of recs, as far as a sample shows; where it does not,
// the string says why. Entry 0 must be 0, entries must increase and lie within
// the records, each behind a newline, and no record may hold an inner newline
// (looked for in its first 4 KiB). The sample is everything up to 4,096
// records, otherwise 64 spread evenly and the last 1,024, and the last 524,288
// entries must increase: an index of another file, of this file before it was
// rewritten, or with holes that a power loss left does not pass; one altered in
// a few places can, and [Check] finds those. Errors are those of reading and
// say nothing about trust.
func Trusted(idx io.ReaderAt, n uint64, recs io.ReaderAt, size int64) (bool, string, error) {
	p, err := sample(idx, n, recs, max(size, 0))
	if err != nil {
		return false, "", err
	}
	if p != nil {
		return false, p.Text, nil
	}
	return true, "", nil
}

// sample returns the first problem in what Trusted looks at.
func sample(idx io.ReaderAt, n uint64, recs io.ReaderAt, size int64) (*Problem, error) {
	if p, err := proveFirst(idx, n); p != nil || err != nil {
		return p, err
	}
	if n <= trustAll {
		return newWindow(recs, size, trustBlock).proveRun(idx, 0, n)
	}
	w := newWindow(recs, size, trustLimit)
	for k := range uint64(trustSpread) {
		i := n / trustSpread * k
		if p, err := w.proveRun(idx, i, i+1); p != nil || err != nil {
			return p, err
		}
	}
	if p, err := newWindow(recs, size, trustBlock).proveRun(idx, n-trustLast, n); p != nil || err != nil {
		return p, err
	}
	return w.proveOrder(idx, sampled(n), n)
}

// sampled is from where on sample compares all of n+1 entries with each other.
func sampled(n uint64) uint64 { return n - min(n, trustOrdered) }

// proveOrder returns the first problem in how the entries [first, next] follow
// each other, without a look at the records.
func (w *window) proveOrder(idx io.ReaderAt, first, next uint64) (*Problem, error) {
	b := make([]byte, trustBlock)
	for first < next {
		count := min(next-first, trustBlock/EntrySize-1)
		if err := readFull(idx, b[:(count+1)*EntrySize], first); err != nil {
			return nil, err
		}
		if p := w.ordered(b, first, count); p != nil {
			return p, nil
		}
		first += count
	}
	return nil, nil
}

// proveBack returns the first problem in how the entries up to n follow each
// other, back to one that is not above position and lies behind a newline.
func (w *window) proveBack(idx io.ReaderAt, n uint64, position int64) (*Problem, error) {
	b := make([]byte, trustBlock)
	for next := n; next > 0; {
		count := min(next, trustBlock/EntrySize-1)
		first := next - count
		if err := readFull(idx, b[:(count+1)*EntrySize], first); err != nil {
			return nil, err
		}
		if p := w.ordered(b, first, count); p != nil {
			return p, nil
		}
		if raw(b, 0) <= uint64(max(position, 0)) {
			return w.proveRun(idx, first, first+1)
		}
		next = first
	}
	return nil, nil
}

// ordered returns the first problem in how the count+1 entries in b, of which
// the first is number first, follow each other.
func (w *window) ordered(b []byte, first, count uint64) *Problem {
	for i := range count {
		if start, end := raw(b, i), raw(b, i+1); end <= start {
			return w.notIncreasing(first+i, start, end)
		}
	}
	return nil
}

// proveRun returns the first problem of the records [first, next), whose
// number is small.
func (w *window) proveRun(idx io.ReaderAt, first, next uint64) (*Problem, error) {
	if first == next {
		return nil, nil
	}
	b := make([]byte, (next-first+1)*EntrySize)
	if err := readFull(idx, b, first); err != nil {
		return nil, err
	}
	if first > 0 {
		if p, err := w.proveStart(first, raw(b, 0)); p != nil || err != nil {
			return p, err
		}
	}
	for i := range next - first {
		p, err := w.prove(first+i, raw(b, i), raw(b, i+1), trustLimit)
		if p != nil || err != nil {
			return p, err
		}
	}
	return nil, nil
}
