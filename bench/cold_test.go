package bench

import (
	"errors"
	"os"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/partition"
)

// coldReads is how many records are read cold: each costs two looks at the disk.
const coldReads = 2000

// BenchmarkRandomCold reads single records of a log that is not in the page
// cache, each of them in a log that was just opened: nobody has mapped it.
func BenchmarkRandomCold(b *testing.B) {
	set := JSON(ManyRecords)
	dir := fixture(b, set)
	offsets := Shuffled(set.Len(), coldReads)
	b.Run("jlq", func(b *testing.B) {
		runCold(b, set, dir, offsets, func() (Getter, func() error, error) {
			log, err := partition.OpenReader(dir, nil)
			if err != nil {
				return nil, nil, err
			}
			return log.GetInto, log.Close, nil
		})
	})
	b.Run("naive-pread", func(b *testing.B) {
		runCold(b, set, dir, offsets, func() (Getter, func() error, error) {
			log, err := OpenPairGetter(dir)
			return log.Get, log.Close, err
		})
	})
	b.Run("mapped", func(b *testing.B) {
		runCold(b, set, dir, offsets, func() (Getter, func() error, error) {
			log, err := OpenMapped(dir)
			return log.Get, log.Close, err
		})
	})
}

func runCold(b *testing.B, set *Set, dir string, offsets []uint64, open func() (Getter, func() error, error)) {
	b.Helper()
	var m Meter
	for b.Loop() {
		runtime.GC() // unmaps what the readers before had mapped, and so held in the cache
		for _, path := range []string{RecordsPath(dir), IndexPath(dir)} {
			if err := dropCache(path); errors.Is(err, errors.ErrUnsupported) {
				b.Skip("this system cannot be told to forget a file")
			} else {
				require.NoError(b, err)
			}
		}
		get, end, err := open()
		require.NoError(b, err)
		var got int64
		m.Measure(len(offsets), func() { got, err = sumOf(offsets, get) })
		require.NoError(b, err)
		require.Equal(b, sizeOf(set, offsets), got)
		require.NoError(b, end())
	}
	m.Report(b)
}

func sizeOf(set *Set, offsets []uint64) (sum int64) {
	for _, offset := range offsets {
		sum += int64(len(set.Record(int(offset))))
	}
	return sum
}

// BenchmarkRandomCut reads single records of a log that is mapped, and does so
// again after another program has cut the file to a half: the records that are
// left are read, and asking for the others is an error, not the end of the
// process.
func BenchmarkRandomCut(b *testing.B) {
	set := JSON(ManyRecords)
	offsets := Shuffled(set.Len()/2-1, RandomReads)
	b.Run("jlq-whole", func(b *testing.B) { runCut(b, set, offsets, false) })
	b.Run("jlq-cut", func(b *testing.B) { runCut(b, set, offsets, true) })
}

func runCut(b *testing.B, set *Set, offsets []uint64, cut bool) {
	b.Helper()
	var m Meter
	for b.Loop() {
		dir, remove := scratch(b)
		require.NoError(b, Fixture(dir, set))
		p, err := partition.OpenReader(dir, nil)
		require.NoError(b, err)
		log := jlqStore{p}
		_, err = sumOf(Shuffled(set.Len(), RandomReads), log.GetInto) // until it is mapped, and every page is there
		require.NoError(b, err)
		if cut {
			require.NoError(b, os.Truncate(RecordsPath(dir), set.Size()/2))
			require.NoError(b, failures(log, set))
		}
		var got int64
		m.Measure(len(offsets), func() { got, err = sumOf(offsets, log.GetInto) })
		require.NoError(b, err)
		require.Equal(b, sizeOf(set, offsets), got)
		require.NoError(b, log.Close())
		remove()
	}
	m.Report(b)
}

// failures reads what is no longer there, page by page.
func failures(log jlqStore, set *Set) error {
	for offset := set.Len()/2 + 1000; offset < set.Len(); offset += 1000 {
		if _, err := log.Get(uint64(offset)); err == nil {
			return errors.New("a record that was cut off could be read")
		}
	}
	return nil
}

// The benchmark must find what there is to find: a reader in its midst that
// went on with what is no longer there would be faster.
func TestReaderSurvivesACut(t *testing.T) {
	set := JSON(20_000)
	dir := t.TempDir()
	require.NoError(t, Fixture(dir, set))
	log := openReader(t, dir)
	_, err := sumOf(Shuffled(set.Len(), 5000), log.GetInto)
	require.NoError(t, err)
	require.Positive(t, log.Stats().Read.Maps)
	require.NoError(t, os.Truncate(RecordsPath(dir), set.Size()/2))
	require.NoError(t, failures(log, set))
	offsets := Shuffled(set.Len()/2-1, 1000)
	got, err := sumOf(offsets, log.GetInto)
	require.NoError(t, err)
	require.Equal(t, sizeOf(set, offsets), got)
}
