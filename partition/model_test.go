package partition

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"example.com/jlq/internal/segment"
	"example.com/jlq/internal/vfs"
)

// machine is a log beside the slice that it should be: s.sent[:s.acked].
type machine struct{ *session }

// TestModel does random operations on a log and on a slice and compares:
// appends and reads of every kind, openings in every mode, kills, power cuts,
// and edits by hand.
func TestModel(t *testing.T) {
	checkOnFalseClock(t, func(rt *rapid.T) {
		open := trackOpened(rt)
		log := rapid.SampledFrom([]crashLog{dirLog, bareLog}).Draw(rt, "log")
		if log.bare {
			log.record = 1 << 20 // an edit makes lines of any length, and all of them stay
		}
		m := &machine{newSession(rt, open, log, drawMode(rt), 0)}
		rt.Repeat(map[string]func(*rapid.T){
			"append":    func(t *rapid.T) { m.append(1) },
			"batch":     func(t *rapid.T) { m.append(rapid.IntRange(0, 12).Draw(t, "n")) },
			"append at": func(t *rapid.T) { m.appendAt() },
			"refused":   m.refused,
			"get":       m.get,
			"records":   m.records,
			"range":     m.rangeOf,
			"backward":  m.backward,
			"follow":    m.follow,
			"sync":      func(t *rapid.T) { m.sync() },
			"wait":      func(t *rapid.T) { m.wait() },
			"reopen":    func(t *rapid.T) { m.reopen(drawMode(t)) },
			"kill":      func(t *rapid.T) { m.kill(drawMode(t)) },
			"power cut": m.powerCut,
			"edit":      m.edit,
			"":          m.check,
		})
		require.NoError(rt, open.close(m.p))
	})
}

func drawMode(t *rapid.T) SyncMode { return rapid.SampledFrom(syncModes).Draw(t, "sync") }

func (m *machine) want() []string { return m.sent[:m.acked] }

// check is done after every operation.
func (m *machine) check(t *rapid.T) {
	require.False(t, m.over)
	start, next := m.p.Bounds()
	require.Zero(t, start)
	require.Equal(t, uint64(m.acked), next)
	require.LessOrEqual(t, m.p.Durable(), next)
	require.GreaterOrEqual(t, int(m.p.Durable()), m.power)
}

func (m *machine) refused(t *rapid.T) {
	bad := rapid.SampledFrom([]string{"", "\n", "{", "nul", "{}\n{}", "\x00", `"` + "\xff" + `"`}).Draw(t, "bad")
	_, err := m.p.AppendBatch([][]byte{[]byte("{}"), []byte(bad)})
	_, refused := errors.AsType[*RecordError](err)
	require.True(t, refused, "%v", err)
}

func (m *machine) get(t *rapid.T) {
	at := rapid.IntRange(0, m.acked).Draw(t, "at")
	data, err := m.p.Get(uint64(at))
	if at == m.acked {
		_, out := errors.AsType[*RangeError](err)
		require.True(t, out, "%v", err)
		return
	}
	require.NoError(t, err)
	require.Equal(t, m.want()[at], string(data))
}

func (m *machine) records(t *rapid.T) {
	at := rapid.IntRange(0, m.acked).Draw(t, "from")
	requireLines(t, m.want()[at:], read(t, m.p, uint64(at)), m.what)
}

// rangeOf reads a part and leaves the loop.
func (m *machine) rangeOf(t *rapid.T) {
	at := rapid.IntRange(0, m.acked).Draw(t, "from")
	to := rapid.IntRange(at, m.acked).Draw(t, "to")
	var got []string
	for rec, err := range m.p.Records(uint64(at)) {
		if len(got) == to-at {
			break
		}
		require.NoError(t, err)
		got = append(got, string(rec.Data))
	}
	requireLines(t, m.want()[at:to], got, m.what)
}

func (m *machine) backward(t *rapid.T) {
	at := rapid.IntRange(0, m.acked).Draw(t, "before")
	var got []string
	for rec, err := range m.p.Backward(uint64(at)) {
		require.NoError(t, err)
		got = append(got, string(rec.Data))
	}
	slices.Reverse(got)
	requireLines(t, m.want()[:at], got, m.what)
}

var errEnough = errors.New("enough")

func (m *machine) follow(t *rapid.T) {
	at := rapid.IntRange(0, m.acked).Draw(t, "from")
	ctx, cancel := context.WithTimeoutCause(context.Background(), time.Second, errEnough)
	defer cancel()
	var got []string
	for rec, err := range m.p.Follow(ctx, uint64(at)) {
		if err != nil {
			require.ErrorIs(t, err, errEnough)
			break
		}
		got = append(got, string(rec.Data))
	}
	m.killed = m.acked // a second is over, so all is written
	requireLines(t, m.want()[at:], got, m.what)
}

func (m *machine) powerCut(t *rapid.T) {
	cfg := vfs.CrashConfig{
		Data:  rapid.SampledFrom(dataLosses).Draw(t, "data"),
		Names: rapid.SampledFrom([]vfs.NameLoss{vfs.NamesLost, vfs.NamesKept, vfs.NamesSubset}).Draw(t, "names"),
		Seed:  rapid.Uint64().Draw(t, "seed"),
	}
	m.end()
	m.resume(m.mem.Crash(cfg), m.owedAfterPowerLoss(), drawMode(t), 0)
}

