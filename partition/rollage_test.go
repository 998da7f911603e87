package partition

import (
	"bytes"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/segment"
	"example.com/jlq/internal/vfs"
)

// TestRollByAge: a segment is sealed when its first record is as old as it may
// be, also when nobody appends; one that is empty never is, and its age begins
// with its first record.
func TestRollByAge(t *testing.T) {
	for _, mode := range syncModes {
		t.Run(mode.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				mem := rollDisk()
				p := mustOpen(t, "p", &Options{FS: mem, Sync: mode, SegmentAge: time.Hour})
				time.Sleep(5*time.Hour + 10*time.Minute)
				appendOne(t, p, 0)
				require.Equal(t, []uint64{0}, bases(t, mem, "p"))
				time.Sleep(59 * time.Minute)
				appendOne(t, p, 1)
				require.Equal(t, []uint64{0}, bases(t, mem, "p"))
				time.Sleep(time.Minute + time.Second)
				require.Equal(t, []uint64{0, 2}, bases(t, mem, "p"), "nobody appends")
				time.Sleep(24 * time.Hour)
				require.Equal(t, []uint64{0, 2}, bases(t, mem, "p"), "an empty one stays")
				appendOne(t, p, 2)
				appendOne(t, p, 3)
				require.Equal(t, []uint64{0, 2}, bases(t, mem, "p"), "it is as old as its first record")
				requireNumbered(t, p, 4)
				require.NoError(t, p.Close())
			})
		})
	}
}

func appendOne(t testing.TB, p *Partition, n int) {
	t.Helper()
	offset, err := p.Append(line(n))
	require.NoError(t, err)
	require.Equal(t, uint64(n), offset)
}

// TestRollAgeKept: partition.json keeps since when a segment holds records,
// over syncs in the background and openings, also those of a writer that does
// not ask for the age.
func TestRollAgeKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := rollDisk()
		aged := &Options{FS: mem, SegmentAge: 10 * time.Hour}
		p := mustOpen(t, "p", aged)
		time.Sleep(time.Hour)
		appendOne(t, p, 0)
		since := segment.Timestamp(time.Now())
		require.NoError(t, p.Sync())
		require.NoError(t, p.Close())
		for n := 1; n < 5; n++ {
			time.Sleep(2 * time.Hour)
			opts := aged
			if n%2 == 0 {
				opts = &Options{FS: mem}
			}
			p = mustOpen(t, "p", opts)
			appendOne(t, p, n)
			require.NoError(t, p.Close())
			meta, _, err := segment.ReadMeta(mem, "p")
			require.NoError(t, err)
			require.True(t, meta.Created.Equal(since), "%v, want %v", meta.Created, since)
			require.Equal(t, []uint64{0}, bases(t, mem, "p"))
		}
		time.Sleep(3 * time.Hour)
		p = mustOpen(t, "p", aged)
		appendOne(t, p, 5)
		require.Equal(t, []uint64{0, 5}, bases(t, mem, "p"), "the first append already goes to the new one")
		require.NoError(t, p.Close())
	})
}

// TestRollAgeAhead: a segment that was made in the future, because the clock
// was put back, is taken to be made now.
func TestRollAgeAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := rollDisk()
		p := mustOpen(t, "p", &Options{FS: mem})
		appendOne(t, p, 0)
		require.NoError(t, p.Close())
		meta, _, err := segment.ReadMeta(mem, "p")
		require.NoError(t, err)
		meta.Created = segment.Timestamp(time.Now().Add(1000 * time.Hour))
		require.NoError(t, segment.WriteMeta(mem, "p", meta, 0o600))
		p = mustOpen(t, "p", &Options{FS: mem, SegmentAge: time.Hour})
		time.Sleep(time.Hour + time.Second)
		require.Equal(t, []uint64{0, 1}, bases(t, mem, "p"))
		require.NoError(t, p.Close())
	})
}

