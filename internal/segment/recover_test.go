package segment

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/index"
	"example.com/jlq/internal/jsonl"
	"example.com/jlq/internal/vfs"
)

// state is what lies in a partition directory before it is opened.
type state struct {
	recs string   // "-" for no file
	idx  []uint64 // nil for no file
	tail string   // bytes behind the whole entries
	meta *Meta
}

func always(synced int64) *Meta {
	return &Meta{Format: 1, Sync: "always", Validate: "strict", Batch: 64, Synced: Mark{Position: synced}}
}

func weak(synced int64) *Meta {
	m := always(synced)
	m.Sync = "os"
	return m
}

const three = `{"n":0}` + "\n" + `{"n":1}` + "\n" + `{"n":2}` + "\n" // lines of 8 bytes

// want is what lies there afterwards, and what was reported.
type want struct {
	recs    string
	next    uint64
	torn    string // content of the file that holds the torn tail
	report  func(*testing.T, Report)
	corrupt int64 // position of a CorruptError, when err is wanted
	err     error
}

// TestRecover is the table of the ordinary states a log is found in. Each is
// opened twice: the second time there is nothing left to do.
func TestRecover(t *testing.T) {
	adopted := func(from, n uint64) func(*testing.T, Report) {
		return func(t *testing.T, r Report) {
			require.Equal(t, n, r.Adopted)
			require.Equal(t, from, r.AdoptedFrom)
			require.False(t, r.IndexRebuilt)
		}
	}
	rebuilt := func(why string) func(*testing.T, Report) {
		return func(t *testing.T, r Report) {
			require.True(t, r.IndexRebuilt)
			require.Contains(t, r.IndexReason, why)
		}
	}
	clean := func(t *testing.T, r Report) { require.Empty(t, r.Lines()) }
	nuls := strings.Repeat("\x00", 40)

	for name, c := range map[string]struct {
		state
		want
	}{
		"new": {state{recs: "-"}, want{report: clean}},
		"new and the index made already": {
			state{recs: "-", idx: []uint64{}}, want{report: clean}},
		"clean": {
			state{recs: three, idx: []uint64{0, 8, 16, 24}, meta: always(24)},
			want{recs: three, next: 3, report: clean}},
		"index behind": {
			state{recs: three, idx: []uint64{0, 8}, meta: always(8)},
			want{recs: three, next: 3, report: adopted(1, 2)}},
		"index behind what was synced": {
			state{recs: three, idx: []uint64{0, 8}, meta: always(16)},
			want{recs: three, next: 3, report: adopted(1, 2)}},
		"index missing": {
			state{recs: three, meta: always(24)},
			want{recs: three, next: 3, report: rebuilt("missing")}},
		"index empty": {
			state{recs: three, idx: []uint64{}, tail: "\x00\x00", meta: always(24)},
			want{recs: three, next: 3, report: rebuilt("missing or empty")}},
		"index ends in a partial entry": {
			state{recs: three, idx: []uint64{0, 8, 16}, tail: "\x00\x00\x00", meta: weak(8)},
			want{recs: three, next: 3, report: adopted(2, 1)}},
		"index with a hole of zeros": {
			state{recs: three, idx: []uint64{0, 8, 0, 24}, meta: weak(8)},
			want{recs: three, next: 3, report: rebuilt("entry 2 is 0")}},
		"index full of the synced position": {
			state{recs: three, idx: []uint64{0, 8, 8, 8}, meta: weak(8)},
			want{recs: three, next: 3, report: rebuilt("entry 2 is 8")}},
		"index doubled": {
			state{recs: three, idx: []uint64{0, 8, 16, 24, 0, 8, 16, 24}, meta: always(24)},
			want{recs: three, next: 3, report: rebuilt("entry")}},
		"index of another file of the same size": {
			state{recs: three, idx: []uint64{0, 12, 24}, meta: always(24)},
			want{recs: three, next: 3, report: rebuilt("holds a newline")}},
		"acknowledged record damaged under an index with a zero tail": {
			state{recs: three[:8] + "garbage\n" + three[16:] + strings.Repeat(three, 2), idx: []uint64{0, 8, 16, 24, 32, 0, 0, 0, 0, 0}, meta: &Meta{Format: 1, Sync: "always", Validate: "strict", Batch: 1 << 20}},
			want{corrupt: 8}},
		"acknowledged record damaged under an index with a wrong entry in the middle": {
			state{recs: three + "garbage\n" + three[:16], idx: []uint64{0, 8, 16, 24, 1 << 60, 40, 48}, meta: &Meta{Format: 1, Sync: "always", Validate: "strict", Batch: 1 << 20}},
			want{corrupt: 24}},
		"one entry twice": {
			state{recs: three, idx: []uint64{0, 8, 8, 16, 24}, meta: always(24)},
			want{recs: three, next: 3, report: rebuilt("is not above entry 1")}},
		"acknowledged record damaged under an entry of another index": {
			state{recs: three[:16] + "garbage\n", idx: []uint64{0, 8, 16, 24, 8}, meta: &Meta{Format: 1, Sync: "always", Validate: "strict", Batch: 4}},
			want{corrupt: 16}},
		"index lost of records that were checked by frame": {
			state{recs: "text\n" + three, meta: always(29)},
			want{recs: "text\n" + three, next: 4, report: rebuilt("missing")}},
		"index of another file": {
			state{recs: three, idx: []uint64{0, 5, 11, 24}, meta: weak(0)},
			want{recs: three, next: 3, report: rebuilt("entry 1 is 5")}},
		"index garbage": {
			state{recs: three, idx: []uint64{1 << 63, 1<<64 - 1, 3, 7}, meta: always(24)},
			want{recs: three, next: 3, report: rebuilt("first entry")}},
		"index ahead": {
			state{recs: three, idx: []uint64{0, 8, 16, 24, 32, 40}, meta: weak(24)},
			want{recs: three, next: 3, report: func(t *testing.T, r Report) {
				require.Equal(t, []uint64{3, 5}, []uint64{r.LostFrom, r.LostTo})
			}}},
		"torn in the middle of a line": {
			state{recs: three + `{"n":`, idx: []uint64{0, 8, 16, 24}, meta: always(24)},
			want{recs: three, next: 3, torn: `{"n":`}},
		"torn behind an adopted line": {
			state{recs: three + `{"n":`, idx: []uint64{0, 8, 16}, meta: always(16)},
			want{recs: three, next: 3, torn: `{"n":`, report: adopted(2, 1)}},
		"NUL tail": {
			state{recs: three + nuls, idx: []uint64{0, 8, 16, 24}, meta: always(24)},
			want{recs: three, next: 3, torn: nuls}},
		"whole line of NULs": {
			state{recs: three + nuls + "\n" + three, idx: []uint64{0, 8, 16, 24}, meta: weak(24)},
			want{recs: three, next: 3, torn: nuls + "\n" + three}},
		"published lines lost to NULs in a weak mode": {
			state{recs: three[:16] + nuls, idx: []uint64{0, 8, 16, 24, 32}, meta: weak(8)},
			want{recs: three[:16], next: 2, torn: nuls, report: func(t *testing.T, r Report) {
				require.Equal(t, []uint64{2, 4}, []uint64{r.LostFrom, r.LostTo})
			}}},
		"whole line that is no JSON": {
			state{recs: three + "garbage\n", idx: []uint64{0, 8, 16, 24}, meta: always(24)},
			want{recs: three, next: 3, torn: "garbage\n"}},
		"whole line that is no JSON, of a writer that checks frames": {
			state{recs: three + "garbage\n", idx: []uint64{0, 8, 16, 24}, meta: &Meta{Format: 1, Sync: "os", Validate: "frame", Batch: 64}},
			want{recs: three + "garbage\n", next: 4, report: adopted(3, 1)}},
		"nothing promised: lines stay, the tail is torn": {
			state{recs: "garbage\n" + three + "tail", idx: []uint64{0, 8}},
			want{recs: "garbage\n" + three, next: 4, torn: "tail", report: adopted(1, 3)}},
		"records shorter than what was synced": {
			state{recs: three[:20], idx: []uint64{0, 8, 16, 24}, meta: always(24)},
			want{corrupt: 20}},
		"synced position inside a line": {
			state{recs: three, idx: []uint64{0, 8, 16, 24}, meta: always(20)},
			want{corrupt: 20}},
		"acknowledged record damaged": {
			state{recs: three[:8] + nuls[:7] + "\n" + three[16:], idx: []uint64{0, 8, 16, 24}, meta: always(8)},
			want{corrupt: 8}},
		"damage further back than one batch": {
			state{recs: three + "garbage\n" + strings.Repeat(three, 4), idx: []uint64{0, 8}, meta: always(8)},
			want{corrupt: 24}},
		"records away": {
			state{recs: "-", idx: []uint64{0, 8}, meta: always(8)}, want{err: &SegmentAwayError{}}},
		"records away and the index too": {
			state{recs: "-", meta: always(8)}, want{err: &SegmentAwayError{}}},
	} {
		t.Run(name, func(t *testing.T) {
			fsys := vfs.NewMem()
			c.put(t, fsys)
			a, next, report, err := recoverState(fsys, c.meta)
			if c.corrupt > 0 || c.err != nil {
				c.requireRefused(t, fsys, c.state, err)
				return
			}
			require.NoError(t, err)
			require.NoError(t, a.Close())
			require.Equal(t, c.next, next)
			c.requireFiles(t, fsys, report)
			if c.want.report != nil {
				c.want.report(t, report)
			}
			requireNothingLeft(t, fsys)
		})
	}
}

