package writer

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

const (
	// shareBytes is how much there must be to check for other processors to
	// be asked to help: less takes about as long as it takes to wake them.
	shareBytes = 256 << 10
	// shareParts is how many parts each processor gets. There are more than
	// one, because some processors have other work.
	shareParts = 4
)

// check checks every record and returns the first that is none, with what is
// wrong with it; len(data) where all are good.
func (w *Writer) check(data [][]byte) (bad int, err error) {
	if len(data) < 2 || w.lines(data) < shareBytes {
		return w.checkPart(data)
	}
	procs := runtime.GOMAXPROCS(0) // it takes a lock
	if procs < 2 {
		return w.checkPart(data)
	}
	return w.checkShared(data, min(procs, len(data)))
}

func (w *Writer) checkPart(data [][]byte) (bad int, err error) {
	limit := w.opts.maxRecord()
	for i, rec := range data {
		if err := w.opts.Validate.Check(rec, limit); err != nil {
			return i, err
		}
	}
	return len(data), nil
}

// checkShared is check by n goroutines, the caller's among them; the others
// have ended when it returns. They take parts of about the same size from the
// front, so all parts before the first bad record are looked at whatever comes
// later. They get a copy of the slice: else that of every caller, also of one
// record, would have to be on the heap.
func (w *Writer) checkShared(data [][]byte, n int) (bad int, err error) {
	parts := split(slices.Clone(data), w.lines(data)/int64(n*shareParts)+1)
	var next, found atomic.Int64 // the part that is taken next; bad parts so far
	bads, errs := make([]int, len(parts)), make([]error, len(parts))
	work := func() {
		for found.Load() == 0 {
			i := int(next.Add(1)) - 1
			if i >= len(parts) {
				return
			}
			bads[i], errs[i] = w.checkPart(parts[i])
			if errs[i] != nil {
				found.Add(1)
			}
		}
	}
	var wg sync.WaitGroup
	for range n - 1 {
		wg.Go(work)
	}
	work()
	wg.Wait()
	at := 0
	for i, part := range parts {
		if errs[i] != nil {
			return at + bads[i], errs[i]
		}
		at += len(part)
	}
	return len(data), nil
}

// split cuts data into runs of records of about size bytes.
func split(data [][]byte, size int64) (parts [][][]byte) {
	begin, sum := 0, int64(0)
	for i, rec := range data {
		sum += int64(len(rec)) + 1
		if sum >= size || i == len(data)-1 {
			parts = append(parts, data[begin:i+1])
			begin, sum = i+1, 0
		}
	}
	return parts
}
