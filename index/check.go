package index

import (
	"context"
	"io"
	"iter"
	"math"
)

// checkEntries is how many entries Check reads at once.
const checkEntries = 8 << 10

// Check compares an index of n records with the records, the first size bytes
// of recs, completely and in one pass with bounded memory. It yields each
// problem, at most one a record; an index without problems is byte for byte
// the one that would be built. A failure to read is the last pair. Lines
// behind the last entry are no problem. The sequence may be ranged again.
func Check(ctx context.Context, idx io.ReaderAt, n uint64, recs io.ReaderAt, size int64) iter.Seq2[Problem, error] {
	return func(yield func(Problem, error) bool) {
		w := newWindow(recs, max(size, 0), blockSize)
		w.step = func(int64) error { return context.Cause(ctx) }
		w.check(ctx, idx, n)(yield)
	}
}

// check is Check on a window that has been prepared.
func (w *window) check(ctx context.Context, idx io.ReaderAt, n uint64) iter.Seq2[Problem, error] {
	return func(yield func(Problem, error) bool) {
		p, err := proveFirst(idx, n)
		if !pass(yield, p, err) {
			return
		}
		b := make([]byte, (min(n, checkEntries)+1)*EntrySize)
		for first := uint64(0); first < n; first += checkEntries {
			// Entries are read without the records where these prove nothing, so
			// the context is asked here as well.
			if err := context.Cause(ctx); !pass(yield, nil, err) {
				return
			}
			count := min(checkEntries, n-first)
			err := readFull(idx, b[:(count+1)*EntrySize], first)
			if !pass(yield, nil, err) || !w.checkRun(yield, b, first, count) {
				return
			}
		}
	}
}

// checkRun yields the problems of count records from first on, whose entries b
// holds, and reports whether to go on.
func (w *window) checkRun(yield func(Problem, error) bool, b []byte, first, count uint64) bool {
	for i := range count {
		p, err := w.prove(first+i, raw(b, i), raw(b, i+1), math.MaxInt64)
		if (p != nil || err != nil) && !pass(yield, p, err) {
			return false
		}
	}
	return true
}

// pass yields what there is to yield and reports whether to go on.
func pass(yield func(Problem, error) bool, p *Problem, err error) bool {
	if err != nil {
		yield(Problem{}, err)
		return false
	}
	return p == nil || yield(*p, nil)
}