func (s state) put(t *testing.T, fsys vfs.FS) {
	require.NoError(t, fsys.Mkdir("p", 0o700))
	pair := PairAt("p", 0)
	if s.recs != "-" {
		require.NoError(t, vfs.ReplaceFile(fsys, pair.Records, []byte(s.recs), 0o600))
	}
	if s.idx != nil {
		require.NoError(t, vfs.ReplaceFile(fsys, pair.Index, append(entriesOf(s.idx...), s.tail...), 0o600))
	}
	if s.meta != nil {
		require.NoError(t, WriteMeta(fsys, "p", *s.meta, 0o600))
	}
}

func entriesOf(positions ...uint64) []byte {
	var b []byte
	for _, p := range positions {
		b = index.AppendEntry(b, int64(p))
	}
	return b
}

func recoverState(fsys vfs.FS, meta *Meta) (*Active, uint64, Report, error) {
	return Recover(fsys, "p", PairAt("p", 0), RecoverOptions{
		Meta: meta, Mode: *always(0), MaxLine: 1 << 10, Perm: 0o600,
		Strict: func(rec []byte) error { return jsonl.CheckStrict(rec, 1<<10) },
	})
}

// requireRefused: damage below the promise is reported and not touched.
func (w want) requireRefused(t *testing.T, fsys vfs.FS, before state, err error) {
	if w.err != nil {
		_, is := errors.AsType[*SegmentAwayError](err)
		require.True(t, is, "%v", err)
		return
	}
	corrupt, is := errors.AsType[*CorruptError](err)
	require.True(t, is, "%v", err)
	require.Equal(t, w.corrupt, corrupt.Position)
	require.Equal(t, before.recs, read(t, fsys, "p/00000000000000000000.jsonl"))
	require.Equal(t, string(entriesOf(before.idx...)), read(t, fsys, "p/00000000000000000000.index"))
}