// edit is what somebody does to the files while nobody writes: the writer was
// closed, or has died.
func (m *machine) edit(t *rapid.T) {
	if rapid.Bool().Draw(t, "closed") {
		require.NoError(t, m.opened.close(m.p))
	} else {
		after := m.mem.Kill()
		m.end()
		m.mem = after
	}
	old := m.triple(t)
	reader, err := OpenReader(m.log.path, m.log.options(m.mem, SyncAlways))
	require.NoError(t, err)
	m.requireLinesOf(t, reader, old.recs)
	name, change := drawEdit(t, m.log)
	now := change(t, old)
	m.put(t, old, now, rapid.Bool().Draw(t, "by rename"))
	m.requireLinesOf(t, reader, old.recs, now.recs)
	require.NoError(t, reader.Close())
	m.what = func() string { return name }
	m.openEdited(t, old, now)
}

// openEdited opens an edited log. What is below the promise must be as it was,
// or else opening refuses or Verify tells. What is above it is what a person
// sees in the file, up to the first line that is none.
func (m *machine) openEdited(t *rapid.T, old, now triple) {
	promise := m.log.promise(t, old)
	touched := !strings.HasPrefix(now.recs, old.recs[:promise])
	noticed := m.problems(t) > 0 || differAt(old.recs, now.recs) < m.unchecked(t)
	was := readDisk(t, m.mem)
	p, err := m.opened.open(m.log, m.mem, drawMode(t))
	if err != nil {
		_, corrupt := errors.AsType[*CorruptError](err)
		require.True(t, corrupt, "%v", err)
		require.True(t, touched, "only what was never promised was edited: %v", err)
		require.Equal(t, was, readDisk(t, m.mem), "refused, and nothing changed")
		m.undo(t, old)
		return
	}
	m.took(t, p, was)
	requireLines(t, strings.SplitAfter(m.log.personSees(t, now), "\n"), strings.SplitAfter(m.log.triple(t, m.mem).recs, "\n"), m.what)
	if touched && !m.log.bare && !sameShape(old.recs[:promise], now.recs) {
		require.True(t, noticed, "what was promised is not as it was, and nothing tells")
		// Opening does not look that far back, but a later one may.
		require.NoError(t, m.opened.close(p))
		m.undo(t, old)
	}
}

// unchecked is up to where the records were taken over from a writer that
// nobody knows: whether a line there is JSON, nobody has promised.
func (m *machine) unchecked(t *rapid.T) int64 {
	if m.log.bare {
		return 0
	}
	meta, _, err := segment.ReadMeta(m.mem, m.log.path)
	require.NoError(t, err)
	return meta.Unchecked.Position
}

// differAt is where two texts begin to differ.
func differAt(a, b string) int64 {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return int64(i)
		}
	}
	return int64(n)
}

// took makes the opened log the one that the model goes on with.
func (m *machine) took(t *rapid.T, p *Partition, was disk) {
	lines := m.log.requireRecords(t, was, readDisk(t, m.mem), p.Recovery(), m.what)
	m.p, m.mode, m.point = p, p.opts.Sync, &crashPoint{}
	m.gen++
	m.sent, m.acked, m.power, m.killed = lines, len(lines), len(lines), len(lines)
	requireLines(t, lines, read(t, p, 0), m.what)
}

// undo puts the files back and opens them.
func (m *machine) undo(t *rapid.T, old triple) {
	m.put(t, m.triple(t), old, true)
	was := readDisk(t, m.mem)
	p := m.opened.must(t, m.log, m.mem, drawMode(t), m.what)
	m.took(t, p, was)
}

// problems is how many Verify finds, notes left out.
func (m *machine) problems(t *rapid.T) (n int) {
	r, err := OpenReader(m.log.path, m.log.options(m.mem, SyncAlways))
	require.NoError(t, err)
	for problem, err := range r.Verify(context.Background()) {
		require.NoError(t, err)
		if !problem.Note {
			n++
		}
	}
	require.NoError(t, r.Close())
	return n
}

// requireLinesOf reads a log in every way: what comes is a line of one of the
// files.
func (m *machine) requireLinesOf(t *rapid.T, r *Partition, recs ...string) {
	check := func(data []byte) {
		for _, file := range recs {
			line := "\n" + string(data)
			if strings.Contains("\n"+file, line+"\n") || m.log.bare && strings.HasSuffix("\n"+file, line) {
				return
			}
		}
		require.Fail(t, "not a line", "%q", data)
	}
	for rec, err := range r.Records(0) {
		if err != nil {
			break
		}
		check(rec.Data)
	}
	for offset := range uint64(m.acked + 2) {
		if data, err := r.Get(offset); err == nil {
			check(data)
		}
	}
	for rec, err := range r.Backward(uint64(m.acked)) {
		if err != nil {
			break
		}
		check(rec.Data)
	}
}
