package peers

import (
	"sync"

	"github.com/tidwall/wal"
)

// cacheAll is more segments than any workload makes, so that random reads find
// everything in memory: the peer's best case.
const cacheAll = 1 << 10

// tidwall is a log of github.com/tidwall/wal. It numbers from 1.
type tidwall struct {
	log   *wal.Log
	batch wal.Batch
	next  uint64
}

func openTidwall(dir string, sync bool) (Log, error)     { return newTidwall(dir, sync, wal.Binary) }
func openTidwallJSON(dir string, sync bool) (Log, error) { return newTidwall(dir, sync, wal.JSON) }

func newTidwall(dir string, sync bool, format wal.LogFormat) (*tidwall, error) {
	log, err := wal.Open(dir, &wal.Options{NoSync: !sync, LogFormat: format, NoCopy: true, SegmentCacheSize: cacheAll})
	if err != nil {
		return nil, err
	}
	last, err := log.LastIndex()
	return &tidwall{log: log, next: last + 1}, err
}

// Append implements bench.Appender.
func (t *tidwall) Append(batch [][]byte) error {
	for _, record := range batch {
		t.batch.Write(t.next, record)
		t.next++
	}
	return t.log.WriteBatch(&t.batch)
}

// Scan implements Log.
func (t *tidwall) Scan(each func([]byte)) error {
	for i := uint64(1); i < t.next; i++ {
		record, err := t.log.Read(i)
		if err != nil {
			return err
		}
		each(record)
	}
	return nil
}

// Get implements Getter.
func (t *tidwall) Get(dst []byte, offset uint64) ([]byte, error) {
	record, err := t.log.Read(offset + 1)
	return append(dst[:0], record...), err
}

// Close implements bench.Appender.
func (t *tidwall) Close() error { return t.log.Close() }

// turns lets many goroutines append to a log that wants its numbers in order:
// one after the other. The log has no means of sharing a sync among them.
type turns struct {
	Log
	mu sync.Mutex
}

// Append implements bench.Appender.
func (t *turns) Append(batch [][]byte) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.Log.Append(batch)
}

func openTidwallTogether(dir string, _ int) (Log, error) {
	log, err := openTidwall(dir, true)
	return &turns{Log: log}, err
}