// requireFiles: the records are as wanted, the index is exactly that of its
// lines, the torn tail is kept, and what is there is promised.
func (w want) requireFiles(t *testing.T, fsys vfs.FS, report Report) {
	pair := PairAt("p", 0)
	require.Equal(t, w.recs, read(t, fsys, pair.Records))
	lines := []uint64{0}
	for i := range w.recs {
		if w.recs[i] == '\n' {
			lines = append(lines, uint64(i+1))
		}
	}
	require.Equal(t, string(entriesOf(lines...)), read(t, fsys, pair.Index))
	if w.torn != "" {
		require.Equal(t, w.torn, read(t, fsys, report.TornPath))
		require.Equal(t, int64(len(w.torn)), report.TornBytes)
	}
	meta, ok, err := ReadMeta(fsys, "p")
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, Mark{Position: int64(len(w.recs))}, meta.Synced)
}

func requireNothingLeft(t *testing.T, fsys vfs.FS) {
	meta, _, err := ReadMeta(fsys, "p")
	require.NoError(t, err)
	counted := vfs.NewFault(fsys, nil)
	a, _, report, err := recoverState(counted, &meta)
	require.NoError(t, err)
	require.NoError(t, a.Close())
	require.Equal(t, Report{}, report)
	for _, op := range counted.Ops() {
		// The directory is synced in any case: somebody may have renamed.
		harmless := op.Kind == vfs.OpOpen || op.Kind == vfs.OpSyncDir
		require.False(t, op.Kind.Changes() && !harmless, "recovering a clean log does %v", op)
	}
}

