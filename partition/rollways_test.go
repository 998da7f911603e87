package partition

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/jlq/index"
	"example.com/jlq/internal/vfs"
)

// appendWays are all the ways to append line(from) to line(to-1).
var appendWays = map[string]func(p *Partition, from, to int) error{
	"one by one": func(p *Partition, from, to int) error {
		for n := from; n < to; n++ {
			if _, err := p.Append(line(n)); err != nil {
				return err
			}
		}
		return nil
	},
	"values": func(p *Partition, from, to int) error {
		for n := from; n < to; n++ {
			if _, err := p.AppendValue(map[string]int{"n": n}); err != nil {
				return err
			}
		}
		return nil
	},
	"batch": func(p *Partition, from, to int) error {
		_, err := p.AppendBatch(someLines(from, to))
		return err
	},
	"small batches": func(p *Partition, from, to int) error {
		for ; from < to; from += 2 {
			if _, err := p.AppendBatch(someLines(from, min(from+2, to))); err != nil {
				return err
			}
		}
		return nil
	},
	"conditional": func(p *Partition, from, to int) error {
		return p.AppendAt(uint64(from), someLines(from, to)...)
	},
	"stream": func(p *Partition, from, to int) error {
		_, err := p.ReadFrom(bytes.NewReader(bytes.Join(someLines(from, to), []byte("\n"))))
		return err
	},
}

func someLines(from, to int) (lines [][]byte) {
	for n := from; n < to; n++ {
		lines = append(lines, line(n))
	}
	return lines
}

// TestRollEveryWay: by whichever way records come, no segment holds more than
// it may, and nearly as much.
func TestRollEveryWay(t *testing.T) {
	for name, way := range appendWays {
		for _, mode := range syncModes {
			for limit, opts := range map[string]Options{"records": {SegmentRecords: 3}, "bytes": {SegmentBytes: 3 * 9}} {
				t.Run(fmt.Sprint(name, " ", mode, " ", limit), func(t *testing.T) {
					opts.FS, opts.Sync = rollDisk(), mode
					p := mustOpen(t, "p", &opts)
					require.NoError(t, way(p, 0, 1))
					require.NoError(t, way(p, 1, 50))
					requireNumbered(t, p, 50)
					require.NoError(t, p.Close())
					segments := segmentsOf(t, opts.FS)
					for _, pair := range segments {
						idx, err := opts.FS.Stat(pair.Index)
						require.NoError(t, err)
						recs, err := opts.FS.Stat(pair.Records)
						require.NoError(t, err)
						require.True(t, limit == "bytes" || index.Count(idx.Size) <= 3, pair.Records)
						require.LessOrEqual(t, recs.Size, int64(3*9), pair.Records)
					}
					require.LessOrEqual(t, len(segments), 26)
					require.Empty(t, problemsOn(t, opts.FS, "p"))
				})
			}
		}
	}
}

// TestRollAgeEveryWay: by whichever way the first record of a segment comes,
// its age begins there.
func TestRollAgeEveryWay(t *testing.T) {
	for name, way := range appendWays {
		for _, mode := range syncModes {
			t.Run(fmt.Sprint(name, " ", mode), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					mem := rollDisk()
					p := mustOpen(t, "p", &Options{FS: mem, Sync: mode, SegmentAge: time.Hour})
					for n, at := 0, []uint64{0}; n < 4; n += 2 {
						time.Sleep(5*time.Hour + 10*time.Minute)
						require.NoError(t, way(p, n, n+1))
						time.Sleep(59 * time.Minute)
						require.NoError(t, way(p, n+1, n+2))
						require.Equal(t, at, bases(t, mem, "p"))
						time.Sleep(time.Minute + time.Second)
						at = append(at, uint64(n+2))
						require.Equal(t, at, bases(t, mem, "p"))
					}
					require.NoError(t, p.Close())
				})
			})
		}
	}
}

// TestTailOfLargeRecords: under SyncBuffered a record that is larger than the
// memory of the tail is written at once, behind what waits there, and what
// comes after it waits again. Readers in the process see all of it in order.
func TestTailOfLargeRecords(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := vfs.NewMem()
		p := mustOpen(t, "p", &Options{FS: mem, Sync: SyncBuffered, TailCache: 1})
		large := append(append([]byte{'"'}, bytes.Repeat([]byte("x"), 3<<20)...), '"')
		want := []string{}
		inFile := func() string {
			data, err := vfs.ReadFile(mem, recordsFile, 1<<30)
			require.NoError(t, err)
			return string(data)
		}
		add := func(rec []byte) {
			_, err := p.Append(rec)
			require.NoError(t, err)
			want = append(want, string(rec))
			require.True(t, slices.Equal(want, read(t, p, 0))) // too large to show
			got, err := p.Get(uint64(len(want) - 1))
			require.NoError(t, err)
			require.True(t, bytes.Equal(rec, got))
		}
		add(line(0))
		add(line(1))
		require.Empty(t, inFile(), "they wait")
		add(large)
		written := fmt.Sprintf("%s\n%s\n%s\n", line(0), line(1), large)
		require.True(t, written == inFile())
		add(line(3))
		require.True(t, written == inFile(), "it waits")
		add(large)
		add(large)
		written += fmt.Sprintf("%s\n%s\n%s\n", line(3), large, large)
		require.True(t, written == inFile())
		add(line(6))
		time.Sleep(20 * time.Millisecond)
		require.True(t, written+string(line(6))+"\n" == inFile(), "it waited no longer than it may")
		require.NoError(t, p.Close())
		require.Empty(t, problemsOn(t, mem, "p"))
	})
}
