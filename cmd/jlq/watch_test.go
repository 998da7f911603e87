package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/jlq/index"
	"example.com/jlq/internal/segment"
	"example.com/jlq/internal/vfs"
	"example.com/jlq/partition"
)

// watch runs --watch 1s for that many intervals beside do, on a false clock,
// and returns what it prints, and what it reports.
func watch(t *testing.T, fsys vfs.FS, path string, intervals int, do func()) (lines []growth, reports string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	c := &statCommand{app: newApp(nil, &stdout, &stderr), json: true, watch: time.Second, number: intervals}
	ended := make(chan error, 1)
	go func() { ended <- c.watchFiles(t.Context(), &watcher{fs: fsys, path: path}) }()
	synctest.Wait()
	do()
	require.NoError(t, <-ended)
	require.NoError(t, c.out.Flush())
	for line := range strings.Lines(stdout.String()) {
		var g growth
		require.NoError(t, json.Unmarshal([]byte(line), &g))
		lines = append(lines, g)
	}
	return lines, stderr.String()
}

func appendRecords(t *testing.T, p *partition.Partition, n int) {
	t.Helper()
	for range n {
		_, err := p.Append([]byte("1234567")) // eight bytes a line
		require.NoError(t, err)
	}
}

func openWatched(t *testing.T, fsys vfs.FS, limit uint64) *partition.Partition {
	t.Helper()
	p, err := partition.Open("log", &partition.Options{FS: fsys, SegmentRecords: limit})
	require.NoError(t, err)
	return p
}

// row is what matters of one line: the segment (-1: a total), its records and
// bytes, the next offset.
type row struct{ segment, records, bytes, next int64 }

func rows(lines []growth) (out []row) {
	for _, g := range lines {
		r := row{-1, -1, g.Bytes, -1}
		if g.Segment != nil {
			r.segment = int64(*g.Segment)
		}
		if g.Records != nil {
			r.records = int64(*g.Records)
		}
		if g.Next != nil {
			r.next = int64(*g.Next)
		}
		out = append(out, r)
	}
	return out
}

func TestWatchRates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := vfs.NewMem()
		p := openWatched(t, mem, 0)
		appendRecords(t, p, 5)
		lines, reports := watch(t, mem, "log", 4, func() {
			appendRecords(t, p, 10)
			time.Sleep(time.Second + time.Millisecond)
			time.Sleep(time.Second)
			appendRecords(t, p, 2)
			time.Sleep(250 * time.Millisecond)
			appendRecords(t, p, 2)
		})
		require.Equal(t, []row{{0, 10, 80, 15}, {0, 0, 0, 15}, {0, 4, 32, 19}, {0, 0, 0, 19}}, rows(lines))
		require.InDelta(t, 10, *lines[0].RecordsPerSecond, 0)
		require.InDelta(t, 80, lines[0].BytesPerSecond, 0)
		require.EqualValues(t, 120, lines[0].Size)
		require.InDelta(t, 1, lines[0].Age, 0)
		require.InDelta(t, 2, lines[1].Age, 0)
		require.InDelta(t, 0.749, lines[2].Age, 1e-6)
		require.Empty(t, reports)
		require.NoError(t, p.Close())
	})
}

// TestWatchCountsWhatIsPublished: bytes whose records the index does not tell
// of yet count when these do, so that an interval never has one without the
// other.
func TestWatchCountsWhatIsPublished(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := vfs.NewMem()
		p := openWatched(t, mem, 0)
		appendRecords(t, p, 5)
		require.NoError(t, p.Close())
		put := func(name string, data []byte) {
			f, err := mem.Open(name, os.O_WRONLY|os.O_APPEND, 0)
			require.NoError(t, err)
			_, err = f.Write(data)
			require.NoError(t, err)
			require.NoError(t, f.Close())
		}
		lines, _ := watch(t, mem, "log", 2, func() {
			pair := segment.PairAt("log", 0)
			put(pair.Records, []byte(strings.Repeat("1234567\n", 3)))
			time.Sleep(1500 * time.Millisecond)
			put(pair.Index, index.AppendEntry(index.AppendEntry(index.AppendEntry(nil, 48), 56), 64))
		})
		require.Equal(t, []row{{0, 0, 0, 5}, {0, 3, 24, 8}}, rows(lines))
	})
}

// TestWatchRolls: every segment that grew has a line, and all of them a total;
// then only the last one is looked at.
func TestWatchRolls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := vfs.NewMem()
		p := openWatched(t, mem, 10)
		appendRecords(t, p, 7)
		lines, reports := watch(t, mem, "log", 3, func() {
			appendRecords(t, p, 20)
			time.Sleep(1500 * time.Millisecond)
			appendRecords(t, p, 3)
			time.Sleep(time.Second)
			appendRecords(t, p, 1)
		})
		require.Equal(t, []row{
			{0, 3, 24, 10}, {10, 10, 80, 20}, {20, 7, 56, 27}, {-1, 20, 160, 27},
			{20, 3, 24, 30},
			{30, 1, 8, 31},
		}, rows(lines))
		require.Equal(t, 3, lines[3].Segments)
		require.InDelta(t, 20, *lines[3].RecordsPerSecond, 0)
		require.Empty(t, reports)
		require.NoError(t, p.Close())
	})
}