// TestRollAgeRetried: a roll by age that was put off is tried again although
// nobody appends.
func TestRollAgeRetried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		at := rollFault{kind: vfs.OpOpen, path: "1.index", err: syscall.EMFILE, broken: 1}
		mem := rollDisk()
		p := mustOpen(t, "p", &Options{FS: vfs.NewFault(mem, at.hook), SegmentAge: time.Hour})
		appendOne(t, p, 0)
		time.Sleep(time.Hour + 9500*time.Millisecond)
		require.Equal(t, []uint64{0}, bases(t, mem, "p"))
		require.Equal(t, uint64(10), p.Stats().Written.RollsPutOff, "once a second")
		at.set(0)
		time.Sleep(time.Second)
		require.Equal(t, []uint64{0, 1}, bases(t, mem, "p"))
		require.NoError(t, p.Close())
	})
}

// TestRollLimitsRefused: limits that are none, and those of what has no
// segments.
func TestRollLimitsRefused(t *testing.T) {
	mem := rollDisk()
	for _, opts := range []Options{{SegmentBytes: -1}, {SegmentAge: -1}} {
		opts.FS = mem
		_, err := Open("p", &opts)
		require.Error(t, err)
	}
	for _, opts := range []Options{{SegmentBytes: 1}, {SegmentAge: 1}, {SegmentRecords: 1}} {
		opts.FS = mem
		_, err := Open("p.jsonl", &opts)
		require.ErrorIs(t, err, ErrNoSegments)
		names, err := mem.List(".")
		require.NoError(t, err)
		require.Empty(t, names, "nothing is made")
	}
	p := mustOpen(t, "p.jsonl", &Options{FS: mem})
	appendOne(t, p, 0)
	require.ErrorIs(t, p.Roll(), ErrNoSegments)
	require.NoError(t, p.Close())
	r, err := OpenReader("p.jsonl", &Options{FS: mem})
	require.NoError(t, err)
	require.ErrorIs(t, r.Roll(), ErrReadOnly)
	require.NoError(t, r.Close())
}

// TestRollByBytes: no segment is larger than it may be, unless one record is;
// a call is divided only where it is larger than a segment may be.
func TestRollByBytes(t *testing.T) {
	for _, mode := range syncModes {
		t.Run(mode.String(), func(t *testing.T) {
			mem := rollDisk()
			p := mustOpen(t, "p", &Options{FS: mem, Sync: mode, SegmentBytes: 24}) // three lines
			call := func(from, to int) {
				var batch [][]byte
				for n := from; n < to; n++ {
					batch = append(batch, line(n))
				}
				first, err := p.AppendBatch(batch)
				require.NoError(t, err)
				require.Equal(t, uint64(from), first)
			}
			call(0, 2)
			call(2, 4) // four lines would be too many
			call(4, 5)
			require.Equal(t, []uint64{0, 2}, bases(t, mem, "p"))
			call(5, 10) // three and two
			require.Equal(t, []uint64{0, 2, 5, 8}, bases(t, mem, "p"))
			long := append([]byte(`"`), append(bytes.Repeat([]byte("x"), 100), '"')...)
			require.NoError(t, p.AppendAt(10, long))
			require.NoError(t, p.AppendAt(11, long, long))
			require.Equal(t, []uint64{0, 2, 5, 8, 10, 11, 12}, bases(t, mem, "p"))
			_, next := p.Bounds()
			require.Equal(t, uint64(13), next)
			require.Error(t, p.AppendAt(12, line(12)))
			require.NoError(t, p.Close())
			require.Empty(t, problemsOn(t, mem, "p"))
		})
	}
}

// problemsOn is what Verify finds.
func problemsOn(t testing.TB, fsys vfs.FS, path string) (found []Problem) {
	t.Helper()
	r, err := OpenReader(path, &Options{FS: fsys})
	require.NoError(t, err)
	for problem, err := range r.Verify(t.Context()) {
		require.NoError(t, err)
		found = append(found, problem)
	}
	require.NoError(t, r.Close())
	return found
}
