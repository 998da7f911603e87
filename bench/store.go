package bench

import (
	"errors"
	"sync"
	"testing"
)

// Store is what a contestant of the original's five workloads offers.
type Store interface {
	Appender
	// Scan hands every record that was appended to each, in order.
	Scan(each func(record []byte)) error
	// Follow hands the first n records to each, in order, and waits for those
	// that are not there yet. It runs beside Append.
	Follow(n int, each func(record []byte)) error
}

// RunReaders measures so many goroutines reading the whole of one store at the
// same time.
func RunReaders(b *testing.B, set *Set, readers int, store Store) {
	b.Helper()
	var m Meter
	for b.Loop() {
		tallies := make([]Tally, readers)
		errs := make([]error, readers)
		m.Measure(readers*set.Len(), func() {
			var wg sync.WaitGroup
			for i := range readers {
				wg.Go(func() { errs[i] = store.Scan(tallies[i].Add) })
			}
			wg.Wait()
		})
		for i, t := range tallies {
			must(b, errs[i])
			must(b, t.Check(set))
		}
	}
	m.Report(b)
}

// RunSeries measures appending the set one record at a time and then reading
// it.
func RunSeries(b *testing.B, set *Set, open func(dir string) (Store, error)) {
	b.Helper()
	runBoth(b, set, open, func(s Store, t *Tally) error {
		if err := appendAll(s, set, 1); err != nil {
			return err
		}
		return s.Scan(t.Add)
	})
}

// RunParallel measures appending the set one record at a time while another
// goroutine reads it, until the reader has the last record.
func RunParallel(b *testing.B, set *Set, open func(dir string) (Store, error)) {
	b.Helper()
	runBoth(b, set, open, func(s Store, t *Tally) error {
		followed := make(chan error, 1)
		go func() { followed <- s.Follow(set.Len(), t.Add) }()
		if err := appendAll(s, set, 1); err != nil {
			return err
		}
		return <-followed
	})
}

func runBoth(b *testing.B, set *Set, open func(string) (Store, error), work func(Store, *Tally) error) {
	b.Helper()
	var m Meter
	for b.Loop() {
		var t Tally
		oneAppend(b, &m, set, func(dir string) (Appender, error) { return open(dir) }, func(log Appender) error {
			return work(log.(Store), &t)
		})
		must(b, t.Check(set))
	}
	m.Report(b)
}

// NaiveStore is the naive log with readers in the same process. A follower
// waits on a condition variable for the count of flushed records.
type NaiveStore struct {
	*Naive
	dir string

	mu    sync.Mutex
	more  sync.Cond
	count int
	err   error // why there will be no more
}

var errClosed = errors.New("store is closed")

// CreateNaiveStore creates the log in dir.
func CreateNaiveStore(dir string) (*NaiveStore, error) {
	n, err := CreateNaive(dir, CheckFrame, 0)
	if err != nil {
		return nil, err
	}
	s := &NaiveStore{Naive: n, dir: dir}
	s.more.L = &s.mu
	return s, nil
}

// Append stores the batch, flushes it and wakes the followers.
func (s *NaiveStore) Append(batch [][]byte) error {
	if err := s.Naive.Append(batch); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count += len(batch)
	s.more.Broadcast()
	return nil
}

// Scan implements Store.
func (s *NaiveStore) Scan(each func([]byte)) error { return NaiveScan(s.dir, each) }

// Follow implements Store.
func (s *NaiveStore) Follow(n int, each func([]byte)) error {
	return followPair(s.dir, n, s.wait, each)
}

// wait returns the count as soon as it is above seen.
func (s *NaiveStore) wait(seen int) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.count <= seen && s.err == nil {
		s.more.Wait()
	}
	return s.count, s.err
}

// Close closes the files and ends every follower.
func (s *NaiveStore) Close() error {
	s.mu.Lock()
	s.err = errClosed
	s.more.Broadcast()
	s.mu.Unlock()
	return s.Naive.Close()
}
