package partition_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/vfs"
	"example.com/jlq/partition"
)

// damagedLog is a log of ten records with a hole, a lost newline and a cut
// end, all of it below the promise, on a disk that has everything.
func damagedLog(t *testing.T) *vfs.Mem {
	fsys := vfs.NewMem()
	writeLog(t, fsys, partition.Options{}, numbered(10)...)
	overwrite(t, fsys, logPair.Records, 20, strings.Repeat("\x00", 8))
	overwrite(t, fsys, logPair.Records, 47, "x")
	cutFile(t, fsys, logPair.Records, 76)
	return fsys.Crash(vfs.CrashConfig{Data: vfs.DataKept, Names: vfs.NamesKept})
}

const repairedLog = "{\"n\":0}\n{\"n\":1}\n       \n       \n{\"n\":4}\n{\"n\":5}\n{\"n\":6}\n{\"n\":7}\n{\"n\":8}\n"

func tryRepair(fsys vfs.FS) error {
	_, err := partition.Repair(context.Background(), "log", &partition.Options{FS: fsys}, execute)
	return err
}

// requireRepaired repairs what a crash or an error left, to the same end.
func requireRepaired(t *testing.T, fsys vfs.FS, what string) {
	require.NoError(t, tryRepair(fsys), what)
	require.Equal(t, repairedLog, string(slurp(t, fsys, logPair.Records)), what)
	requireSound(t, fsys, 9)
}

// TestRepairLogCrash: a repair that loses power at any step is done again.
// Whoever appends instead is refused, or finds every record that survived.
func TestRepairLogCrash(t *testing.T) {
	whole := vfs.NewFault(damagedLog(t), nil)
	require.NoError(t, tryRepair(whole))
	for _, op := range whole.Ops() {
		if !op.Kind.Changes() {
			continue
		}
		mem := damagedLog(t)
		require.Error(t, tryRepair(vfs.NewFault(mem, vfs.CrashAt(op.N))))
		for _, data := range []vfs.DataLoss{vfs.DataLost, vfs.DataKept, vfs.DataTorn, vfs.DataZeroed, vfs.DataGarbage, vfs.DataSubset} {
			for _, names := range []vfs.NameLoss{vfs.NamesLost, vfs.NamesKept, vfs.NamesSubset} {
				what := fmt.Sprintf("crash at %d, data %v, names %v", op.N, data, names)
				crash := func() *vfs.Mem {
					return mem.Crash(vfs.CrashConfig{Data: data, Names: names, Seed: uint64(op.N)})
				}
				requireRepaired(t, crash(), what)
				requireSurvivors(t, crash(), what)
			}
		}
	}
}

// requireSurvivors opens for appending in the middle of a repair.
func requireSurvivors(t *testing.T, fsys vfs.FS, what string) {
	p, err := partition.Open("log", &partition.Options{FS: fsys})
	if err != nil {
		_, corrupt := errors.AsType[*partition.CorruptError](err)
		require.True(t, corrupt, "%s: %v", what, err)
		return
	}
	require.NoError(t, p.Close())
	after := slurp(t, fsys, logPair.Records)
	for _, line := range strings.SplitAfter(repairedLog, "\n") {
		require.True(t, bytes.Contains(after, []byte(strings.TrimSpace(line))), what)
	}
}

// TestRepairLogError: an error at any step is returned as what it is.
func TestRepairLogError(t *testing.T) {
	for n := 1; ; n++ {
		mem := damagedLog(t)
		fault := vfs.NewFault(mem, func(op vfs.Op) error {
			if op.N == n && op.Kind != vfs.OpClose {
				return syscall.EIO
			}
			return nil
		})
		err := tryRepair(fault)
		if len(fault.Ops()) < n {
			require.NoError(t, err)
			return
		}
		if op := fault.Ops()[n-1]; op.Kind != vfs.OpClose {
			require.ErrorIs(t, err, syscall.EIO, "operation %+v", op)
		}
		requireRepaired(t, mem, fmt.Sprintf("error at %d", n))
	}
}

// TestRepairStops: the end of its context ends a repair, and nothing has been
// changed by then.
func TestRepairStops(t *testing.T) {
	fsys := damagedLog(t)
	before := slurp(t, fsys, logPair.Records)
	ctx, stop := context.WithCancelCause(context.Background())
	stop(errors.New("enough"))
	_, err := partition.Repair(ctx, "log", &partition.Options{FS: fsys}, execute)
	require.ErrorContains(t, err, "enough")
	require.Equal(t, before, slurp(t, fsys, logPair.Records))
	requireRepaired(t, fsys, "stopped")
}
