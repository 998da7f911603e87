package reader

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/segment"
)

// meta is a partition.json with that start, synced up to a segment's base.
func meta(start, base uint64) []byte {
	return fmt.Appendf(nil, `{"format":1,"sync":"os","validate":"strict","batch":16777217,"start":%d,"synced":{"base":%d,"position":0}}`+"\n", start, base)
}

// hundreds writes segments of 100 records each.
func hundreds(t testing.TB, d disk, bases ...int) {
	t.Helper()
	for _, base := range bases {
		d.pair(t, uint64(base), text(numbered(base, 100)...))
	}
}

func requireAway(t testing.TB, err error, base uint64) {
	t.Helper()
	e, ok := errors.AsType[*segment.SegmentAwayError](err)
	require.True(t, ok, "%v", err)
	require.Equal(t, base, e.Base)
	require.Contains(t, e.Path, fmt.Sprintf("%020d.jsonl", base))
}

// upTo reads records from an offset on until an error.
func upTo(t testing.TB, log *Log, from uint64) (n int, err error) {
	t.Helper()
	for rec, err := range log.Records(from) {
		if err != nil {
			return n, err
		}
		require.Equal(t, numbered(int(rec.Offset), 1)[0], string(rec.Data))
		n++
	}
	return n, nil
}

// TestSegmentAway reads up to a segment that is missing, and behind it.
func TestSegmentAway(t *testing.T) {
	for _, c := range []struct {
		name  string
		bases []int
		meta  []byte
		away  uint64
		next  uint64 // 0: not known, because the last segment is away
	}{
		{"middle", []int{0, 200}, nil, 100, 300},
		{"middle with meta", []int{0, 200}, meta(0, 200), 100, 300},
		{"first", []int{100, 200}, meta(0, 200), 0, 300},
		{"last", []int{0, 100}, meta(0, 200), 200, 0},
		{"all", nil, meta(0, 100), 100, 0},
		{"all of a trimmed log", nil, meta(100, 100), 100, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			disks(t, func(t *testing.T, d disk) {
				hundreds(t, d, c.bases...)
				if c.meta != nil {
					d.write(t, segment.MetaName, c.meta)
				}
				log := d.open(t, "", Options{})
				_, next, err := log.Bounds(t.Context())
				if c.next == 0 {
					requireAway(t, err, c.away)
				} else {
					require.NoError(t, err)
					require.Equal(t, c.next, next)
				}
				_, err = log.Get(c.away)
				requireAway(t, err, c.away)
				checkAround(t, log, c.bases, c.away)

				// Once it is back, everything is there.
				hundreds(t, d, int(c.away))
				n, err := upTo(t, log, c.away)
				require.NoError(t, err)
				require.Positive(t, n)
			})
		})
	}
}

func checkAround(t *testing.T, log *Log, bases []int, away uint64) {
	t.Helper()
	if len(bases) == 0 {
		return
	}
	if first := uint64(bases[0]); first < away {
		n, err := upTo(t, log, first)
		require.Equal(t, int(away-first), n)
		requireAway(t, err, away)
	}
	if last := bases[len(bases)-1]; uint64(last) > away {
		n, err := upTo(t, log, uint64(last))
		require.NoError(t, err)
		require.Equal(t, 100, n)
		for rec, err := range log.Backward(UnknownOffset) {
			if err != nil {
				require.Zero(t, rec)
				requireAway(t, err, away)
			}
		}
	}
}

