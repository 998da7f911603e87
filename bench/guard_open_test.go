package bench

import (
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/partition"
)

func openGuards() []guard {
	const records = 50_000
	return []guard{
		{"open to read and close", 82, 16, 10, opening(records, func(jlqStore, *Set) error { return nil })},
		{"open to read, count", 96, 24, 10, opening(records, func(log jlqStore, set *Set) error {
			_, next := log.Bounds()
			return mustBe(int(next), set.Len())
		})},
		{"open to read, the last 10", 120, 31, 10, opening(records, func(log jlqStore, _ *Set) error {
			return counted(log.Log().Tail(10).Records(), 10)
		})},
		{"open to read, get one", 83, 18, 10, opening(records, func(log jlqStore, set *Set) error {
			_, err := log.Get(uint64(set.Len() / 2))
			return err
		})},
		{"open to write and close", 292, 211, 10, openingToWrite(records, 0)},
		{"open to write, append one, close", 333, 227, 10, openingToWrite(records, 1)},
		{"open to read among 1,000 segments", 5350, 166, 5, func(t *testing.T, dir string, fs *countingFS) func() error {
			manySegments(t, dir, 1000)
			return func() error { return openRead(dir, 1000, fs) }
		}},
		{"open to write among 1,000 segments and close", 5219, 57, 5, func(t *testing.T, dir string, fs *countingFS) func() error {
			manySegments(t, dir, 1000)
			return func() error {
				p, err := partition.Open(dir, &partition.Options{FS: fs})
				return firstError(err, p.Close())
			}
		}},
	}
}

// opening opens a log of so many records to read, and closes it.
func opening(records int, use func(log jlqStore, set *Set) error) func(*testing.T, string, *countingFS) func() error {
	return func(t *testing.T, dir string, fs *countingFS) func() error {
		set := guardedLog(t, dir, records)
		return func() error {
			p, err := partition.OpenReader(dir, &partition.Options{FS: fs})
			if err != nil {
				return err
			}
			return firstError(use(jlqStore{p}, set), p.Close())
		}
	}
}

func openingToWrite(records, appends int) func(*testing.T, string, *countingFS) func() error {
	return func(t *testing.T, dir string, fs *countingFS) func() error {
		set := guardedLog(t, dir, records)
		return func() error {
			p, err := partition.Open(dir, &partition.Options{FS: fs})
			if err != nil {
				return err
			}
			require.Zero(t, p.Recovery())
			return firstError(appendSome(jlqStore{p}, set, appends), p.Close())
		}
	}
}

func appendSome(log jlqStore, set *Set, n int) error {
	for i := range n {
		if err := log.Append(set.Batch(i, i+1)); err != nil {
			return err
		}
	}
	return nil
}