// TestWatchRetention: segments that go are no growth, and no problem.
func TestWatchRetention(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := vfs.NewMem()
		p := openWatched(t, mem, 10)
		appendRecords(t, p, 35)
		lines, reports := watch(t, mem, "log", 2, func() {
			for _, base := range []uint64{0, 10} {
				pair := segment.PairAt("log", base)
				require.NoError(t, mem.Remove(pair.Records))
				require.NoError(t, mem.Remove(pair.Index))
			}
			appendRecords(t, p, 1)
		})
		require.Equal(t, []row{{30, 1, 8, 36}, {30, 0, 0, 36}}, rows(lines))
		require.Empty(t, reports)
		require.NoError(t, p.Close())
	})
}

// TestWatchCostsStats: however many segments there are, an interval in which
// the directory did not change looks at a handful of names.
func TestWatchCostsStats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		counted := vfs.NewFault(vfs.NewMem(), nil)
		p := openWatched(t, counted, 2)
		appendRecords(t, p, 401)
		time.Sleep(time.Minute)
		w := &watcher{fs: counted, path: "log"}
		_, err := w.look(time.Now())
		require.NoError(t, err)
		before := len(counted.Ops())
		for range 10 {
			time.Sleep(time.Second)
			_, err := w.look(time.Now())
			require.NoError(t, err)
		}
		ops := counted.Ops()[before:]
		require.LessOrEqual(t, len(ops), 10*5)
		for _, op := range ops {
			require.Equal(t, vfs.OpStat, op.Kind)
		}
		require.NoError(t, p.Close())
	})
}

// writeBare makes the content of a bare file, and of its index where there is
// one.
func writeBare(t *testing.T, fsys vfs.FS, name string, lines, indexed int) {
	t.Helper()
	put := func(name string, data []byte) {
		f, err := fsys.Open(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC|os.O_APPEND, 0o600)
		require.NoError(t, err)
		_, err = f.Write(data)
		require.NoError(t, err)
		require.NoError(t, f.Close())
	}
	put(name, []byte(strings.Repeat("1234567\n", lines)))
	if indexed >= 0 {
		entries := index.AppendEntry(nil, 0)
		for i := range indexed {
			entries = index.AppendEntry(entries, int64(8*i+8))
		}
		put(name+".index", entries)
	}
}

// TestWatchBareFile: without an index that grows with the file, there are
// only bytes.
func TestWatchBareFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := vfs.NewMem()
		writeBare(t, mem, "app.jsonl", 10, -1)
		lines, reports := watch(t, mem, "app.jsonl", 4, func() {
			writeBare(t, mem, "app.jsonl", 15, -1)
			time.Sleep(1500 * time.Millisecond)
			writeBare(t, mem, "app.jsonl", 15, 15)
			time.Sleep(time.Second)
			writeBare(t, mem, "app.jsonl", 20, 20)
			time.Sleep(time.Second)
			writeBare(t, mem, "app.jsonl", 30, 20)
		})
		require.Equal(t, []row{{0, -1, 40, -1}, {0, 15, 0, 15}, {0, 5, 40, 20}, {0, -1, 80, -1}}, rows(lines))
		require.Empty(t, reports)
	})
}

// TestWatchReplaced: a file that was replaced or cut counts from its start.
func TestWatchReplaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := vfs.NewMem()
		writeBare(t, mem, "app.jsonl", 10, -1)
		lines, reports := watch(t, mem, "app.jsonl", 5, func() {
			writeBare(t, mem, "new", 12, -1)
			require.NoError(t, mem.Rename("new", "app.jsonl"))
			time.Sleep(1500 * time.Millisecond)
			writeBare(t, mem, "app.jsonl", 3, -1)
			time.Sleep(time.Second)
			require.NoError(t, mem.Remove("app.jsonl"))
			time.Sleep(time.Second)
			writeBare(t, mem, "app.jsonl", 2, -1)
			time.Sleep(time.Second)
		})
		require.Equal(t, []row{{0, -1, 96, -1}, {0, -1, 24, -1}, {0, -1, 16, -1}, {0, -1, 0, -1}}, rows(lines))
		require.Equal(t, `jlq: app.jsonl: was replaced or cut; counting anew
jlq: app.jsonl: was replaced or cut; counting anew
jlq: app.jsonl: is gone; waiting for it
jlq: app.jsonl: is back
`, reports)
	})
}

