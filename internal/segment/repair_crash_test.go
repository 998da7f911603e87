package segment

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/vfs"
)

// damaged are states that take every step of a repair.
func damaged() map[string]struct {
	state
	want string
} {
	long := ""
	idx := []uint64{0}
	for i := range 200 {
		long += fmt.Sprintf(`{"n":%d}`+"\n", 100+i)
		idx = append(idx, uint64(len(long)))
	}
	hole := long[:95] + strings.Repeat("\x00", 1100) + long[1195:]
	filled := long[:90] + strings.Repeat(blank(10), 111) + long[1200:]
	return map[string]struct {
		state
		want string
	}{
		"hole and cut": {state{recs: hole[:1995], idx: idx}, filled[:1990]},
		"hole":         {state{recs: hole, idx: idx}, filled},
		"newlines":     {state{recs: long[:99] + "x" + long[100:1999], idx: idx}, long},
		"torn":         {state{recs: long + "xyz", idx: idx}, long},
		"index":        {state{recs: long, idx: idx[:20], tail: "zz"}, long},
	}
}

func plan(fsys vfs.FS) (*PairRepair, error) {
	opts := repairOptions()
	opts.Synced = 900
	return PlanRepair(fsys, PairAt("p", 0), opts)
}

func planAndApply(fsys vfs.FS) error {
	p, err := plan(fsys)
	if err != nil {
		return err
	}
	return p.Apply()
}

// TestRepairCrash: a repair that loses power at any of its steps is done again
// and ends the same way, and every damaged byte is in a file of its own.
func TestRepairCrash(t *testing.T) {
	for name, c := range damaged() {
		t.Run(name, func(t *testing.T) {
			put := func() *vfs.Mem {
				mem := vfs.NewMem()
				c.put(t, mem)
				return mem.Crash(vfs.CrashConfig{Data: vfs.DataKept, Names: vfs.NamesKept})
			}
			whole := vfs.NewFault(put(), nil)
			require.NoError(t, planAndApply(whole))
			for _, op := range whole.Ops() {
				if !op.Kind.Changes() {
					continue
				}
				mem, n := put(), op.N
				require.Error(t, planAndApply(vfs.NewFault(mem, vfs.CrashAt(n))))
				for _, data := range []vfs.DataLoss{vfs.DataLost, vfs.DataKept, vfs.DataTorn, vfs.DataZeroed, vfs.DataGarbage, vfs.DataSubset} {
					for _, names := range []vfs.NameLoss{vfs.NamesLost, vfs.NamesKept, vfs.NamesSubset} {
						after := mem.Crash(vfs.CrashConfig{Data: data, Names: names, Seed: uint64(n)})
						what := fmt.Sprintf("crash at %d, data %v, names %v", n, data, names)
						requireRepairable(t, after, c.recs, c.want, what)
					}
				}
				requireRepairable(t, mem.Kill(), c.recs, c.want, fmt.Sprintf("kill at %d", n))
			}
		})
	}
}

// requireRepairable repairs what a crash left and compares.
func requireRepairable(t *testing.T, fsys vfs.FS, before, want, what string) {
	require.NoError(t, planAndApply(fsys), what)
	after := read(t, fsys, PairAt("p", 0).Records)
	require.Equal(t, want, after, what)
	p, err := plan(fsys)
	require.NoError(t, err, what)
	require.False(t, p.Needed(), what)
	requireKept(t, fsys, before, after, what)
}

// requireKept: each byte that is not what it was is in a file beside it.
func requireKept(t *testing.T, fsys vfs.FS, before, after, what string) {
	asides, err := FindAsides(fsys, PairAt("p", 0))
	require.NoError(t, err, what)
	kept := []byte(after + strings.Repeat("\x01", max(0, len(before)-len(after))))[:len(before)]
	for _, a := range asides {
		// A crash can leave half a copy, or a copy of what was half filled.
		was := before[min(a.Start, int64(len(before))):]
		saved := read(t, fsys, a.Path)
		if saved = saved[:min(len(saved), len(was))]; strings.HasPrefix(was, saved) {
			copy(kept[len(before)-len(was):], saved)
		}
	}
	require.Equal(t, before, string(kept), what)
}

// TestRepairIOError: an error at any step is returned as it is, and a repair
// without one ends as if nothing had been.
func TestRepairIOError(t *testing.T) {
	for name, c := range damaged() {
		t.Run(name, func(t *testing.T) {
			for n := 1; ; n++ {
				mem := vfs.NewMem()
				c.put(t, mem)
				hit := false
				fault := vfs.NewFault(mem, func(op vfs.Op) error {
					if op.N == n && op.Kind != vfs.OpClose {
						hit = true
						return syscall.EIO
					}
					return nil
				})
				err := planAndApply(fault)
				if len(fault.Ops()) < n {
					require.NoError(t, err)
					return
				}
				if hit {
					require.ErrorIs(t, err, syscall.EIO, "operation %d: %v", n, fault.Ops()[n-1])
					_, corrupt := errors.AsType[*CorruptError](err)
					require.False(t, corrupt)
				}
				requireRepairable(t, mem, c.recs, c.want, fmt.Sprintf("error at %d", n))
			}
		})
	}
}

// TestRepairMeanwhile: a file that was replaced after it was looked at is not
// touched.
func TestRepairMeanwhile(t *testing.T) {
	fsys := vfs.NewMem()
	c := damaged()["hole"]
	c.put(t, fsys)
	p, err := plan(fsys)
	require.NoError(t, err)
	require.NoError(t, vfs.ReplaceFile(fsys, p.Records, []byte("x"), 0o600))
	require.ErrorIs(t, p.Apply(), ErrReplaced)
	require.Equal(t, "x", read(t, fsys, p.Records))
}

// TestRepairGrown: nor is one that was written to.
func TestRepairGrown(t *testing.T) {
	fsys := vfs.NewMem()
	c := damaged()["torn"]
	c.put(t, fsys)
	p, err := plan(fsys)
	require.NoError(t, err)
	f, err := fsys.Open(p.Records, os.O_RDWR|os.O_APPEND, 0)
	require.NoError(t, err)
	_, err = f.Write([]byte("more\n"))
	require.NoError(t, err)
	require.NoError(t, f.Close())
	require.ErrorIs(t, p.Apply(), ErrForeignWrite)
	require.Equal(t, c.recs+"more\n", read(t, fsys, p.Records))
}

// TestRepairTooDamaged: the memory of a plan is bounded.
func TestRepairTooDamaged(t *testing.T) {
	fsys := vfs.NewMem()
	state{recs: strings.Repeat("x\n1\n", maxDamages+1)}.put(t, fsys)
	_, err := plan(fsys)
	require.ErrorIs(t, err, ErrTooDamaged)
}