func read(t *testing.T, fsys vfs.FS, name string) string {
	data, err := vfs.ReadFile(fsys, name, 1<<20)
	require.NoError(t, err)
	return string(data)
}

// TestRecoverTornNames: identical bytes are set aside once, others get a name
// of their own; nothing that was set aside is ever lost.
func TestRecoverTornNames(t *testing.T) {
	fsys := vfs.NewMem()
	state{recs: three + "aaa", idx: []uint64{0, 8, 16, 24}, meta: always(24)}.put(t, fsys)
	tear := func(bytes string) string {
		require.NoError(t, vfs.ReplaceFile(fsys, PairAt("p", 0).Records, []byte(three+bytes), 0o600))
		a, _, report, err := recoverState(fsys, always(24))
		require.NoError(t, err)
		require.NoError(t, a.Close())
		return report.TornPath
	}
	first := tear("aaa")
	require.Equal(t, first, tear("aaa"))
	require.Equal(t, first+"-1", tear("bbb"))
	require.Equal(t, first, tear("aaa"))
	require.Equal(t, "aaa", read(t, fsys, first))
	require.Equal(t, "bbb", read(t, fsys, first+"-1"))
}

// TestRecoverCrash: a power loss at any step of a recovery, whatever it does
// to what was not synced, leaves a log that the next recovery brings to the
// same state.
func TestRecoverCrash(t *testing.T) {
	s := state{recs: three + three + "torn", idx: []uint64{0, 8, 99}, meta: weak(16)}
	for _, data := range []vfs.DataLoss{vfs.DataLost, vfs.DataKept, vfs.DataTorn, vfs.DataZeroed, vfs.DataGarbage} {
		for _, names := range []vfs.NameLoss{vfs.NamesLost, vfs.NamesKept} {
			for n := 1; crashRecovery(t, s, data, names, n); n++ {
			}
		}
	}
}

// TestRecoverLargeTail: a torn tail of a weak mode may be longer than a batch
// of the next writer. Its cut is durable before that writer's promise is, or
// the tail, come back after a power loss, would count as acknowledged.
func TestRecoverLargeTail(t *testing.T) {
	fsys := vfs.NewMem()
	s := state{recs: three + strings.Repeat("\x00", 500), idx: []uint64{0, 8, 16, 24}, meta: weak(24)}
	s.put(t, fsys)
	require.NoError(t, fsys.SyncDir("."))
	a, _, _, err := recoverState(fsys, s.meta)
	require.NoError(t, err)
	require.NoError(t, a.Close())
	after := fsys.Crash(vfs.CrashConfig{})
	meta, _, err := ReadMeta(after, "p")
	require.NoError(t, err)
	require.Equal(t, "always", meta.Sync)
	a, next, _, err := recoverState(after, &meta)
	require.NoError(t, err)
	require.NoError(t, a.Close())
	require.Equal(t, uint64(3), next)
}

// TestRecoverDurable: when Recover returns, the names it made and the index it
// mended are on the disk, whatever it found to be promised already.
func TestRecoverDurable(t *testing.T) {
	for name, s := range map[string]state{
		"files made anew": {recs: "-", meta: always(0)},
		"index extended":  {recs: three, idx: []uint64{0}, meta: always(24)},
		"index built":     {recs: three, meta: always(24)},
	} {
		t.Run(name, func(t *testing.T) {
			fsys := vfs.NewMem()
			s.put(t, fsys)
			require.NoError(t, fsys.SyncDir("."))
			a, _, _, err := recoverState(fsys, s.meta)
			require.NoError(t, err)
			require.NoError(t, a.Close())
			index := read(t, fsys, PairAt("p", 0).Index)
			after := fsys.Crash(vfs.CrashConfig{})
			require.Equal(t, strings.TrimPrefix(s.recs, "-"), read(t, after, PairAt("p", 0).Records))
			if s.recs != "-" {
				require.Equal(t, index, read(t, after, PairAt("p", 0).Index))
			}
		})
	}
}