// TestWatchDirectoryReplaced: a partition that comes back, or is another one,
// begins anew: what it held before is no growth.
func TestWatchDirectoryReplaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := vfs.NewMem()
		p := openWatched(t, mem, 10)
		appendRecords(t, p, 25)
		require.NoError(t, p.Close())
		lines, reports := watch(t, mem, "log", 4, func() {
			require.NoError(t, mem.Rename("log", "away"))
			time.Sleep(1500 * time.Millisecond)
			require.NoError(t, mem.Rename("away", "log"))
			time.Sleep(time.Second)
			p = openWatched(t, mem, 10)
			appendRecords(t, p, 1)
			require.NoError(t, p.Close())
			time.Sleep(time.Second)
			require.NoError(t, mem.Rename("log", "old"))
			p = openWatched(t, mem, 10)
			appendRecords(t, p, 4)
		})
		require.Equal(t, []row{{20, 1, 8, 26}}, rows(lines))
		require.Equal(t, "jlq: log: is gone; waiting for it\njlq: log: is back\njlq: log: was replaced or cut; counting anew\n", reports)
		require.NoError(t, p.Close())
	})
}

// TestWatchMadeAnew: so does one whose segments were removed and made anew in
// the same directory.
func TestWatchMadeAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := vfs.NewMem()
		p := openWatched(t, mem, 10)
		appendRecords(t, p, 25)
		require.NoError(t, p.Close())
		lines, reports := watch(t, mem, "log", 2, func() {
			names, err := mem.List("log")
			require.NoError(t, err)
			for _, name := range names {
				require.NoError(t, mem.Remove("log/"+name))
			}
			p = openWatched(t, mem, 10)
			appendRecords(t, p, 4)
		})
		require.Equal(t, []row{{0, 4, 32, 4}, {0, 0, 0, 4}}, rows(lines))
		require.Contains(t, reports, "counting anew")
		require.NoError(t, p.Close())
	})
}

// TestWatchFromNothing: the first segments of a log that had none are growth.
func TestWatchFromNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := vfs.NewMem()
		require.NoError(t, mem.Mkdir("log", 0o700))
		lines, _ := watch(t, mem, "log", 1, func() {
			p := openWatched(t, mem, 10)
			appendRecords(t, p, 14)
			require.NoError(t, p.Close())
		})
		require.Equal(t, []row{{0, 10, 80, 10}, {10, 4, 32, 14}, {-1, 14, 112, 14}}, rows(lines))
	})
}

// TestWatchEnds: an error that will not pass ends it, and so does a context.
func TestWatchEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := vfs.NewMem()
		p := openWatched(t, mem, 0)
		appendRecords(t, p, 1)
		require.NoError(t, p.Close())
		failing := vfs.NewFault(mem, func(op vfs.Op) error {
			if op.Kind == vfs.OpStat && strings.HasSuffix(op.Path, ".jsonl") && time.Now().Nanosecond() != 0 {
				return fs.ErrPermission
			}
			return nil
		})
		c := &statCommand{app: newApp(nil, new(bytes.Buffer), new(bytes.Buffer)), watch: 1500 * time.Millisecond}
		require.ErrorIs(t, c.watchFiles(t.Context(), &watcher{fs: failing, path: "log"}), fs.ErrPermission)

		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(10*time.Second, func() { cancel(signalError{2}) })
		require.Equal(t, 130, exitCode(c.watchFiles(ctx, &watcher{fs: mem, path: "log"})))
	})
}

// TestWatchText: units and headings are for a terminal, plain numbers for
// pipes, in the same columns.
func TestWatchText(t *testing.T) {
	base, records, next, rate := uint64(184467), uint64(10), uint64(184477), 12345.678
	g := growth{
		Time: time.Date(2026, 3, 2, 8, 0, 1, 0, time.UTC), Segment: &base, Records: &records, Next: &next,
		Bytes: 100, Size: 1234567, RecordsPerSecond: &rate, BytesPerSecond: 2345678.9, Age: 0.25,
	}
	require.Equal(t, "2026-03-02T08:00:01Z       184467      12345.7    2345678.9         184477      1234567      0.2", g.text(false))
	require.Regexp(t, `^..:..:01       184467      12345\.7       2\.3 MB         184477       1\.2 MB     0\.2s$`, g.text(true))
	require.Contains(t, (&growth{Age: 3661}).text(true), " 1h1m1s")
	require.Contains(t, (&growth{}).text(false), "total            -")

	var stdout bytes.Buffer
	r := rates{statCommand: &statCommand{app: newApp(nil, &stdout, nil)}}
	r.out.tty = true
	for range headingEvery + 1 {
		require.NoError(t, r.line(g))
	}
	require.NoError(t, r.out.Flush())
	require.Equal(t, 2, strings.Count(stdout.String(), "records/s"))
	require.Equal(t, headingEvery+3, strings.Count(stdout.String(), "\n"))
	require.True(t, strings.HasPrefix(stdout.String(), fmt.Sprintf("%-8s", "time")))
}
