package peers

import (
	"encoding/binary"
	"errors"
	"sync/atomic"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"
)

// badgerLog is a log in github.com/dgraph-io/badger, its keys big-endian
// numbers from 0. Badger has no sequence that is as cheap as counting, so the
// log counts itself; a number whose transaction fails stays empty.
type badgerLog struct {
	db   *badger.DB
	next atomic.Uint64
}

// openBadger leaves out what a log has no use for: compression (and with it
// the cache of unpacked blocks), the search for conflicts, and metrics.
func openBadger(dir string, sync bool) (Log, error) {
	o := badger.DefaultOptions(dir).WithLogger(nil).WithSyncWrites(sync).WithMetricsEnabled(false).
		WithDetectConflicts(false).WithCompression(options.None).WithBlockCacheSize(0)
	db, err := badger.Open(o)
	if err != nil {
		return nil, err
	}
	b := &badgerLog{db: db}
	if err := b.count(); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return b, nil
}

// openBadgerTogether needs nothing more: badger gathers the transactions that
// wait, and writes them one after the other, each with an msync of its own.
func openBadgerTogether(dir string, _ int) (Log, error) { return openBadger(dir, true) }

// count finds the number behind the last one.
func (b *badgerLog) count() error {
	return b.db.View(func(tx *badger.Txn) error {
		it := tx.NewIterator(badger.IteratorOptions{Reverse: true})
		defer it.Close()
		if it.Rewind(); it.Valid() {
			b.next.Store(binary.BigEndian.Uint64(it.Item().Key()) + 1)
		}
		return nil
	})
}

// Append implements bench.Appender. A transaction keeps what it is given until
// it is committed, which Update waits for.
func (b *badgerLog) Append(batch [][]byte) error {
	n := uint64(len(batch))
	first := b.next.Add(n) - n
	return b.db.Update(func(tx *badger.Txn) error {
		keys := make([]byte, 0, 8*len(batch))
		for i, record := range batch {
			keys = binary.BigEndian.AppendUint64(keys, first+uint64(i))
			if err := tx.Set(keys[8*i:], record); err != nil {
				return err
			}
		}
		return nil
	})
}

// Scan implements Log.
func (b *badgerLog) Scan(each func([]byte)) error {
	return b.db.View(func(tx *badger.Txn) error {
		it := tx.NewIterator(badger.DefaultIteratorOptions)
		defer it.Close()
		for it.Rewind(); it.Valid(); it.Next() {
			err := it.Item().Value(func(record []byte) error {
				each(record)
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// Get implements Getter, a transaction for each call.
func (b *badgerLog) Get(dst []byte, offset uint64) ([]byte, error) {
	err := b.db.View(func(tx *badger.Txn) error {
		var key [8]byte
		binary.BigEndian.PutUint64(key[:], offset)
		item, err := tx.Get(key[:])
		if err == nil {
			dst, err = item.ValueCopy(dst[:0])
		}
		return err
	})
	return dst, err
}

// Close implements bench.Appender.
func (b *badgerLog) Close() error { return b.db.Close() }