// TestRecoverWritesAgain: the bytes above the last writer's promise are
// written a second time before they are synced. After a failed fsync the
// kernel calls such pages clean, and a sync alone would not write them.
func TestRecoverWritesAgain(t *testing.T) {
	for meta, from := range map[*Meta]int64{weak(8): 8, always(8): 16, nil: 0} {
		fsys := vfs.NewMem()
		state{recs: three, idx: []uint64{0, 8, 16}, meta: meta}.put(t, fsys)
		fault := vfs.NewFault(fsys, nil)
		a, _, report, err := recoverState(fault, meta)
		require.NoError(t, err)
		require.NoError(t, a.Close())
		require.Equal(t, 24-from, report.Rewritten)
		next := from
		for _, op := range fault.Ops() {
			if op.Kind == vfs.OpWriteAt && op.Path == PairAt("p", 0).Records {
				require.Equal(t, next, op.Off)
				next += int64(op.Size)
			}
			if op.Kind == vfs.OpSync && op.Path == PairAt("p", 0).Records {
				require.Equal(t, int64(24), next, "synced before all was written again")
			}
		}
		require.Equal(t, int64(24), next)
	}
}

// TestWriteAgainFrom: without a partition.json no writer vouched for anything,
// but none leaves more unsynced than the bound on that.
func TestWriteAgainFrom(t *testing.T) {
	for _, c := range []struct {
		meta               *Meta
		promise, end, from int64
	}{
		{weak(8), 8, 1 << 40, 8},
		{nil, 0, 300, 0},
		{nil, 0, MaxUnsynced + defaultBatch + 7, 7},
	} {
		require.Equal(t, c.from, writeAgainFrom(c.meta, c.promise, c.end, 1<<10))
	}
	require.Equal(t, int64(7), writeAgainFrom(nil, 0, MaxUnsynced+1<<30+8, 1<<30), "a batch may be one large record")
}

// crashRecovery reports whether the recovery was long enough to be crashed at
// its n-th operation.
func crashRecovery(t *testing.T, s state, data vfs.DataLoss, names vfs.NameLoss, n int) bool {
	mem := vfs.NewMem()
	s.put(t, mem)
	require.NoError(t, mem.SyncDir("."))
	a, _, _, err := recoverState(vfs.NewFault(mem, vfs.CrashAt(n)), s.meta)
	if err == nil {
		err = a.Close()
	}
	crashed := err != nil
	if crashed {
		require.ErrorIs(t, err, vfs.ErrCrashed)
	}
	after := mem.Crash(vfs.CrashConfig{Data: data, Names: names, Seed: uint64(n)})
	meta, ok, err := ReadMeta(after, "p")
	require.NoError(t, err)
	require.True(t, ok)
	a, next, _, err := recoverState(after, &meta)
	require.NoError(t, err, "crash at %d, data %v, names %v", n, data, names)
	require.NoError(t, a.Close())
	require.Equal(t, uint64(6), next)
	require.Equal(t, three+three, read(t, after, PairAt("p", 0).Records))
	require.Equal(t, string(entriesOf(0, 8, 16, 24, 32, 40, 48)), read(t, after, PairAt("p", 0).Index))
	requireSetAside(t, after, "torn")
	return crashed
}

// requireSetAside: one of the files of torn bytes holds these. Another may be
// the beginning of a copy that a crash cut short.
func requireSetAside(t *testing.T, fsys vfs.FS, bytes string) {
	names, err := fsys.List("p")
	require.NoError(t, err)
	for _, name := range names {
		if strings.Contains(name, tornInfix) && read(t, fsys, "p/"+name) == bytes {
			return
		}
	}
	require.Fail(t, "the torn bytes are gone", "%v", names)
}

// TestRecoverChecked: that a log whose records were checked less will be held
// to more is told once, when the writer changes.
func TestRecoverChecked(t *testing.T) {
	fsys := vfs.NewMem()
	frame := &Meta{Format: 1, Sync: "always", Validate: "frame", Batch: 64, Synced: Mark{Position: 24}}
	state{recs: three, idx: []uint64{0, 8, 16, 24}, meta: frame}.put(t, fsys)
	a, _, report, err := recoverState(fsys, frame)
	require.NoError(t, err)
	require.NoError(t, a.Close())
	require.Equal(t, "frame", report.WasChecked)
	requireNothingLeft(t, fsys)
}

