package segment

import (
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/vfs"
)

// TestRepairOrder: damaged bytes are saved when they are overwritten, records
// are on the disk when the index describes them, and what nobody has promised
// is written a second time.
func TestRepairOrder(t *testing.T) {
	mem := vfs.NewMem()
	state{recs: three + "\x00\x00\x00\x00\x00\x00\x00\n" + three, idx: []uint64{0, 8, 16, 24, 32, 40, 48}, meta: weak(8)}.put(t, mem)
	fault := vfs.NewFault(mem, nil)
	opts := repairOptions()
	opts.Synced = 8
	p, err := PlanRepair(fault, PairAt("p", 0), opts)
	require.NoError(t, err)
	require.Empty(t, steps(fault.Ops()))
	require.NoError(t, p.Apply())
	require.Equal(t, []string{
		"writeat copy", "truncate copy", "sync copy",
		"writeat records", "sync records",
		"writeat records", "sync records",
		"rename index",
	}, steps(fault.Ops()))
	var again int64
	for _, op := range fault.Ops() {
		if op.Kind == vfs.OpWriteAt && op.Path == PairAt("p", 0).Records && op.Off == 8 {
			again += int64(op.Size)
		}
	}
	require.Equal(t, int64(48), again)
}
