package peers

import (
	"encoding/binary"
	"errors"
	"path/filepath"
	"time"

	"go.etcd.io/bbolt"
)

var bucketName = []byte("log")

// bolt is a log in a bucket of go.etcd.io/bbolt, its keys the bucket's sequence
// as big-endian numbers from 1.
type bolt struct {
	db     *bbolt.DB
	update func(func(*bbolt.Tx) error) error
}

func openBolt(dir string, sync bool) (Log, error) {
	b, err := newBolt(dir, sync)
	if err == nil {
		b.update = b.db.Update
	}
	return b, err
}

// openBoltTogether lets bbolt gather the transactions of many goroutines. It
// does so for 10 ms or until there are MaxBatchSize, which is set to what the
// workload can gather, so that it never waits.
func openBoltTogether(dir string, goroutines int) (Log, error) {
	b, err := newBolt(dir, true)
	if err == nil {
		b.update = b.db.Batch
		b.db.MaxBatchSize = goroutines
	}
	return b, err
}

func newBolt(dir string, sync bool) (*bolt, error) {
	db, err := bbolt.Open(filepath.Join(dir, "log.db"), 0o600, &bbolt.Options{Timeout: time.Second, NoSync: !sync})
	if err != nil {
		return nil, err
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		_, err := tx.CreateBucketIfNotExists(bucketName)
		return err
	})
	return &bolt{db: db}, err
}

// Append implements bench.Appender.
func (b *bolt) Append(batch [][]byte) error {
	return b.update(func(tx *bbolt.Tx) error {
		bucket := tx.Bucket(bucketName)
		bucket.FillPercent = 1 // keys only grow
		keys := make([]byte, 0, 8*len(batch))
		for _, record := range batch {
			n, err := bucket.NextSequence()
			if err != nil {
				return err
			}
			keys = binary.BigEndian.AppendUint64(keys, n)
			if err := bucket.Put(keys[len(keys)-8:], record); err != nil {
				return err
			}
		}
		return nil
	})
}

// Scan implements Log.
func (b *bolt) Scan(each func([]byte)) error {
	return b.db.View(func(tx *bbolt.Tx) error {
		c := tx.Bucket(bucketName).Cursor()
		for key, record := c.First(); key != nil; key, record = c.Next() {
			each(record)
		}
		return nil
	})
}

var errNotThere = errors.New("no such record")

// Get implements Getter. Each call is a transaction of its own, as a caller
// needs it who wants to see what was appended a moment ago.
func (b *bolt) Get(dst []byte, offset uint64) ([]byte, error) {
	err := b.db.View(func(tx *bbolt.Tx) error {
		var key [8]byte
		binary.BigEndian.PutUint64(key[:], offset+1)
		record := tx.Bucket(bucketName).Get(key[:])
		if record == nil {
			return errNotThere
		}
		dst = append(dst[:0], record...)
		return nil
	})
	return dst, err
}

// Close implements bench.Appender.
func (b *bolt) Close() error { return b.db.Close() }