// TestSegmentListedOnly reads logs in which the name of a segment leads
// nowhere: a link to where cold segments are kept, or one that was moved away
// after the names were read. It is away, and can be passed over.
func TestSegmentListedOnly(t *testing.T) {
	for _, away := range []uint64{0, 100, 200} {
		t.Run(fmt.Sprint(away), func(t *testing.T) {
			d := osDisk(t)
			hundreds(t, d, 0, 100, 200)
			before := d.open(t, "", Options{})
			name := segment.PairAt(d.dir, away).Records
			require.NoError(t, os.Rename(name, d.path("cold")))
			require.NoError(t, os.Symlink(d.path("unmounted"), name))
			readPastAway(t, d.open(t, "", Options{}), away)

			passed := uint64(0)
			log := d.open(t, "", Options{Skip: func(d Damage) error {
				requireAway(t, d.Err, away)
				require.Equal(t, away, d.Offset)
				passed += d.Records
				return nil
			}})
			if away < 200 {
				n, err := upTo(t, log, 0)
				require.NoError(t, err)
				require.Equal(t, 200, n)
				n = 0
				for _, err := range log.Backward(UnknownOffset) {
					require.NoError(t, err)
					n++
				}
				require.Equal(t, 200, n)
				require.Equal(t, uint64(200), passed)
			}

			require.NoError(t, os.Remove(name))
			require.NoError(t, os.Rename(d.path("cold"), name))
			for _, log := range []*Log{before, log} {
				n, err := upTo(t, log, 0)
				require.NoError(t, err)
				require.Equal(t, 300, n)
			}
		})
	}
}

// readPastAway reads up to a segment of 100 records of 300, and asks for what
// lies in it, and where the log ends.
func readPastAway(t *testing.T, log *Log, away uint64) {
	t.Helper()
	_, err := log.Get(away + 50)
	requireAway(t, err, away)
	n, err := upTo(t, log, 0)
	require.Equal(t, int(away), n)
	requireAway(t, err, away)
	_, next, err := log.Bounds(t.Context())
	if away == 200 {
		requireAway(t, err, away)
		return
	}
	require.NoError(t, err)
	require.Equal(t, uint64(300), next)
	_, err = log.Get(250)
	require.NoError(t, err)
}

// TestJoints reads segments whose index does not lead to the next one.
func TestJoints(t *testing.T) {
	whole := entries(text(numbered(0, 100)...))
	for _, c := range []struct {
		name   string
		index  []byte // of the first segment; nil: there is none
		offset uint64 // of the error
		before int    // records that are read before it
	}{
		{"index lost its end", whole[:8*61], 60, 60},
		{"index is missing", nil, 0, 0},
		{"index is empty", []byte{}, 0, 0},
		{"index goes on", entries(text(numbered(0, 101)...)), 100, 100},
	} {
		t.Run(c.name, func(t *testing.T) {
			disks(t, func(t *testing.T, d disk) {
				hundreds(t, d, 0, 100)
				if c.index == nil {
					require.NoError(t, d.fs.Remove(d.path(indexName)))
				} else {
					d.write(t, indexName, c.index)
				}
				log := d.open(t, "", Options{})
				n, err := upTo(t, log, 0)
				require.Equal(t, c.before, n)
				e := requireCorrupt(t, err, segment.ErrIndexMismatch, c.offset)
				require.Equal(t, d.path(indexName), e.Path)
				n, err = upTo(t, log, 100)
				require.NoError(t, err)
				require.Equal(t, 100, n)
			})
		})
	}
}

// TestRetention takes segments away from under readers.
func TestRetention(t *testing.T) {
	disks(t, func(t *testing.T, d disk) {
		hundreds(t, d, 0, 100, 200)
		log := d.open(t, "", Options{})
		r := log.Reader(50)
		_, err := r.Next()
		require.NoError(t, err)
		late := log.Reader(150)

		d.write(t, segment.MetaName, meta(200, 200))
		for _, base := range []uint64{0, 100} {
			pair := segment.PairAt(d.dir, base)
			require.NoError(t, d.fs.Remove(pair.Records))
			require.NoError(t, d.fs.Remove(pair.Index))
		}
		start, next, err := log.Bounds(t.Context())
		require.NoError(t, err)
		require.Equal(t, "200 300", fmt.Sprint(start, next))

		// What has the segment open finishes it; then it is told.
		for range 49 {
			_, err = r.Next()
			require.NoError(t, err)
		}
		_, err = r.Next()
		requireRange(t, err, 100, 200, 300)
		_, err = late.Next()
		requireRange(t, err, 150, 200, 300)
		_, err = log.Get(3)
		requireRange(t, err, 3, 200, 300)
		n, err := upTo(t, log, 200)
		require.NoError(t, err)
		require.Equal(t, 100, n)
	})
}

