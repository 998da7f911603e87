package reader

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/segment"
	"example.com/jlq/internal/vfs"
)

// TestBlockProof: a block is what its posts say, or it is not believed. Each
// case has one fault.
func TestBlockProof(t *testing.T) {
	for name, c := range map[string]struct {
		at    int64
		buf   string
		posts []int64
		good  bool
	}{
		"at the beginning":        {0, "ab\ncd\n", []int64{0, 3, 6}, true},
		"in the middle":           {9, "\nab\ncd\n", []int64{10, 13, 16}, true},
		"no newline before":       {9, "xab\ncd\n", []int64{10, 13, 16}, false},
		"starts within a line":    {0, "ab\ncd\n", []int64{1, 3, 6}, false},
		"no newline at an end":    {0, "abxcd\n", []int64{0, 3, 6}, false},
		"a line split in two":     {0, "a\n\ncd\n", []int64{0, 3, 6}, false},
		"an entry twice":          {0, "ab\ncd\n\n", []int64{0, 3, 3, 7}, false},
		"entries that go back":    {0, "ab\ncd\nef\n", []int64{0, 6, 3, 9}, false},
		"shorter than its posts":  {0, "ab\ncd", []int64{0, 3, 6}, false},
		"a hole of NUL bytes":     {0, "\x00\x00\ncd\n", []int64{0, 3, 6}, false},
		"nothing but NUL bytes":   {0, "\x00\x00\x00\x00\x00\x00", []int64{0, 3, 6}, false},
		"one line too few posts":  {0, "ab\ncd\n", []int64{0, 6}, false},
		"a blank line is no hole": {0, "  \ncd\n", []int64{0, 3, 6}, true},
	} {
		t.Run(name, func(t *testing.T) {
			b := block{n: len(c.posts) - 1, posts: c.posts, buf: []byte(c.buf), at: c.at, noNUL: true}
			require.Equal(t, c.good, b.proven())
			require.Equal(t, c.good, b.goodPrefix() == b.n, "flaw finds what proven finds")
		})
	}
}

// inMemory is a mapping of bytes.
type inMemory struct{ *bytes.Reader }

func (m inMemory) Copy(p []byte, off int64) (int, error) { return m.ReadAt(p, off) }

func (m inMemory) At(off int64) byte {
	var b [1]byte
	m.ReadAt(b[:], off)
	return b[0]
}

func (m inMemory) Len() int64     { return m.Size() }
func (m inMemory) Info() vfs.Info { return vfs.Info{} }

// TestMappedProof: so is a record that is read from a mapping.
func TestMappedProof(t *testing.T) {
	for name, c := range map[string]struct {
		recs  string
		idx   []int64
		limit int64
		good  bool
	}{
		"first record":        {"ab\ncd\n", []int64{0, 3}, 10, true},
		"second record":       {"ab\ncd\n", []int64{3, 6}, 10, true},
		"no newline before":   {"abxcd\n", []int64{3, 6}, 10, false},
		"no newline at end":   {"ab\ncdx", []int64{3, 6}, 10, false},
		"a newline within":    {"ab\nc\n\n", []int64{3, 6}, 10, false},
		"entries that equal":  {"ab\ncd\n", []int64{3, 3}, 10, false},
		"beyond the file":     {"ab\ncd\n", []int64{3, 9}, 10, false},
		"larger than allowed": {"ab\ncdefgh\n", []int64{3, 10}, 5, false},
	} {
		t.Run(name, func(t *testing.T) {
			var idx []byte
			for _, post := range c.idx {
				idx = append(idx, 0, 0, 0, 0, 0, 0, 0, byte(post))
			}
			m := &maps{idx: inMemory{bytes.NewReader(idx)}, rec: inMemory{bytes.NewReader([]byte(c.recs))}, count: 1, limit: c.limit}
			_, ok := m.get(nil, 0)
			require.Equal(t, c.good, ok)
		})
	}
}

// TestMapReplaced: what is mapped by name is used only where it is what the
// source has open.
func TestMapReplaced(t *testing.T) {
	records := text(numbered(0, 100)...)
	for _, which := range []string{"index", "records"} {
		d := osDisk(t)
		d.pair(t, 0, records)
		log := d.open(t, "", Options{})
		if log.mapper == nil {
			t.Skip("this system does not map files")
		}
		src := log.layout.Load().last().src.Load()
		m, err := log.mapSource(src)
		require.NoError(t, err)
		require.NotNil(t, m)
		if pair := segment.PairAt(".", 0); which == "index" {
			d.rename(t, pair.Index, entries(records))
		} else {
			d.rename(t, pair.Records, records)
		}
		m, err = log.mapSource(src)
		require.NoError(t, err)
		require.Nil(t, m, which)
	}
}

// TestFirstEntry: a segment begins at position 0. Else its first record would
// be another than it was, and prove itself.
func TestFirstEntry(t *testing.T) {
	records := text(`{"n":0}`, `{"n":1}`, `{"n":2}`)
	d := osDisk(t)
	d.pair(t, 0, records)
	d.write(t, segment.PairAt(".", 0).Index, entries(records)[8:])
	log := d.open(t, "", Options{})
	_, err := log.Get(0)
	require.ErrorIs(t, err, segment.ErrIndexMismatch)
}

// TestFollowStaysAWhile: who has a replaced file open may still be writing to
// it, so it is read for one more interval.
func TestFollowStaysAWhile(t *testing.T) {
	d := osDisk(t)
	d.write(t, "app.jsonl", text("a0"))
	log := d.open(t, "app.jsonl", Options{Poll: time.Hour})
	f := log.newFollower(t.Context())
	defer f.close()
	_, err := f.read()
	require.NoError(t, err)
	d.rename(t, "app.jsonl", text("b0"))
	for range 3 {
		require.NoError(t, f.compareName())
		require.False(t, f.again)
	}
	f.leaving = time.Now().Add(-time.Second)
	require.NoError(t, f.compareName())
	require.True(t, f.again)
}
