package reader

import (
	"bytes"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/segment"
	"example.com/jlq/internal/vfs"
)

// warm reads until the log is mapped, where it can be.
func warm(t testing.TB, log *Log, offset uint64) {
	t.Helper()
	for range missesBeforeMap + 1 {
		_, err := log.Get(offset)
		require.NoError(t, err)
	}
	if mappable(log) {
		require.Positive(t, log.Stats().Maps)
	}
}

// mappable: what another program may replace at any time is never mapped.
func mappable(log *Log) bool {
	_, can := log.fs.(vfs.Mapper)
	return can && log.indexed()
}

// TestGetMapped reads the same from a mapping as from the files.
func TestGetMapped(t *testing.T) {
	records := numbered(0, 1000)
	for _, name := range []string{"", "app.jsonl"} {
		disks(t, func(t *testing.T, d disk) {
			d.pair(t, 0, text(records...))
			d.write(t, "app.jsonl", text(records...))
			d.write(t, "app.jsonl.index", entries(text(records...)))
			log := d.open(t, name, Options{})
			warm(t, log, 0)
			before := log.Stats()
			for i, want := range records {
				data, err := log.Get(uint64(i))
				require.NoError(t, err)
				require.Equal(t, want, string(data))
			}
			after := log.Stats()
			require.EqualValues(t, len(records), after.Gets-before.Gets)
			if mappable(log) {
				require.EqualValues(t, len(records), after.Mapping.Reads-before.Mapping.Reads)
			} else {
				require.Zero(t, after.Mapping)
			}
			_, err := log.Get(1000)
			requireRange(t, err, 1000, 0, 1000)
		})
	}
}

// TestGetInto uses the caller's memory where it is large enough.
func TestGetInto(t *testing.T) {
	d := osDisk(t)
	d.pair(t, 0, text("short", "a longer record", "", "x"))
	for _, fsys := range []vfs.FS{vfs.OS, unmapped{vfs.OS}} {
		log := disk{fsys, d.dir}.open(t, "", Options{})
		for range 2 {
			buf := make([]byte, 7, 64)
			for i, want := range []string{"short", "a longer record", "", "x"} {
				data, err := log.GetInto(buf, uint64(i))
				require.NoError(t, err)
				require.Equal(t, want, string(data))
				require.Same(t, &buf[:1][0], &data[:1][0])
			}
			data, err := log.GetInto(nil, 1)
			require.NoError(t, err)
			require.Equal(t, "a longer record", string(data))
			warm(t, log, 0)
		}
	}
}

// TestGetGrowing maps again as the log grows, and not for each record.
func TestGetGrowing(t *testing.T) {
	d := osDisk(t)
	if _, can := d.fs.(vfs.Mapper); !can {
		t.Skip("this system cannot map files")
	}
	w := newFakeWriter(t, d, 0, 100)
	w.live.KeepTail(0)
	log := w.attach(Options{})
	warm(t, log, 0)
	for range 2000 {
		w.add(1, published)
		data, err := log.Get(w.next - 1)
		require.NoError(t, err)
		require.Equal(t, numbered(int(w.next-1), 1)[0], string(data))
	}
	maps := log.Stats().Maps
	require.Greater(t, maps, uint64(2))
	require.Less(t, maps, uint64(2000/missesBeforeMap+2))
}

// TestGetCut cuts a mapped file short: an error, not the death of the process.
func TestGetCut(t *testing.T) {
	records := numbered(0, 20_000)
	for _, file := range []string{recordsName, indexName} {
		t.Run(file, func(t *testing.T) {
			d := osDisk(t)
			d.pair(t, 0, text(records...))
			log := d.open(t, "", Options{})
			warm(t, log, 19_999)
			d.cut(t, file, 4096)
			_, err := log.Get(19_999)
			e := requireCorrupt(t, err, segment.ErrIndexMismatch, 19_999)
			require.Equal(t, d.path(file), e.Path)
			data, err := log.Get(10)
			require.NoError(t, err)
			require.Equal(t, records[10], string(data))
		})
	}
}

// TestGetReplaced takes no byte of a mapping whose file is no longer the log's.
func TestGetReplaced(t *testing.T) {
	d := osDisk(t)
	d.write(t, "app.jsonl", text(numbered(0, 100)...))
	d.write(t, "app.jsonl.index", entries(text(numbered(0, 100)...)))
	log := d.open(t, "app.jsonl", Options{})
	d.rename(t, "app.jsonl", text(numbered(500, 100)...))
	d.rename(t, "app.jsonl.index", entries(text(numbered(500, 100)...)))
	for range 3 * missesBeforeMap {
		data, err := log.Get(7)
		require.NoError(t, err)
		require.Equal(t, numbered(507, 1)[0], string(data))
	}
}

// TestGetEdited reads a mapped file in which somebody split a line.
func TestGetEdited(t *testing.T) {
	d := osDisk(t)
	records := numbered(0, 100)
	d.pair(t, 0, text(records...))
	log := d.open(t, "", Options{})
	warm(t, log, 50)
	data := bytes.Replace(text(records...), []byte(`{"n":50,`), []byte("{\"n\"\n50,"), 1)
	d.write(t, recordsName, data)
	_, err := log.Get(50)
	requireCorrupt(t, err, segment.ErrIndexMismatch, 50)
	_, err = log.Get(51)
	require.NoError(t, err)
}

// TestGetMany reads at random from many goroutines while the log is mapped.
func TestGetMany(t *testing.T) {
	d := osDisk(t)
	records := numbered(0, 2000)
	d.pair(t, 0, text(records[:700]...))
	d.pair(t, 700, text(records[700:]...))
	log := d.open(t, "", Options{})
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			var buf []byte
			for i := range 1000 {
				offset := (g*131 + i*37) % len(records)
				var err error
				if buf, err = log.GetInto(buf, uint64(offset)); err != nil || string(buf) != records[offset] {
					t.Errorf("record %d: %q, %v", offset, buf, err)
					return
				}
			}
		})
	}
	wg.Wait()
}

// TestGetAllocations reads a warm log without allocating.
func TestGetAllocations(t *testing.T) {
	if invariants {
		t.Skip("memory is not used again in this build")
	}
	d := osDisk(t)
	d.pair(t, 0, text(numbered(0, 1000)...))
	buf := make([]byte, 0, 256)
	for _, fsys := range []vfs.FS{vfs.OS, unmapped{vfs.OS}} {
		log := disk{fsys, d.dir}.open(t, "", Options{})
		warm(t, log, 0)
		i := uint64(0)
		allocs := testing.AllocsPerRun(200, func() {
			buf, _ = log.GetInto(buf, i%1000)
			i += 13
		})
		require.Zero(t, allocs, fmt.Sprintf("%T", fsys))
	}
}

// TestScanAllocations reads sequences with a number of allocations that does
// not depend on their length.
func TestScanAllocations(t *testing.T) {
	if invariants {
		t.Skip("memory is not used again in this build")
	}
	d := osDisk(t)
	d.pair(t, 0, text(numbered(0, 50_000)...))
	d.write(t, "app.jsonl", text(numbered(0, 50_000)...))
	for _, name := range []string{"", "app.jsonl"} {
		log := d.open(t, name, Options{})
		scan := func() {
			n := 0
			for _, err := range log.Records(0) {
				if err == nil {
					n++
				}
			}
			require.Equal(t, 50_000, n)
		}
		scan()
		require.Less(t, testing.AllocsPerRun(5, scan), 60.0)
	}
}