// TestSegmentBelowStart leaves out segments that retention has dropped but not
// unlinked.
func TestSegmentBelowStart(t *testing.T) {
	d := osDisk(t)
	hundreds(t, d, 0, 100, 200)
	d.write(t, segment.MetaName, meta(100, 200))
	log := d.open(t, "", Options{})
	_, err := log.Get(99)
	requireRange(t, err, 99, 100, 300)
	require.Len(t, collect(t, log.Backward(UnknownOffset)), 200)
	require.Len(t, collect(t, log.Tail(1000).Records()), 200)
}

// TestRoll finds segments that come while a Log is open.
func TestRoll(t *testing.T) {
	disks(t, func(t *testing.T, d disk) {
		hundreds(t, d, 0)
		log := d.open(t, "", Options{})
		r := log.Reader(99)
		_, err := r.Next()
		require.NoError(t, err)
		_, err = r.Next()
		require.Equal(t, io.EOF, err)

		hundreds(t, d, 100, 200, 300)
		for offset := 100; offset < 400; offset++ {
			rec, err := r.Next()
			require.NoError(t, err)
			require.EqualValues(t, offset, rec.Offset)
		}
		_, next, err := log.Bounds(t.Context())
		require.NoError(t, err)
		require.EqualValues(t, 400, next)
	})
}

// TestManySegments keeps few files open however many there are.
func TestManySegments(t *testing.T) {
	d := osDisk(t)
	const segments = 5 * maxOpen
	for i := range segments {
		hundreds(t, d, i*100)
	}
	log := d.open(t, "", Options{})
	held := log.Reader(0)
	_, err := held.Next()
	require.NoError(t, err)
	n, err := upTo(t, log, 0)
	require.NoError(t, err)
	require.Equal(t, segments*100, n)
	for i := range 300 {
		offset := uint64(i*7919) % (segments * 100)
		data, err := log.Get(offset)
		require.NoError(t, err)
		require.Equal(t, numbered(int(offset), 1)[0], string(data))
	}
	require.LessOrEqual(t, len(log.pool.all), maxOpen+1)
	_, err = held.Next()
	require.NoError(t, err)
}

// TestRebuiltIndex goes on with an index that was replaced by rename.
func TestRebuiltIndex(t *testing.T) {
	disks(t, func(t *testing.T, d disk) {
		hundreds(t, d, 0)
		whole := entries(text(numbered(0, 100)...))
		d.write(t, indexName, whole[:8*51])
		log := d.open(t, "", Options{})
		r := log.Reader(0)
		for range 50 {
			_, err := r.Next()
			require.NoError(t, err)
		}
		_, err := r.Next()
		require.Equal(t, io.EOF, err)
		_, err = log.Get(70)
		requireRange(t, err, 70, 0, 50)

		d.rename(t, indexName, whole)
		_, err = r.Next()
		require.NoError(t, err)
		_, err = log.Get(70)
		require.NoError(t, err)
	})
}

// TestRepairedIndex finds a good index in the place of a bad one at the first
// read that fails.
func TestRepairedIndex(t *testing.T) {
	disks(t, func(t *testing.T, d disk) {
		hundreds(t, d, 0)
		whole := entries(text(numbered(0, 100)...))
		d.write(t, indexName, setEntry(whole, 30, 5))
		log := d.open(t, "", Options{})
		_, err := log.Get(30)
		requireCorrupt(t, err, segment.ErrIndexMismatch, 30)
		d.rename(t, indexName, whole)
		_, err = log.Get(30)
		require.NoError(t, err)
		n, err := upTo(t, log, 0)
		require.NoError(t, err)
		require.Equal(t, 100, n)
	})
}

