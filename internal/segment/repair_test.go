package segment

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/jsonl"
	"example.com/jlq/internal/vfs"
)

const repairLimit = 64

func repairOptions() RepairOptions {
	return RepairOptions{
		Check:    func(_ int64, rec []byte) error { return jsonl.CheckStrict(rec, repairLimit) },
		Complete: jsonl.Complete, MaxLine: repairLimit, Synced: -1, Perm: 0o600,
	}
}

// blank is the line that repair leaves in the place of a lost one of n bytes.
func blank(n int) string { return strings.Repeat(" ", n-1) + "\n" }

// repaired is what is planned for a state, and what is there afterwards.
type repaired struct {
	recs   string
	plan   string           // damages as "start-end first slots lost proof"
	asides map[int64]string // by position
	index  bool             // it is written anew
	tail   string           // what is cut
	lost   uint64           // entries behind the end
	shift  uint64           // the first record that may shift; 0 for none
	left   string           // why nothing is done
}

// TestRepair is the table of damage and what becomes of it. Lines of three are
// 8 bytes long. Each state is repaired twice: the second time there is nothing
// left to do.
func TestRepair(t *testing.T) {
	nul := func(n int) string { return strings.Repeat("\x00", n) }
	six := three + strings.ReplaceAll(strings.ReplaceAll(strings.ReplaceAll(three, "2", "5"), "1", "4"), "0", "3")
	seven := []uint64{0, 8, 16, 24, 32, 40, 48}
	next := func(n uint64) func(*RepairOptions) { return func(o *RepairOptions) { o.Next = &n } }
	frame := func(o *RepairOptions) {
		o.Check = func(_ int64, rec []byte) error { return jsonl.CheckFrame(rec, repairLimit) }
	}
	get := `GET /0 {"a":0}` + "\n" + `GET /1 {"a":1}` + "\n" + `GET /2 {"a":2}` + "\n" // lines of 15 bytes
	mixed := `{"n":0}` + "\n" + `{}` + "\n" + `{"n":1}` + "\n" + `[1,2]` + "\n" + `{"n":2}` + "\n"
	mixedIdx := []uint64{0, 8, 11, 19, 25, 33}
	bare := func(o *RepairOptions) {
		o.AnyLine, o.Bare = true, true
		o.Check = func(int64, []byte) error { return nil }
	}
	for name, c := range map[string]struct {
		state
		opts func(*RepairOptions)
		repaired
	}{
		"nothing wrong": {state: state{recs: six, idx: seven}, repaired: repaired{recs: six}},
		"no records":    {state: state{recs: "", idx: []uint64{0}}, repaired: repaired{}},
		"no records and an empty index": {
			state: state{recs: "", idx: []uint64{}}, repaired: repaired{}},
		"one line is no JSON": {
			state:    state{recs: six[:8] + "garbage\n" + six[16:], idx: seven},
			repaired: repaired{recs: six[:8] + blank(8) + six[16:], plan: "8-16 1 1 1 0", asides: map[int64]string{8: "garbage\n"}}},
		"the first line": {
			state:    state{recs: "garbage\n" + six[8:], idx: seven},
			repaired: repaired{recs: blank(8) + six[8:], plan: "0-8 0 1 1 0", asides: map[int64]string{0: "garbage\n"}}},
		"a hole over three lines and a half": {
			state: state{recs: six[:12] + nul(22) + six[34:], idx: seven},
			repaired: repaired{recs: six[:8] + blank(8) + blank(8) + blank(8) + blank(8) + six[40:], plan: "8-40 1 4 4 0",
				asides: map[int64]string{8: six[8:12] + nul(22) + six[34:40]}}},
		"a hole that ends where a line begins": {
			state:    state{recs: six[:8] + nul(8) + six[16:], idx: seven},
			repaired: repaired{recs: six[:8] + blank(8) + six[16:], plan: "8-16 1 1 1 0", asides: map[int64]string{8: nul(8)}}},
		"a lost newline between two records": {
			state:    state{recs: six[:15] + "x" + six[16:], idx: seven},
			repaired: repaired{recs: six, plan: "8-24 1 2 0 0", asides: map[int64]string{8: six[8:15] + "x" + six[16:24]}}},
		"a record too many bytes long holds three": {
			state: state{recs: six[:15] + "x" + six[16:23] + "x" + nul(1) + six[25:], idx: seven},
			repaired: repaired{recs: six[:24] + blank(8) + six[32:], plan: "8-32 1 3 1 0",
				asides: map[int64]string{8: six[8:15] + "x" + six[16:23] + "x" + nul(1) + six[25:32]}}},
		"two ranges": {
			state: state{recs: nul(8) + six[8:16] + nul(8) + six[24:], idx: seven},
			repaired: repaired{recs: blank(8) + six[8:16] + blank(8) + six[24:], plan: "0-8 0 1 1 0, 16-24 2 1 1 0",
				asides: map[int64]string{0: nul(8) + six[8:16] + nul(8)}}},
		"a hole without an index": {
			state:    state{recs: six[:12] + nul(8) + six[20:]},
			repaired: repaired{recs: six[:8] + blank(16) + six[24:], plan: "8-24 1 1 1 2", asides: map[int64]string{8: six[8:12] + nul(8) + six[20:24]}, index: true, shift: 2}},
		"a hole longer than a record, without an index": {
			state:    state{recs: six[:8] + nul(130) + six[8:]},
			repaired: repaired{recs: six[:8] + blank(65) + blank(65) + six[8:], plan: "8-138 1 2 1 2", asides: map[int64]string{8: nul(130)}, index: true, shift: 3}},
		"one line is no JSON, and the index is behind": {
			state:    state{recs: six[:32] + "garbage\n" + six[40:], idx: seven[:3]},
			repaired: repaired{recs: six[:32] + blank(8) + six[40:], plan: "32-40 4 1 1 2", asides: map[int64]string{32: "garbage\n"}, index: true, shift: 5}},
		"a line added in the middle by hand": {
			state:    state{recs: six[:8] + "{}\n" + six[8:], idx: seven},
			repaired: repaired{recs: six[:8] + "{}\n" + six[8:], index: true, shift: 1}},
		"a line removed by hand": {
			state:    state{recs: six, idx: []uint64{0, 8, 11, 19, 27, 35, 43, 51}},
			repaired: repaired{recs: six, index: true, shift: 1}},
		"the last line of the same length removed by hand": {
			state:    state{recs: six[:8] + six[16:], idx: seven},
			repaired: repaired{recs: six[:8] + six[16:], index: true, lost: 1}},
		"a line split by hand at the same length": {
			state:    state{recs: six[:8] + "{}\n[12]\n" + six[16:], idx: seven},
			repaired: repaired{recs: six[:8] + "{}\n[12]\n" + six[16:], index: true, shift: 1}},
		"a line edited to another length": {
			state:    state{recs: six[:8] + `{"n":"one"}` + six[15:], idx: seven},
			repaired: repaired{recs: six[:8] + `{"n":"one"}` + six[15:], index: true}},
		"a line split and two joined by hand, as many as before": {
			state:    state{recs: six[:8] + "{}\n[12]\n" + six[16:24] + "[1,          22]\n" + six[40:], idx: seven},
			repaired: repaired{recs: six[:8] + "{}\n[12]\n" + six[16:24] + "[1,          22]\n" + six[40:], index: true, shift: 1}},
		"a line removed and another added by hand": {
			state:    state{recs: mixed[:8] + mixed[11:] + "[3]\n", idx: mixedIdx},
			repaired: repaired{recs: mixed[:8] + mixed[11:] + "[3]\n", index: true, shift: 1}},
		"a line removed by hand, and the index has stray bytes": {
			state:    state{recs: mixed[:8] + mixed[11:], idx: mixedIdx, tail: "zzz"},
			repaired: repaired{recs: mixed[:8] + mixed[11:], index: true, shift: 1}},
		"a line removed by hand, and one entry is wrong": {
			state:    state{recs: mixed[:8] + mixed[11:], idx: []uint64{0, 8, 11, 7, 25, 33}},
			repaired: repaired{recs: mixed[:8] + mixed[11:], index: true, shift: 1}},
		"frame: what a hole leaves of a record is none": {
			state: state{recs: get[:15] + nul(7) + get[22:], idx: []uint64{0, 15, 30, 45}}, opts: frame,
			repaired: repaired{recs: get[:15] + blank(15) + get[30:], plan: "15-30 1 1 1 0", asides: map[int64]string{15: nul(7) + get[22:30]}}},
		"frame: a wrong entry does not make a record of a part": {
			state: state{recs: get[:26] + nul(6) + get[32:] + get[:15], idx: []uint64{0, 15, 24, 45, 60}}, opts: frame,
			repaired: repaired{recs: get[:15] + blank(9) + blank(21) + get[:15], plan: "15-45 1 2 2 0", asides: map[int64]string{15: get[15:26] + nul(6) + get[32:]}}},
		"index of garbage": {state: state{recs: six, idx: []uint64{9, 8, 1 << 63, 3, 1, 1, 7}}, repaired: repaired{recs: six, index: true}},
		"index missing":    {state: state{recs: six}, repaired: repaired{recs: six, index: true}},
		"index behind":     {state: state{recs: six, idx: seven[:4]}, repaired: repaired{recs: six, index: true}},
		"index with zeros": {state: state{recs: six, idx: []uint64{0, 8, 16, 24, 32, 40, 48, 0, 0}}, repaired: repaired{recs: six, index: true}},
		"index partial":    {state: state{recs: six, idx: seven, tail: "\x00\x01"}, repaired: repaired{recs: six, index: true}},
		"one entry wrong":  {state: state{recs: six, idx: []uint64{0, 8, 17, 24, 32, 40, 48}}, repaired: repaired{recs: six, index: true}},
		"index ahead": {
			state: state{recs: six[:24], idx: seven}, repaired: repaired{recs: six[:24], index: true, lost: 3}},
		"torn tail": {
			state: state{recs: six + `{"n"`, idx: seven}, repaired: repaired{recs: six, tail: `{"n"`, asides: map[int64]string{48: `{"n"`}}},
		"the last record is cut": {
			state:    state{recs: six[:44], idx: seven},
			repaired: repaired{recs: six[:40], tail: six[40:44], asides: map[int64]string{40: six[40:44]}, index: true, lost: 1}},
		"the last newline is cut": {
			state: state{recs: six[:47], idx: seven}, repaired: repaired{recs: six}},
		"a tail of NUL bytes under entries": {
			state:    state{recs: six[:20] + nul(28), idx: seven},
			repaired: repaired{recs: six[:16], tail: six[16:20] + nul(28), asides: map[int64]string{16: six[16:20] + nul(28)}, index: true, lost: 4}},
		"the last newline but one is lost, and the tail": {
			state: state{recs: six[:31] + "x" + six[32:40] + nul(8), idx: seven},
			repaired: repaired{recs: six[:40], plan: "24-40 3 2 0 0", tail: nul(8), index: true, lost: 1,
				asides: map[int64]string{24: six[24:31] + "x" + six[32:40] + nul(8)}}},
		"sealed: the end is cut": {
			state: state{recs: six[:44], idx: seven}, opts: next(6),
			repaired: repaired{recs: six[:40] + blank(4), plan: "40-44 5 1 1 1", asides: map[int64]string{40: six[40:44]}, index: true}},
		"sealed: cut between two lines": {
			state: state{recs: six[:24], idx: seven}, opts: next(6),
			repaired: repaired{recs: six[:24] + "\n\n\n", plan: "24-24 3 3 3 1", index: true, asides: map[int64]string{24: nul(3)}}},
		"sealed: cut in the middle of a newline, and records are missing": {
			state: state{recs: six[:31], idx: seven}, opts: next(6),
			repaired: repaired{recs: six[:32] + "\n\n", plan: "32-32 4 2 2 1", index: true, asides: map[int64]string{32: nul(2)}}},
		"sealed: NUL bytes to the end": {
			state: state{recs: six[:32] + nul(16), idx: seven}, opts: next(6),
			repaired: repaired{recs: six[:32] + blank(8) + blank(8), plan: "32-48 4 2 2 0", asides: map[int64]string{32: nul(16)}}},
		"sealed: a hole without an index": {
			state: state{recs: six[:8] + nul(20) + six[28:]}, opts: next(6),
			repaired: repaired{recs: six[:8] + blank(8) + blank(8) + blank(8) + six[32:], plan: "8-32 1 3 3 1",
				asides: map[int64]string{8: nul(20) + six[28:32]}, index: true}},
		"sealed: a line without an index": {
			state: state{recs: six[:8] + "garbage\n" + six[16:]}, opts: next(6),
			repaired: repaired{recs: six[:8] + blank(8) + six[16:], plan: "8-16 1 1 1 1", asides: map[int64]string{8: "garbage\n"}, index: true}},
		"sealed: a segment behind it is away": {
			state: state{recs: six, idx: seven}, opts: next(12), repaired: repaired{recs: six, left: "a segment between them is away"}},
		"sealed: two holes without an index": {
			state: state{recs: nul(8) + six[8:24] + nul(16) + six[40:]}, opts: next(6),
			repaired: repaired{recs: blank(8) + six[8:24] + blank(8) + blank(8) + six[40:], plan: "0-8 0 1 1 1, 24-40 3 2 2 1",
				asides: map[int64]string{0: nul(8) + six[8:24] + nul(16)}, index: true, shift: 1}},
		"sealed: more lines than there is room for": {
			state: state{recs: six, idx: seven}, opts: next(5), repaired: repaired{recs: six, left: "holds 6 records"}},
		"sealed: the next name is a slip": {
			state: state{recs: six, idx: seven}, opts: next(1 << 60), repaired: repaired{recs: six, left: "holds 6 records"}},
		"sealed: and the end is cut": {
			state: state{recs: six[:44], idx: seven}, opts: next(1 << 60), repaired: repaired{recs: six[:44], left: "holds 5 records, then damage from 40 to 44"}},
		"sealed: too much damage for what is missing": {
			state: state{recs: six[:8] + nul(160) + six[8:], idx: seven[:1]}, opts: next(8), repaired: repaired{recs: six, left: "holds 9 records"}},
		"sealed: lines are missing that the index has not": {
			state: state{recs: six, idx: []uint64{0, 8, 11, 19, 27, 35, 43, 51}}, opts: next(7), repaired: repaired{recs: six, left: "holds 6 records"}},
		"bare: text stays": {
			state: state{recs: "text\n\n{\"n\":0}\n"}, opts: bare, repaired: repaired{recs: "text\n\n{\"n\":0}\n"}},
		"bare: a hole before a record": {
			state: state{recs: nul(20) + six}, opts: bare,
			repaired: repaired{recs: blank(20) + six, plan: "0-20 0 1 1 2", asides: map[int64]string{0: nul(20)}, shift: 1}},
		"bare: the last line is complete": {
			state: state{recs: six[:47]}, opts: bare, repaired: repaired{recs: six[:47]}},
		"bare: a byte order mark and a record": {
			state: state{recs: jsonl.BOM + `{"a":1}`}, opts: bare, repaired: repaired{recs: jsonl.BOM + `{"a":1}`}},
		"bare: the last line is not": {
			state: state{recs: six[:46]}, opts: bare, repaired: repaired{recs: six[:40], tail: six[40:46], asides: map[int64]string{40: six[40:46]}}},
		"bare: text behind a hole": {
			state: state{recs: "a\n" + nul(4) + "b\nc\nd\n"}, opts: bare,
			repaired: repaired{recs: "a\n" + blank(6) + "c\nd\n", plan: "2-8 1 1 1 2", asides: map[int64]string{2: nul(4) + "b\n"}, shift: 2}},
	} {
		t.Run(name, func(t *testing.T) {
			opts := repairOptions()
			if c.opts != nil {
				c.opts(&opts)
			}
			fsys := vfs.NewMem()
			c.state.put(t, fsys)
			pair := PairAt("p", 0)
			plan, err := PlanRepair(fsys, pair, opts)
			require.NoError(t, err)
			c.requirePlan(t, plan, c.state)
			if c.left != "" {
				return
			}
			require.NoError(t, plan.Apply())
			c.requireFiles(t, fsys, c.state)

			again, err := PlanRepair(fsys, pair, opts)
			require.NoError(t, err)
			require.False(t, again.Needed(), "%+v", again)
			require.Empty(t, again.Left)
			require.Equal(t, plan.NewRecords, again.NewRecords)
		})
	}
}

