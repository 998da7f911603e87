package reader

import (
	"bytes"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/segment"
	"example.com/jlq/internal/vfs"
)

// scannedLog has records of more than bytesPerMiss in one segment.
func scannedLog(t *testing.T, d disk) (records []string) {
	t.Helper()
	records = numbered(0, 60_000)
	require.Greater(t, len(text(records...)), bytesPerMiss)
	d.pair(t, 0, text(records...))
	return records
}

func requireScan(t *testing.T, log *Log, records []string) {
	t.Helper()
	n := 0
	for rec, err := range log.Records(0) {
		require.NoError(t, err)
		if records[n] != string(rec.Data) {
			require.Equal(t, records[n], string(rec.Data))
		}
		n++
	}
	require.Len(t, records, n)
}

// rescan reads the log until it is mapped, where it can be.
func rescan(t *testing.T, log *Log, records []string) {
	t.Helper()
	requireScan(t, log, records)
	require.Zero(t, log.Stats().Maps, "what is read once is not mapped")
	requireScan(t, log, records)
	if mappable(log) {
		require.EqualValues(t, 1, log.Stats().Maps)
	}
}

// TestScanAgain: what is scanned again and again is read without system calls,
// where it can be mapped.
func TestScanAgain(t *testing.T) {
	for _, name := range []string{"", "app.jsonl"} {
		disks(t, func(t *testing.T, d disk) {
			records := scannedLog(t, d)
			d.write(t, "app.jsonl", text(records...))
			d.write(t, "app.jsonl.index", entries(text(records...)))
			log := d.open(t, name, Options{})
			rescan(t, log, records)
			before := log.Stats()
			requireScan(t, log, records)
			after := log.Stats()
			size := uint64(len(text(records...)))
			if mappable(log) {
				require.Equal(t, before.Disk, after.Disk)
				require.GreaterOrEqual(t, after.Mapping.Bytes-before.Mapping.Bytes, size)
			} else {
				require.Zero(t, after.Mapping)
				require.GreaterOrEqual(t, after.Disk.Bytes-before.Disk.Bytes, size)
			}
			require.Equal(t, size, after.Bytes-before.Bytes)
		})
	}
}

// mappedScan is a log that scans read from a mapping.
func mappedScan(t *testing.T, opts Options) (disk, *Log, []string) {
	t.Helper()
	d := osDisk(t)
	if _, can := d.fs.(vfs.Mapper); !can {
		t.Skip("this system cannot map files")
	}
	records := scannedLog(t, d)
	log := d.open(t, "", opts)
	rescan(t, log, records)
	return d, log, records
}

// TestScanCut cuts a mapped file short: what is left is read, then comes the
// error, and the process lives.
func TestScanCut(t *testing.T) {
	d, log, records := mappedScan(t, Options{})
	cut := len(text(records[:50_000]...))
	d.cut(t, recordsName, int64(cut)+3)
	n := 0
	for rec, err := range log.Records(0) {
		if err != nil {
			requireCorrupt(t, err, segment.ErrIndexMismatch, 50_000)
			break
		}
		require.Less(t, n, 50_000)
		if records[n] != string(rec.Data) {
			require.Equal(t, records[n], string(rec.Data))
		}
		n++
	}
	require.Equal(t, 50_000, n)
}

// TestScanEdited: a line that somebody split is found in a mapped file as well,
// the others are read, and when it is mended all are.
func TestScanEdited(t *testing.T) {
	var damage []Damage
	d, log, records := mappedScan(t, Options{Skip: func(d Damage) error {
		damage = append(damage, d)
		return nil
	}})
	whole := text(records...)
	d.write(t, recordsName, bytes.Replace(whole, []byte(`{"n":5000,`), []byte("{\"n\"\n5000,"), 1))
	n := 0
	for rec, err := range log.Records(0) {
		require.NoError(t, err)
		require.NotEqual(t, uint64(5000), rec.Offset)
		n++
	}
	require.Equal(t, len(records)-1, n)
	require.Len(t, damage, 1)
	require.Equal(t, uint64(5000), damage[0].Offset)
	d.write(t, recordsName, whole)
	requireScan(t, log, records)
}

// TestScanReplaced: the index and the records that replace mapped ones are what
// is read where the old ones do not fit together.
func TestScanReplaced(t *testing.T) {
	d, log, records := mappedScan(t, Options{})
	d.write(t, recordsName, nil) // the mapping is of nothing now
	d.rename(t, recordsName, text(records...))
	requireScan(t, log, records)
}

// TestScanMany scans from several goroutines while the log is mapped.
func TestScanMany(t *testing.T) {
	d := osDisk(t)
	records := scannedLog(t, d)
	log := d.open(t, "", Options{})
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			for range 3 {
				n := 0
				for rec, err := range log.Records(0) {
					if err != nil || string(rec.Data) != records[n] {
						t.Errorf("record %d: %q, %v", n, rec.Data, err)
						return
					}
					n++
				}
			}
		})
	}
	wg.Wait()
}

// TestScanGrowing: what is appended behind a mapping is read from the file.
func TestScanGrowing(t *testing.T) {
	d, log, records := mappedScan(t, Options{})
	more := append(records, numbered(len(records), 1000)...)
	d.append(t, recordsName, text(more[len(records):]...))
	all := entries(text(more...))
	d.append(t, indexName, all[8*(len(records)+1):])
	requireScan(t, log, more)
}

// strayFS maps files that are nothing but zeros, as a file system could whose
// mappings do not keep up with its files.
type strayFS struct{ vfs.FS }

type strayMapping struct{ vfs.Mapping }

func (strayFS) Map(name string) (vfs.Mapping, error) {
	m, err := vfs.OS.(vfs.Mapper).Map(name)
	return strayMapping{m}, err
}

func (m strayMapping) ReadAt(p []byte, off int64) (int, error) {
	n, err := m.Mapping.ReadAt(p, off)
	clear(p)
	return n, err
}

// TestScanStray: what a mapping holds that does not prove itself is read from
// the file.
func TestScanStray(t *testing.T) {
	d, _, records := mappedScan(t, Options{})
	log := disk{strayFS{vfs.OS}, d.dir}.open(t, "", Options{})
	rescan(t, log, records)
	requireScan(t, log, records)
	require.Positive(t, log.Stats().Retries)
}
