package partition

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"example.com/jlq/internal/vfs"
)

// machine is a partition beside the slice that it should be.
type machine struct {
	fs   *vfs.Mem
	path string
	opts Options
	p    *Partition
	want []string
	sent int
}

// TestModel does random operations on a log and on a slice and compares. The
// process dies now and then: what was acknowledged survives that in every mode
// but SyncBuffered, which is left out.
func TestModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &machine{fs: vfs.NewMem(), path: rapid.SampledFrom([]string{"p", "p.jsonl"}).Draw(t, "path")}
		m.open(t)
		t.Repeat(map[string]func(*rapid.T){
			"append":    m.append,
			"batch":     m.batch,
			"append at": m.appendAt,
			"refused":   m.refused,
			"get":       m.get,
			"records":   m.records,
			"backward":  m.backward,
			"sync":      func(t *rapid.T) { require.NoError(t, m.p.Sync()) },
			"reopen":    m.reopen,
			"kill":      m.kill,
			"":          m.check,
		})
		require.NoError(t, m.p.Close())
	})
}

func (m *machine) open(t *rapid.T) {
	m.opts = Options{FS: m.fs, Sync: rapid.SampledFrom([]SyncMode{SyncAlways, SyncInterval, SyncOS}).Draw(t, "sync")}
	var err error
	m.p, err = Open(m.path, &m.opts)
	require.NoError(t, err)
}

func (m *machine) reopen(t *rapid.T) {
	require.NoError(t, m.p.Close())
	m.open(t)
	require.Empty(t, m.p.Recovery().Lines(), "closed cleanly")
}

func (m *machine) kill(t *rapid.T) {
	after := m.fs.Kill()
	_ = m.p.Close()
	m.fs = after
	m.open(t)
}

func (m *machine) record(t *rapid.T) []byte {
	m.sent++
	return fmt.Appendf(nil, `{"n":%d,"pad":%q}`, m.sent, rapid.StringN(0, 40, -1).Draw(t, "pad"))
}

// valid draws records until the check has nothing against them: %q writes
// escapes that JSON does not know.
func (m *machine) valid(t *rapid.T, n int) [][]byte {
	var out [][]byte
	for len(out) < n {
		rec := m.record(t)
		if m.p.complete(rec) {
			out = append(out, rec)
		}
	}
	return out
}

func (m *machine) append(t *rapid.T) {
	rec := m.valid(t, 1)[0]
	offset, err := m.p.Append(rec)
	require.NoError(t, err)
	require.Equal(t, uint64(len(m.want)), offset)
	m.want = append(m.want, string(rec))
}

func (m *machine) batch(t *rapid.T) {
	recs := m.valid(t, rapid.IntRange(0, 20).Draw(t, "n"))
	first, err := m.p.AppendBatch(recs)
	require.NoError(t, err)
	require.Equal(t, uint64(len(m.want)), first)
	for _, rec := range recs {
		m.want = append(m.want, string(rec))
	}
}

func (m *machine) appendAt(t *rapid.T) {
	at := rapid.Uint64Range(0, uint64(len(m.want)+1)).Draw(t, "at")
	rec := m.valid(t, 1)[0]
	err := m.p.AppendAt(at, rec)
	if at == uint64(len(m.want)) {
		require.NoError(t, err)
		m.want = append(m.want, string(rec))
		return
	}
	_, conflict := errors.AsType[*ConflictError](err)
	require.True(t, conflict, "%v", err)
}

func (m *machine) refused(t *rapid.T) {
	bad := rapid.SampledFrom([]string{"", "\n", "{", "nul", "{}\n{}", "\x00", `"` + "\xff" + `"`}).Draw(t, "bad")
	_, err := m.p.AppendBatch([][]byte{[]byte("{}"), []byte(bad)})
	require.Error(t, err)
}

func (m *machine) get(t *rapid.T) {
	at := rapid.IntRange(0, len(m.want)).Draw(t, "at")
	data, err := m.p.Get(uint64(at))
	if at == len(m.want) {
		_, out := errors.AsType[*RangeError](err)
		require.True(t, out, "%v", err)
		return
	}
	require.NoError(t, err)
	require.Equal(t, m.want[at], string(data))
}

func (m *machine) records(t *rapid.T) {
	at := rapid.IntRange(0, len(m.want)).Draw(t, "from")
	for rec, err := range m.p.Records(uint64(at)) {
		require.NoError(t, err)
		require.Equal(t, m.want[at], string(rec.Data))
		at++
	}
	require.Len(t, m.want, at)
}

func (m *machine) backward(t *rapid.T) {
	at := rapid.IntRange(0, len(m.want)).Draw(t, "before")
	for rec, err := range m.p.Backward(uint64(at)) {
		require.NoError(t, err)
		at--
		require.Equal(t, m.want[at], string(rec.Data))
	}
	require.Zero(t, at)
}

// check is done after every operation.
func (m *machine) check(t *rapid.T) {
	start, next := m.p.Bounds()
	require.Zero(t, start)
	require.Equal(t, uint64(len(m.want)), next)
	require.LessOrEqual(t, m.p.Durable(), next)
}
