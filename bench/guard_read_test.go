package bench

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/filter"
	"example.com/jlq/internal/vfs"
	"example.com/jlq/partition"
	"example.com/jlq/reader"
)

func readGuards() []guard {
	const records = 10_000 // 2.56 MB
	return []guard{
		{"scan 10,000 records", 12, 18, 5, reading(records, func(log jlqStore, set *Set) error {
			t, err := log.tally()
			return firstError(err, t.Check(set))
		})},
		{"read 10,000 records backwards", 16, 18, 5, reading(records, func(log jlqStore, set *Set) error {
			return counted(log.Backward(uint64(set.Len())), set.Len())
		})},
		{"get, mapped", 0, 0, 5000, getting(func(fs *countingFS) vfs.FS { return fs })},
		{"get, not mapped", 0, 2, 1000, getting(func(fs *countingFS) vfs.FS { return unmapped{fs} })},
		{"get what was appended before", 0, 1.3, 500, gettingYoung},
		{"follow a record of this process", 0, 1.3, 500, followingOwn},
		{"follow a record of another process", 12, 4.5, 100, followingOther},
		{"find a time among 100,000", 228, 133, 3, reading(100_000, seekTime)},
		{"filter 10,000 records", 140, 25, 5, filtering(10_000)},
		{"verify 10,000 records", 260, 34, 3, reading(records, func(log jlqStore, set *Set) error {
			n, err := log.verify()
			return firstError(err, mustBe(n, set.Len()))
		})},
	}
}

// reading gives an open reader of so many records to read.
func reading(records int, read func(log jlqStore, set *Set) error) func(*testing.T, string, *countingFS) func() error {
	return func(t *testing.T, dir string, fs *countingFS) func() error {
		set := guardedLog(t, dir, records)
		log := guardedReader(t, dir, fs)
		return func() error { return read(log, set) }
	}
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func mustBe(got, want int) error {
	if got != want {
		return fmt.Errorf("%d records, want %d", got, want)
	}
	return nil
}

func counted(records iter.Seq2[partition.Record, error], want int) error {
	n := 0
	for _, err := range records {
		if err != nil {
			return err
		}
		n++
	}
	return mustBe(n, want)
}

// seekTime finds the middle by its time.
func seekTime(log jlqStore, set *Set) error {
	middle := set.Len() / 2
	at, err := time.Parse(time.RFC3339Nano, string(set.Record(middle)[len(`{"ts":"`):][:len("2006-01-02T15:04:05.000000Z")]))
	if err != nil {
		return err
	}
	offset, err := log.OffsetAt(at, "ts")
	return firstError(err, mustBe(int(offset), middle))
}

func getting(seen func(*countingFS) vfs.FS) func(*testing.T, string, *countingFS) func() error {
	return func(t *testing.T, dir string, fs *countingFS) func() error {
		set := guardedLog(t, dir, 1000)
		log := guardedReader(t, dir, seen(fs))
		buf, at := make([]byte, 0, 1024), uint64(0)
		get := func() error {
			at = (at + 617) % uint64(set.Len())
			_, err := log.GetInto(buf, at)
			return err
		}
		for range 100 { // a few reads come before the files are mapped
			require.NoError(t, get())
		}
		return get
	}
}

// gettingYoung reads what the index file will not have for 2 ms: it is read
// from what writer and readers of a process share.
func gettingYoung(t *testing.T, dir string, fs *countingFS) func() error {
	log, set := guarded(t, dir, fs, partition.SyncOS), JSON(8)
	buf := make([]byte, 0, 1024)
	return func() error {
		offset, err := log.Partition.Append(set.Record(7))
		if err == nil {
			_, err = log.GetInto(buf, offset)
		}
		return err
	}
}

func followingOwn(t *testing.T, dir string, fs *countingFS) func() error {
	log := guarded(t, dir, fs, partition.SyncOS)
	return appendAndFollow(t, log, log)
}

// followingOther counts what the follower does, but not the writer.
func followingOther(t *testing.T, dir string, fs *countingFS) func() error {
	log := guarded(t, dir, vfs.OS, partition.SyncAlways)
	return appendAndFollow(t, log, guardedReader(t, dir, fs))
}

// appendAndFollow appends a record and waits until a follower has it.
func appendAndFollow(t *testing.T, log, from jlqStore) func() error {
	set := JSON(8)
	next, stop := iter.Pull2(from.Partition.Follow(context.Background(), 0))
	t.Cleanup(stop)
	return func() error {
		offset, err := log.Partition.Append(set.Record(7))
		if err != nil {
			return err
		}
		record, err, _ := next()
		return firstError(err, mustBe(int(record.Offset), int(offset)))
	}
}

// filtering chooses among so many records, two pieces of a partition and more.
func filtering(records int) func(*testing.T, string, *countingFS) func() error {
	return func(t *testing.T, dir string, fs *countingFS) func() error {
		set := guardedLog(t, dir, records)
		want := 0
		for i := range set.Len() {
			if bytes.Contains(set.Record(i), []byte(`"level":"error"`)) {
				want++
			}
		}
		log, err := reader.Open(dir, &reader.Options{FS: fs})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, log.Close()) })
		f, err := filter.Compile(`.level == "error" && .amount >= 0`)
		require.NoError(t, err)
		return func() error {
			n, err := sift(log, f, true)
			return firstError(err, mustBe(n, want))
		}
	}
}
