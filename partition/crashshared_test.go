package partition

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/vfs"
)

// The crash matrix of a shared log: one of two processes dies before each change
// that its turn makes, and the other goes on; or the power fails then, or once
// the other has gone on.

// sharedOp is what the process does that dies.
type sharedOp struct {
	name string
	do   func(*sharedRun) error
}

var sharedOps = []sharedOp{
	{"one", func(r *sharedRun) error { return r.append(r.a, 1) }},
	{"batch", func(r *sharedRun) error { return r.append(r.a, 3) }},
	{"behind a roll", func(r *sharedRun) error {
		r.other(func() error { return ignoreEmpty(r.b.Roll()) })
		return r.append(r.a, 1)
	}},
	{"behind another mode", func(r *sharedRun) error {
		r.other(func() error { return r.append(r.b, 1) })
		return r.append(r.a, 2)
	}},
	{"roll", func(r *sharedRun) error { return ignoreEmpty(r.a.Roll()) }},
	{"trim", func(r *sharedRun) error { return r.a.Trim(2) }},
	{"sync", func(r *sharedRun) error { return r.a.Sync() }},
	{"close", func(r *sharedRun) error { return r.a.Close() }},
	{"open", func(r *sharedRun) (err error) {
		p, err := Open(r.path, &Options{FS: r.fs, Shared: true, Sync: r.mode, SegmentRecords: r.limit})
		if err == nil {
			err = p.Close()
		}
		return err
	}},
}

func ignoreEmpty(err error) error {
	if errors.Is(err, ErrEmptySegment) || errors.Is(err, ErrNoSegments) {
		return nil
	}
	return err
}

// sharedRun is one run of a workload.
type sharedRun struct {
	t      *testing.T
	path   string
	mode   SyncMode
	limit  uint64
	mem    *vfs.Mem
	point  *crashPoint
	fs     vfs.FS // that of the process that dies
	a, b   *Partition
	acked  map[uint64]string
	unsure []string // sent, and the outcome is not known
	sent   int
}

// newSharedRun begins with what both have appended.
func newSharedRun(t *testing.T, path string, mode, other SyncMode, limit uint64) *sharedRun {
	r := &sharedRun{t: t, path: path, mode: mode, limit: limit, mem: vfs.NewMem(), point: &crashPoint{}, acked: map[uint64]string{}}
	r.fs = vfs.NewFault(r.mem, r.point.hook)
	t.Cleanup(r.drop)
	r.a = mustOpen(t, path, &Options{FS: r.fs, Shared: true, Sync: mode, SegmentRecords: limit})
	r.b = mustOpen(t, path, &Options{FS: r.mem, Shared: true, Sync: other, SegmentRecords: limit})
	for _, p := range []*Partition{r.a, r.b, r.b, r.a} {
		require.NoError(t, r.append(p, 1))
	}
	return r
}

// other does what the other process does, which the death spares.
func (r *sharedRun) other(do func() error) { require.NoError(r.t, do()) }

// append appends n records and notes what became of them.
func (r *sharedRun) append(p *Partition, n int) error {
	var recs [][]byte
	for range n {
		recs = append(recs, fmt.Appendf(nil, `{"n":%d}`, r.sent))
		r.sent++
	}
	first, err := p.AppendBatch(recs)
	stored := n
	if batch, ok := errors.AsType[*BatchError](err); ok {
		first, stored = batch.First, batch.Stored
	}
	for i, rec := range recs {
		if i < stored {
			r.acked[first+uint64(i)] = string(rec)
		} else {
			r.unsure = append(r.unsure, string(rec))
		}
	}
	return err
}

// dies does the operation and dies before its at-th change. It returns false
// where the operation has fewer.
func (r *sharedRun) dies(op sharedOp, at int) bool {
	r.point.mu.Lock()
	r.point.at = r.point.n + at
	r.point.mu.Unlock()
	err := op.do(r)
	_, crashed := r.point.state()
	if !crashed {
		require.NoError(r.t, err)
		return false
	}
	r.point.halt()
	_ = r.a.Close() // the kernel closes what a process had open; nothing comes to the disk any more
	return true
}