// TestRecoverMeanwhile: what another program does to the records between the
// survey and the cut was not looked at, so it is not cut.
func TestRecoverMeanwhile(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(fsys vfs.FS, path string) error
		want error
	}{
		"saved by an editor": {func(fsys vfs.FS, path string) error {
			return vfs.ReplaceFile(fsys, path, []byte(strings.Repeat("[]\n", 100)), 0o600)
		}, ErrReplaced},
		"appended to": {func(fsys vfs.FS, path string) error {
			f, err := fsys.Open(path, os.O_WRONLY|os.O_APPEND, 0)
			if err != nil {
				return err
			}
			_, err = f.Write([]byte("{}\n"))
			return errors.Join(err, f.Close())
		}, ErrForeignWrite},
	} {
		t.Run(name, func(t *testing.T) {
			fsys := vfs.NewMem()
			s := state{recs: three + "torn", idx: []uint64{0, 8, 16, 24}, meta: always(24)}
			s.put(t, fsys)
			path := PairAt("p", 0).Records
			done := ""
			fault := vfs.NewFault(fsys, func(op vfs.Op) error {
				// The torn tail is set aside, and its directory synced, just
				// before the cut.
				if op.Kind != vfs.OpSyncDir || done != "" {
					return nil
				}
				err := c.do(fsys, path)
				done = read(t, fsys, path)
				return err
			})
			_, _, _, err := recoverState(fault, s.meta)
			require.NotEmpty(t, done)
			if c.want == ErrReplaced {
				// The open file was cut; the one that has the name was not.
				require.Error(t, err)
			} else {
				require.ErrorIs(t, err, c.want)
			}
			require.Equal(t, done, read(t, fsys, path))
		})
	}
}

// TestRecoverEmptyWithoutIndex: an empty records file that lost its index.
func TestRecoverEmptyWithoutIndex(t *testing.T) {
	fsys := vfs.NewMem()
	state{recs: "", meta: always(0)}.put(t, fsys)
	a, next, _, err := recoverState(fsys, always(0))
	require.NoError(t, err)
	require.NoError(t, a.Close())
	require.Zero(t, next)
}

// TestMetaMode: what an operator has set on partition.json stays.
func TestMetaMode(t *testing.T) {
	fsys := vfs.NewMem()
	require.NoError(t, fsys.Mkdir("p", 0o700))
	require.NoError(t, WriteMeta(fsys, "p", *always(0), 0o644))
	require.NoError(t, WriteMeta(fsys, "p", *weak(0), 0o600))
	info, err := fsys.Stat("p/" + MetaName)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o644), info.Mode.Perm())
}

// TestMetaBatch: a partition.json that bounds no batch must not make every
// torn tail one of promised bytes.
func TestMetaBatch(t *testing.T) {
	m, err := parseMeta([]byte(`{"format":1,"sync":"always","validate":"strict","start":0,"synced":{"base":0,"position":0}}`))
	require.NoError(t, err)
	require.Equal(t, int64(16777217), m.Batch)
}

// TestMetaBounds: offsets that no log can come near would wrap around where
// records are counted from them.
func TestMetaBounds(t *testing.T) {
	for _, c := range []struct {
		start, base string
		ok          bool
	}{
		{"0", "0", true},
		{"9223372036854775807", "9223372036854775807", true},
		{"9223372036854775808", "0", false},
		{"18446744073709551615", "0", false},
		{"0", "9223372036854775808", false},
		{"18446744073709551616", "0", false},
		{"-1", "0", false},
	} {
		_, err := parseMeta([]byte(`{"format":1,"sync":"always","validate":"strict","batch":64,"start":` + c.start +
			`,"synced":{"base":` + c.base + `,"position":0}}`))
		require.Equal(t, c.ok, err == nil, "start %s, base %s: %v", c.start, c.base, err)
	}
	for name, ok := range map[string]bool{
		"00000000000000000000.jsonl": true, "09223372036854775807.index": true,
		"09223372036854775808.jsonl": false, "18446744073709551615.jsonl": false,
	} {
		_, _, is := ParseName(name)
		require.Equal(t, ok, is, name)
	}
}
