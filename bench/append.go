package bench

import (
	"sync"
	"sync/atomic"
	"testing"
)

// Appender is what a contestant of the append workloads offers.
type Appender interface {
	// Append stores the batch, one record or more. When it returns, the batch
	// is as durable and as visible as the contestant's row in the results
	// says. It does not keep the slices.
	Append(batch [][]byte) error
	// Close ends the use of the log.
	Close() error
}

// Opener creates an empty log in dir, which exists and is empty.
type Opener func(dir string) (Appender, error)

// RunAppend measures appending the whole set in batches of the given size, by
// one goroutine, to a new log in each iteration. Creating and closing the log
// are reported beside it.
func RunAppend(b *testing.B, set *Set, size int, open Opener) {
	b.Helper()
	var m Meter
	for b.Loop() {
		oneAppend(b, &m, set, open, func(log Appender) error { return appendAll(log, set, size) })
	}
	m.Report(b)
}

// RunAppendTogether measures appending the whole set one record at a time by
// so many goroutines at once, each of which waits for its own record.
func RunAppendTogether(b *testing.B, set *Set, goroutines int, open Opener) {
	b.Helper()
	var m Meter
	for b.Loop() {
		oneAppend(b, &m, set, open, func(log Appender) error { return appendTogether(log, set, goroutines) })
	}
	m.Report(b)
}

// oneAppend is one iteration: the log is new, and gone at the end, so that the
// page cache holds one log and not all of them.
func oneAppend(b *testing.B, m *Meter, set *Set, open Opener, work func(Appender) error) {
	b.Helper()
	dir, remove := scratch(b)
	defer remove()
	var log Appender
	var err error
	m.Beside("setup-ms", func() { log, err = open(dir) })
	must(b, err)
	m.Measure(set.Len(), func() { err = work(log) })
	must(b, err)
	m.Beside("close-ms", func() { err = log.Close() })
	must(b, err)
}

func appendAll(log Appender, set *Set, size int) error {
	for from := 0; from < set.Len(); from += size {
		if err := log.Append(set.Batch(from, from+size)); err != nil {
			return err
		}
	}
	return nil
}

func appendTogether(log Appender, set *Set, goroutines int) error {
	var next atomic.Int64
	var wg sync.WaitGroup
	errs := make([]error, goroutines)
	for i := range errs {
		wg.Go(func() {
			for errs[i] == nil {
				at := int(next.Add(1)) - 1
				if at >= set.Len() {
					return
				}
				errs[i] = log.Append(set.Batch(at, at+1))
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