// TestMeta opens partitions whose partition.json is not as expected.
func TestMeta(t *testing.T) {
	d := osDisk(t)
	hundreds(t, d, 0)
	d.write(t, segment.MetaName, []byte("{\"format\":1,"))
	n, err := upTo(t, d.open(t, "", Options{}), 0)
	require.NoError(t, err)
	require.Equal(t, 100, n)

	d.write(t, segment.MetaName, []byte(`{"format":99}`))
	_, err = Open(d.dir, nil)
	require.ErrorIs(t, err, segment.ErrNewerFormat)
}

// TestCreatedMoment opens a partition that has no segment yet, and sees its
// first one come.
func TestCreatedMoment(t *testing.T) {
	disks(t, func(t *testing.T, d disk) {
		d.write(t, segment.MetaName, meta(0, 0))
		log := d.open(t, "", Options{})
		start, next, err := log.Bounds(t.Context())
		require.NoError(t, err)
		require.Equal(t, "0 0", fmt.Sprint(start, next))
		require.Empty(t, collect(t, log.Records(0)))
		require.Empty(t, collect(t, log.Backward(UnknownOffset)))
		_, err = log.Get(0)
		requireRange(t, err, 0, 0, 0)
		f := follow(t, d, "", 0)
		f.quiet()
		hundreds(t, d, 0)
		f.wants(0, numbered(0, 100)...)
		require.Len(t, collect(t, log.Tail(100).Records()), 100)
	})
}

// TestUnlinkedUnseen reads a segment that retention took after its name was
// read and before its file was opened.
func TestUnlinkedUnseen(t *testing.T) {
	disks(t, func(t *testing.T, d disk) {
		hundreds(t, d, 0, 100, 200)
		log := d.open(t, "", Options{})
		pair := segment.PairAt(d.dir, 0)
		d.write(t, segment.MetaName, meta(100, 200))
		require.NoError(t, d.fs.Remove(pair.Index))
		require.NoError(t, d.fs.Remove(pair.Records))
		_, err := log.Reader(50).Next()
		requireRange(t, err, 50, 100, 300)
	})
}

// TestLostUnseen is the same, but nobody said that the segment may go.
func TestLostUnseen(t *testing.T) {
	disks(t, func(t *testing.T, d disk) {
		hundreds(t, d, 0, 100, 200)
		d.write(t, segment.MetaName, meta(0, 200))
		log := d.open(t, "", Options{})
		pair := segment.PairAt(d.dir, 100)
		require.NoError(t, d.fs.Rename(pair.Records, pair.Records+".away"))
		_, err := log.Reader(150).Next()
		requireAway(t, err, 100)
		require.NoError(t, d.fs.Rename(pair.Records+".away", pair.Records))
		_, err = log.Reader(150).Next()
		require.NoError(t, err)
	})
}

// TestIndexCutWhileRead cuts the index under a range that has begun.
func TestIndexCutWhileRead(t *testing.T) {
	disks(t, func(t *testing.T, d disk) {
		records := numbered(0, 3*blockPosts)
		d.pair(t, 0, text(records...))
		log := d.open(t, "", Options{})
		n := 0
		for rec, err := range log.Records(0) {
			if n == 0 {
				d.cut(t, indexName, 8*101)
			}
			if err != nil {
				requireCorrupt(t, err, segment.ErrIndexMismatch, uint64(n))
				n = -1
				break
			}
			if string(rec.Data) != records[n] {
				t.Fatalf("record %d is %q", n, rec.Data)
			}
			n++
		}
		require.Equal(t, -1, n)
	})
}

