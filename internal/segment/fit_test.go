package segment

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/vfs"
)

// TestRecoverNeverRenumbers: where the lines that were promised are more or
// fewer than the entries that fit them, it is the records that are damaged, and
// an index made from them would give every record behind the damage another
// offset. An index that does not fit is another's, and is made anew.
func TestRecoverNeverRenumbers(t *testing.T) {
	frame := func(m *Meta) *Meta {
		m.Validate = "frame"
		return m
	}
	six := three + three
	for name, c := range map[string]struct {
		state
		offset   uint64
		position int64
		end      int64
		why      string // of the refusal; "" where the index is made anew
	}{
		"newlines lost to NULs below synced": {state{recs: six[:8] + strings.Repeat("\x00", 16) + six[24:], idx: []uint64{0, 8, 16, 24, 32, 40, 48}, meta: weak(48)},
			1, 8, 32, "NUL bytes"},
		"newline lost below synced": {state{recs: six[:15] + " " + six[16:], idx: []uint64{0, 8, 16, 24, 32, 40, 48}, meta: weak(48)},
			1, 8, 24, "6 records up to position 48, the file has 5 lines"},
		"line split below synced": {state{recs: six[:12] + "\n" + six[13:], idx: []uint64{0, 8, 16, 24, 32, 40, 48}, meta: weak(48)},
			1, 8, 13, "6 records up to position 48, the file has 7 lines"},
		"newline lost below an entry of always": {state{recs: six[:15] + " " + six[16:], idx: []uint64{0, 8, 16, 24, 32, 40, 48}, meta: frame(always(8))},
			1, 8, 24, "6 records up to position 48, the file has 5 lines"},
		"the only line split below an entry of always": {state{recs: "[1]\n[2]\n", idx: []uint64{0, 8}, meta: frame(always(0))},
			0, 0, 4, "1 record up to position 8, the file has 2 lines"},
		"NULs below synced, index lost": {state{recs: six[:8] + strings.Repeat("\x00", 16) + six[24:], meta: weak(48)},
			1, 8, 32, "NUL bytes"},
		"NULs below synced, index of another file": {state{recs: six[:8] + strings.Repeat("\x00", 16) + six[24:], idx: []uint64{0, 3, 48}, meta: weak(48)},
			1, 8, 32, "NUL bytes"},
		"index of another file below synced":             {state: state{recs: six, idx: []uint64{0, 5, 8, 21, 35, 48}, meta: weak(48)}},
		"index of another file below an entry of always": {state: state{recs: six, idx: []uint64{0, 5, 9, 17, 48}, meta: always(0)}},
		"index shuffled below synced":                    {state: state{recs: six, idx: []uint64{0, 24, 8, 16, 32, 40, 48}, meta: weak(48)}},
		"newline lost above synced in a weak mode":       {state: state{recs: "[0]\n[1]\n[22222]\n[3]\n", idx: []uint64{0, 4, 8, 12, 16, 20}, meta: weak(4)}},
	} {
		t.Run(name, func(t *testing.T) {
			fsys := vfs.NewMem()
			c.put(t, fsys)
			before := content(t, fsys)
			a, _, report, err := recoverState(fsys, c.meta)
			if c.why == "" {
				require.NoError(t, err)
				require.NoError(t, a.Close())
				require.True(t, report.IndexRebuilt)
				want{recs: c.recs}.requireFiles(t, fsys, report)
				return
			}
			corrupt, is := errors.AsType[*CorruptError](err)
			require.True(t, is, "%v", err)
			require.ErrorContains(t, err, c.why)
			require.Equal(t, []any{c.offset, c.position, c.end}, []any{corrupt.Offset, corrupt.Position, corrupt.End})
			require.Equal(t, before, content(t, fsys))
		})
	}
}
