package bench

import (
	"context"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/partition"
)

// jlqStore is a partition as a contestant.
type jlqStore struct {
	*partition.Partition
}

func openJLQ(sync partition.SyncMode, validate partition.Validate) Opener {
	return func(dir string) (Appender, error) { return openJLQStore(dir, sync, validate) }
}

func openJLQStore(dir string, sync partition.SyncMode, validate partition.Validate) (Store, error) {
	p, err := partition.Open(dir, &partition.Options{Sync: sync, Validate: validate})
	return jlqStore{p}, err
}

func openStoreOS(dir string) (Store, error) {
	return openJLQStore(dir, partition.SyncOS, partition.Frame)
}

func openStoreBuffered(dir string) (Store, error) {
	return openJLQStore(dir, partition.SyncBuffered, partition.Frame)
}

// Append implements Appender. One record goes through the call for one.
func (s jlqStore) Append(batch [][]byte) (err error) {
	if len(batch) == 1 {
		_, err = s.Partition.Append(batch[0])
	} else {
		_, err = s.AppendBatch(batch)
	}
	return err
}

// Scan implements Store.
func (s jlqStore) Scan(each func([]byte)) error {
	for record, err := range s.Records(0) {
		if err != nil {
			return err
		}
		each(record.Data)
	}
	return nil
}

// Follow implements Store.
func (s jlqStore) Follow(n int, each func([]byte)) error {
	for record, err := range s.Partition.Follow(context.Background(), 0) {
		if err != nil {
			return err
		}
		if each(record.Data); record.Offset+1 >= uint64(n) {
			break
		}
	}
	return nil
}

// tally reads the log in the way of the documentation's examples.
func (s jlqStore) tally() (t Tally, err error) {
	for record, err := range s.Records(0) {
		if err != nil {
			return t, err
		}
		t.Add(record.Data)
	}
	return t, nil
}

// tallyNext reads it with the primitive beneath.
func (s jlqStore) tallyNext() (t Tally, err error) {
	r := s.Reader(0)
	for {
		record, err := r.Next()
		if err == io.EOF {
			return t, nil
		}
		if err != nil {
			return t, err
		}
		t.Add(record.Data)
	}
}

// openReader opens the log in dir as another process would.
func openReader(b testing.TB, dir string) jlqStore {
	b.Helper()
	p, err := partition.OpenReader(dir, nil)
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, p.Close()) })
	return jlqStore{p}
}

// Both sides of every comparison must do the same work to the last byte.
func TestJLQWritesTheSameFiles(t *testing.T) {
	for name, open := range map[string]func(string) (Store, error){"os": openStoreOS, "buffered": openStoreBuffered} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			log, err := open(dir)
			require.NoError(t, err)
			require.NoError(t, appendAll(log, Original(), 1))
			require.NoError(t, log.Close())
			require.Equal(t, OriginalRecordsSum, sumFile(t, RecordsPath(dir)))
			require.Equal(t, OriginalIndexSum, sumFile(t, IndexPath(dir)))
		})
	}
}

func TestJLQWritesWhatTheNaiveLogWrites(t *testing.T) {
	set := JSON(1050)
	naive := t.TempDir()
	require.NoError(t, Fixture(naive, set))
	for mode := partition.SyncAlways; mode <= partition.SyncBuffered; mode++ {
		t.Run(mode.String(), func(t *testing.T) {
			dir := t.TempDir()
			log, err := openJLQ(mode, partition.Strict)(dir)
			require.NoError(t, err)
			require.NoError(t, appendAll(log, set, BatchSize))
			require.NoError(t, log.Close())
			require.Equal(t, sumFile(t, RecordsPath(naive)), sumFile(t, RecordsPath(dir)))
			require.Equal(t, sumFile(t, IndexPath(naive)), sumFile(t, IndexPath(dir)))
		})
	}
}

// The readers are checked against the set in every benchmark; this is for those
// who only run the tests.
func TestEveryReaderGivesTheSet(t *testing.T) {
	set := JSON(3000)
	dir := t.TempDir()
	require.NoError(t, Fixture(dir, set))
	log := openReader(t, dir)
	for name, scan := range map[string]func() (Tally, error){
		"jlq": log.tally, "jlq-next": log.tallyNext,
		"naive": tallied(dir, NaiveScan), "naive-reuse": tallied(dir, NaiveScanReuse), "naive-lines": tallied(dir, ScanLines),
	} {
		got, err := scan()
		require.NoError(t, err, name)
		require.NoError(t, got.Check(set), name)
	}
	mapped, err := OpenMapped(dir)
	require.NoError(t, err)
	pair, err := OpenPairGetter(dir)
	require.NoError(t, err)
	for name, get := range map[string]Getter{
		"jlq": log.GetInto, "mapped": mapped.Get, "naive-pread": pair.Get,
		"naive": func(dst []byte, offset uint64) ([]byte, error) { return NaiveGet(dir, dst, offset) },
	} {
		for _, offset := range Shuffled(set.Len(), 200) {
			got, err := get(nil, offset)
			require.NoError(t, err, name)
			require.Equal(t, string(set.Record(int(offset))), string(got), name)
		}
	}
	require.NoError(t, mapped.Close())
	require.NoError(t, pair.Close())
}

// Following beside the writer is where a contestant could miss records.
func TestStoresFollow(t *testing.T) {
	set := JSON(2000)
	for name, open := range map[string]func(string) (Store, error){
		"naive": openNaiveStore, "jlq-os": openStoreOS, "jlq-buffered": openStoreBuffered,
	} {
		t.Run(name, func(t *testing.T) {
			store, err := open(t.TempDir())
			require.NoError(t, err)
			var got Tally
			followed := make(chan error, 1)
			go func() { followed <- store.Follow(set.Len(), got.Add) }()
			require.NoError(t, appendAll(store, set, 1))
			require.NoError(t, <-followed)
			require.NoError(t, got.Check(set))
			require.NoError(t, store.Close())
		})
	}
}

// A naive log that took anything would do less work than jlq.
func TestNaiveChecks(t *testing.T) {
	for _, bad := range []string{"", "a\nb", "a\x00b"} {
		require.Error(t, CheckFrame([]byte(bad)), "%q", bad)
		require.Error(t, CheckJSON([]byte(bad)), "%q", bad)
	}
	require.NoError(t, CheckFrame([]byte("lorem ipsum")))
	for _, bad := range []string{"lorem ipsum", `{"a":`, "\"\xff\""} {
		require.Error(t, CheckJSON([]byte(bad)), "%q", bad)
	}
	require.NoError(t, CheckJSON([]byte(`{"a":1}`)))
}