// TestRetentionOfAll: everything that a reader knows of is dropped, while the
// log goes on under names that it has not seen.
func TestRetentionOfAll(t *testing.T) {
	disks(t, func(t *testing.T, d disk) {
		hundreds(t, d, 0)
		d.write(t, segment.MetaName, meta(0, 0))
		log := d.open(t, "", Options{})
		r := log.Reader(99)
		_, err := r.Next()
		require.NoError(t, err)
		fresh := d.open(t, "", Options{})

		hundreds(t, d, 100, 200)
		d.write(t, segment.MetaName, meta(200, 200))
		for _, base := range []uint64{0, 100} {
			pair := segment.PairAt(d.dir, base)
			require.NoError(t, d.fs.Remove(pair.Records))
			require.NoError(t, d.fs.Remove(pair.Index))
		}
		start, next, err := fresh.Bounds(t.Context())
		require.NoError(t, err)
		require.Equal(t, "200 300", fmt.Sprint(start, next))
		_, err = r.Next()
		requireRange(t, err, 100, 200, 300)
		_, err = log.Get(250)
		require.NoError(t, err)
	})
}

// TestAllDropped reads a log that holds nothing any more, and what comes then.
func TestAllDropped(t *testing.T) {
	disks(t, func(t *testing.T, d disk) {
		d.pair(t, 300, text())
		d.write(t, segment.MetaName, meta(300, 300))
		log := d.open(t, "", Options{})
		start, next, err := log.Bounds(t.Context())
		require.NoError(t, err)
		require.Equal(t, "300 300", fmt.Sprint(start, next))
		_, err = log.Get(299)
		requireRange(t, err, 299, 300, 300)
		_, err = log.Get(300)
		requireRange(t, err, 300, 300, 300)
		require.Empty(t, collect(t, log.Records(300)))
		require.Empty(t, collect(t, log.Backward(UnknownOffset)))
		require.Empty(t, collect(t, log.Tail(10).Records()))
		for _, err := range log.Records(0) {
			requireRange(t, err, 0, 300, 300)
		}
		f := follow(t, d, "", 300)
		f.quiet()
		hundreds(t, d, 300)
		f.wants(300, numbered(300, 100)...)
	})
}

// TestCountComparedWithNames: the first record that is read of a sealed segment
// brings to light that its index is not as long as the names say; what proves
// itself is read, and the rest is an error.
func TestCountComparedWithNames(t *testing.T) {
	whole := entries(text(numbered(0, 100)...))
	for _, c := range []struct {
		name    string
		index   []byte
		records int // 0: nothing is wrong
	}{
		{"as long", whole, 0},
		{"shorter", whole[:8*61], 60},
		{"longer", entries(text(numbered(0, 101)...)), 101},
	} {
		t.Run(c.name, func(t *testing.T) {
			disks(t, func(t *testing.T, d disk) {
				hundreds(t, d, 0, 100, 200)
				d.write(t, indexName, c.index)
				d.write(t, recordsName, text(numbered(0, 101)...))
				var told bytes.Buffer
				log := d.open(t, "", Options{Logger: slog.New(slog.NewTextHandler(&told, nil))})
				for range 3 {
					data, err := log.Get(7)
					require.NoError(t, err)
					require.Equal(t, numbered(7, 1)[0], string(data))
					_, err = log.Get(150)
					require.NoError(t, err)
				}
				want := ""
				if c.records > 0 {
					want = fmt.Sprintf("it has %d records, and the next segment begins behind 100 records", c.records)
					require.Equal(t, 1, strings.Count(told.String(), "level=WARN"), "once: %s", &told)
				}
				require.Contains(t, told.String(), want)
				require.Equal(t, c.records > 0, told.Len() > 0)
				if c.name == "shorter" {
					_, err := log.Get(60)
					requireCorrupt(t, err, segment.ErrIndexMismatch, 60)
				}
				data, err := log.Get(100)
				require.NoError(t, err)
				require.Equal(t, numbered(100, 1)[0], string(data), "offset 100 is in the next one")
			})
		})
	}

	t.Run("a segment between is away", func(t *testing.T) {
		d := osDisk(t)
		hundreds(t, d, 0, 200)
		var told bytes.Buffer
		log := d.open(t, "", Options{Logger: slog.New(slog.NewTextHandler(&told, nil))})
		_, err := log.Get(7)
		require.NoError(t, err)
		require.Empty(t, told.String())
		_, err = log.Get(100)
		requireAway(t, err, 100)
	})
}