func (r repaired) requirePlan(t *testing.T, plan *PairRepair, s state) {
	if r.left != "" {
		require.Contains(t, plan.Left, r.left)
		return
	}
	require.Empty(t, plan.Left)
	var damages []string
	for _, d := range plan.Damages {
		damages = append(damages, fmt.Sprintf("%d-%d %d %d %d %d", d.Start, d.End, d.First, d.Slots, d.Lost, d.Proof))
	}
	require.Equal(t, r.plan, strings.Join(damages, ", "))
	require.Equal(t, r.index, plan.IndexWhy != "", plan.IndexWhy)
	require.Equal(t, r.lost, plan.LostTail)
	require.Equal(t, r.shift, plan.ShiftFrom, plan.Shift)
	require.Equal(t, r.shift > 0, plan.Shift != "")
	require.Equal(t, r.recs != s.recs || r.index, plan.Needed())
	require.Equal(t, int64(len(r.recs)), plan.NewEnd)
	tail := ""
	if plan.Tail != nil {
		tail = s.recs[plan.Tail.Start:plan.Tail.End]
	}
	require.Equal(t, r.tail, tail)
}

func (r repaired) requireFiles(t *testing.T, fsys vfs.FS, s state) {
	pair := PairAt("p", 0)
	require.Equal(t, r.recs, read(t, fsys, pair.Records))
	if s.idx != nil || r.index {
		want := []uint64{0}
		for i := range r.recs {
			if r.recs[i] == '\n' {
				want = append(want, uint64(i+1))
			}
		}
		if len(s.idx) > 0 || r.index {
			require.Equal(t, string(entriesOf(want...)), read(t, fsys, pair.Index))
		}
	}
	asides, err := FindAsides(fsys, pair)
	require.NoError(t, err)
	require.Len(t, asides, len(r.asides))
	for _, a := range asides {
		require.Equal(t, r.asides[a.Start], read(t, fsys, a.Path), a.Path)
	}
}
