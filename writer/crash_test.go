package writer

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/vfs"
)

// The crash matrix: each workload, crashed at each of its operations, with
// each way to lose what was not synced. The oracle: what was acknowledged and
// promised is there; what is there was sent, in order, without a gap; and
// appends go on.

// op is one step of a workload. It returns how many records it was told are
// stored.
type op func(w *Writer, from int) (stored int, err error)

func appendOne(w *Writer, from int) (int, error) {
	_, err := w.Append(rec(from))
	return told(1, err)
}

func appendThree(w *Writer, from int) (int, error) {
	_, err := w.AppendBatch(recs(from, from+3))
	return told(3, err)
}

func appendTen(w *Writer, from int) (int, error) {
	_, err := w.AppendBatch(recs(from, from+10))
	return told(10, err)
}

func doSync(w *Writer, _ int) (int, error) { return 0, w.Sync() }

func told(n int, err error) (int, error) {
	if batch, ok := errors.AsType[*BatchError](err); ok {
		return batch.Stored, err
	}
	if err != nil {
		return 0, err
	}
	return n, nil
}

var workloads = map[string][]op{
	"one":                 {appendOne},
	"batch":               {appendTen},
	"one, batch":          {appendOne, appendThree},
	"batch, sync, one":    {appendThree, doSync, appendOne},
	"one, one, batch":     {appendOne, appendOne, appendThree},
	"sync, batch, batch":  {doSync, appendThree, appendTen},
	"batch, sync, batch ": {appendTen, doSync, appendTen},
}

var losses = []vfs.DataLoss{vfs.DataLost, vfs.DataKept, vfs.DataTorn, vfs.DataZeroed, vfs.DataGarbage, vfs.DataSubset}

func TestCrashMatrix(t *testing.T) {
	if testing.Short() {
		t.Skip("short: the work of one goroutine")
	}
	for name, work := range workloads {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, sync SyncMode) {
				for n := 1; crashAt(t, work, sync, n); n++ {
				}
			})
		})
	}
}

// run is what a workload did before the crash.
type run struct {
	sent    int // records given to the writer
	acked   int // that it was told are stored
	durable int // that survive a power loss, as the writer said
	crashed bool
}

// crashAt runs the workload up to the n-th operation on the file system and
// checks what every kind of crash leaves. It reports whether the workload was
// long enough.
func crashAt(t *testing.T, work []op, sync SyncMode, n int) bool {
	mem := vfs.NewMem()
	w, _ := mustOpen(t, mem, Options{Sync: sync})
	_, err := w.AppendBatch(recs(0, 2))
	require.NoError(t, err)
	require.NoError(t, w.Close())

	fault := vfs.NewFault(mem, vfs.CrashAt(n))
	r := perform(fault, work, sync)
	for _, data := range losses {
		for _, names := range []vfs.NameLoss{vfs.NamesLost, vfs.NamesKept, vfs.NamesSubset} {
			what := fmt.Sprintf("crash at %d, data %v, names %v: %+v", n, data, names, r)
			after := mem.Crash(vfs.CrashConfig{Data: data, Names: names, Seed: uint64(n)})
			requireSurvived(t, after, r.durable, r.sent, what)
		}
	}
	if r.crashed {
		// A killed process loses nothing that was written.
		atLeast := r.acked
		if sync == SyncBuffered {
			atLeast = r.durable
		}
		requireSurvived(t, mem.Kill(), atLeast, r.sent, fmt.Sprintf("kill at %d: %+v", n, r))
	}
	return r.crashed
}

func perform(fsys vfs.FS, work []op, sync SyncMode) (r run) {
	r.sent, r.acked, r.durable = 2, 2, 2
	w, _, err := open(fsys, Options{Sync: sync})
	if err != nil {
		r.crashed = true
		return r
	}
	for _, op := range work {
		stored, err := op(w, r.sent)
		r.acked += stored
		r.durable = int(w.Durable())
		if err != nil {
			r.crashed = true
		}
		if r.crashed {
			r.sent += 10 // how many of the call, at most, the crash left
			break
		}
		r.sent = r.acked
	}
	if sync == SyncAlways {
		r.durable = r.acked
	}
	if err := w.Close(); err != nil {
		r.crashed = true
	}
	if !r.crashed {
		r.durable = r.acked
	}
	return r
}

// requireSurvived opens what a crash left, checks it against the oracle, and
// appends.
func requireSurvived(t *testing.T, fsys vfs.FS, atLeast, atMost int, what string) {
	w, _, err := open(fsys, Options{})
	require.NoError(t, err, what)
	got := stored(t, fsys)
	require.GreaterOrEqual(t, len(got), atLeast, what)
	require.LessOrEqual(t, len(got), atMost, what)
	require.Equal(t, lines(0, len(got)), got, what)
	offset, err := w.Append(rec(len(got)))
	require.NoError(t, err, what)
	require.Equal(t, uint64(len(got)), offset, what)
	require.NoError(t, w.Close(), what)
}

// TestCrashRandom is the matrix with random workloads, crash points and
// losses. The seed is in the failure.
func TestCrashRandom(t *testing.T) {
	runs := 600
	if testing.Short() {
		runs = 100
	}
	ops := []op{appendOne, appendThree, appendTen, doSync}
	for seed := range runs {
		rng := rand.New(rand.NewPCG(uint64(seed), 1))
		work := make([]op, 1+rng.IntN(6))
		for i := range work {
			work[i] = ops[rng.IntN(len(ops))]
		}
		sync := SyncMode(rng.IntN(4))
		if !slices.Contains([]SyncMode{SyncAlways, SyncInterval, SyncOS, SyncBuffered}, sync) {
			continue
		}
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			crashAt(t, work, sync, 1+rng.IntN(60))
		})
	}
}

// TestCrashTwice: what the first recovery stands on is on the disk, so a
// second power loss does not take it away.
func TestCrashTwice(t *testing.T) {
	for _, loss := range losses {
		mem := vfs.NewMem()
		w, _ := mustOpen(t, mem, Options{Sync: SyncOS})
		_, err := w.AppendBatch(recs(0, 5))
		require.NoError(t, err)
		killed := mem.Kill() // written, published or not, and not synced
		_ = w.Close()

		w, _ = mustOpen(t, killed, Options{})
		require.Equal(t, uint64(5), w.Next())
		after := killed.Crash(vfs.CrashConfig{Data: loss})
		_ = w.Close()
		requireSurvived(t, after, 5, 5, fmt.Sprint(loss))
	}
}