// check holds a log against what was acknowledged. Half a line that a power loss
// leaves in a bare file stays as a line.
func (r *sharedRun) check(fsys vfs.FS, what string, halves bool) {
	p, err := Open(r.path, &Options{FS: fsys})
	require.NoError(r.t, err, what)
	start, next := p.Bounds()
	lines := read(r.t, p, start)
	for offset, rec := range r.acked {
		if offset < start {
			continue // trimmed
		}
		require.Less(r.t, offset, next, "%s: %s is lost", what, rec)
		require.Equal(r.t, rec, lines[offset-start], what)
	}
	left := slices.Clone(r.unsure)
	for i, rec := range lines {
		if _, acked := r.acked[start+uint64(i)]; acked {
			continue
		}
		at := slices.Index(left, rec)
		if at < 0 && halves {
			continue
		}
		require.GreaterOrEqual(r.t, at, 0, "%s: %s is there twice, or was never sent", what, rec)
		left = slices.Delete(left, at, at+1)
	}
	require.LessOrEqual(r.t, start, uint64(2), what)
	require.NoError(r.t, p.Close(), what)
	if !halves {
		require.Empty(r.t, problemsOn(r.t, fsys, r.path), what)
	}
}

// survivors goes on in the other process after the death, which must not notice
// more of it than that there are more records.
func (r *sharedRun) survivors() {
	for range 3 {
		require.NoError(r.t, r.append(r.b, 2))
	}
	require.NoError(r.t, ignoreEmpty(r.b.Roll()))
	require.NoError(r.t, r.append(r.b, 1))
}

var sharedLosses = []vfs.CrashConfig{
	{},
	{Data: vfs.DataLost, Names: vfs.NamesKept},
	{Data: vfs.DataTorn, Names: vfs.NamesSubset, Seed: 1},
	{Data: vfs.DataSubset, Names: vfs.NamesSubset, Seed: 2},
}

func TestCrashShared(t *testing.T) {
	if testing.Short() {
		t.Skip("short: each operation dies before each change")
	}
	for _, op := range sharedOps {
		for _, mode := range []SyncMode{SyncAlways, SyncOS} {
			for path, limit := range map[string]uint64{"/p": 0, "/limited": 2, "/p.jsonl": 0} {
				if path == "/p.jsonl" && (op.name == "trim" || op.name == "roll") { // it has no segments
					continue
				}
				other := mode
				if op.name == "behind another mode" {
					other = SyncAlways + SyncOS - mode
				}
				t.Run(fmt.Sprintf("%s/%v%s", op.name, mode, path), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						at := 1
						for diesAt(t, op, path, mode, other, limit, at) {
							at++
						}
						require.NotEqual(t, at, 1, "the operation changes nothing")
					})
				})
			}
		}
	}
}

// diesAt runs one operation twice: once the power fails when the process dies,
// once it fails later.
func diesAt(t *testing.T, op sharedOp, path string, mode, other SyncMode, limit uint64, at int) bool {
	what := fmt.Sprintf("dies before change %d", at)
	r := newSharedRun(t, path, mode, other, limit)
	died := r.dies(op, at)
	if died && mode == SyncAlways && other == SyncAlways {
		for i, loss := range sharedLosses {
			r.check(r.mem.Crash(loss), fmt.Sprintf("%s, with the power, loss %d", what, i), path == "/p.jsonl")
		}
	}
	r.check(r.mem.Kill(), what+", and all others", false)

	r = newSharedRun(t, path, mode, other, limit)
	r.dies(op, at)
	r.survivors()
	if other == SyncAlways && mode == SyncAlways {
		for i, loss := range sharedLosses {
			r.check(r.mem.Crash(loss), fmt.Sprintf("%s, the power later, loss %d", what, i), path == "/p.jsonl")
		}
	}
	r.check(r.mem.Kill(), what+", the others later", false)
	return died
}

// drop ends what a run has left running, on a file system that is gone.
func (r *sharedRun) drop() {
	r.point.halt()
	for _, p := range []*Partition{r.a, r.b} {
		if p != nil {
			_ = p.Close()
		}
	}
}
