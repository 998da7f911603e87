package segment

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/vfs"
)

// TestZeroEntriesClaimNothing: zeros at the end of an index are what a power
// loss made of entries that were not synced. They are dropped and are not
// taken for records that were there.
func TestZeroEntriesClaimNothing(t *testing.T) {
	for name, c := range map[string]struct {
		state
		next, adoptedFrom, adopted, zeros uint64
		torn                              string
	}{
		"fewer than the lines": {state{recs: three, idx: []uint64{0, 8, 0}, meta: weak(8)}, 3, 1, 2, 1, ""},
		"as many as the lines": {state{recs: three, idx: []uint64{0, 8, 0, 0}, meta: weak(8)}, 3, 1, 2, 2, ""},
		"more than the lines":  {state{recs: three, idx: []uint64{0, 8, 0, 0, 0, 0, 0}, meta: weak(8)}, 3, 1, 2, 5, ""},
		"all of them":          {state{recs: three, idx: []uint64{0, 0, 0, 0, 0, 0}, meta: weak(0)}, 3, 0, 3, 5, ""},
		"under always":         {state{recs: three, idx: []uint64{0, 8, 16, 0, 0, 0}, meta: always(8)}, 3, 2, 1, 3, ""},
		"behind all lines":     {state{recs: three, idx: []uint64{0, 8, 16, 24, 0, 0}, meta: always(24)}, 3, 0, 0, 2, ""},
		"over a torn tail":     {state{recs: three + "torn", idx: []uint64{0, 8, 16, 0, 0}, meta: weak(8)}, 3, 2, 1, 2, "torn"},
		"nothing promised":     {state{recs: three, idx: []uint64{0, 8, 0, 0, 0}}, 3, 1, 2, 3, ""},
		"in no records at all": {state{recs: "", idx: []uint64{0, 0, 0}, meta: weak(0)}, 0, 0, 0, 2, ""},
	} {
		t.Run(name, func(t *testing.T) {
			fsys := vfs.NewMem()
			c.put(t, fsys)
			a, next, report, err := recoverState(fsys, c.meta)
			require.NoError(t, err)
			require.NoError(t, a.Close())
			require.Equal(t, c.next, next)
			require.False(t, report.IndexRebuilt, report.IndexReason)
			require.Equal(t, []uint64{c.adoptedFrom, c.adopted, c.zeros},
				[]uint64{report.AdoptedFrom, report.Adopted, report.ZeroEntries})
			require.Equal(t, report.LostFrom, report.LostTo)
			want{recs: strings.TrimSuffix(c.recs, c.torn), torn: c.torn}.requireFiles(t, fsys, report)
			requireNothingLeft(t, fsys)
		})
	}
}

// TestZeroTailCost: zeros at the end of an index that are more than the
// entries before them, and zeros among those above the synced position, do not
// make recovery count the lines from the beginning.
func TestZeroTailCost(t *testing.T) {
	const n, synced = 120_000, 119_900
	entries := make([]uint64, n+1)
	for i := range entries {
		entries[i] = uint64(i) * 8
	}
	hole := append([]uint64{}, entries...)
	clear(hole[synced+10 : n-10])
	for name, idx := range map[string][]uint64{
		"tail": append(entries[:n-10:n-10], make([]uint64, 2*n)...),
		"hole": hole,
		"both": append(hole[:n:n], make([]uint64, 3*n)...),
	} {
		for _, meta := range []*Meta{weak(synced * 8), always(synced * 8)} {
			t.Run(name+" "+meta.Sync, func(t *testing.T) {
				fsys := vfs.NewMem()
				s := state{recs: strings.Repeat(three[:8], n), idx: idx, meta: meta}
				s.put(t, fsys)
				counted := vfs.NewFault(fsys, nil)
				a, next, _, err := recoverState(counted, meta)
				require.NoError(t, err)
				require.NoError(t, a.Close())
				require.Equal(t, uint64(n), next)
				require.Equal(t, string(entriesOf(entries...)), read(t, fsys, PairAt("p", 0).Index))
				readBytes := 0
				for _, op := range counted.Ops() {
					if op.Kind == vfs.OpReadAt && op.Path == PairAt("p", 0).Records {
						readBytes += op.Size
					}
				}
				// What the sample of index.Trusted looks at is most of it.
				require.Less(t, readBytes, 600_000, "of %d", len(s.recs))
			})
		}
	}
}
