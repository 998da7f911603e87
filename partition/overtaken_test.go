package partition

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/vfs"
)

// meanwhileAt runs use with a log that is read, as by another process, and calls
// meanwhile before the operations of reading that when picks by number. It
// returns how many there were.
func meanwhileAt(mem *vfs.Mem, when func(op int) bool, meanwhile func(), use func(*Options)) (ops int) {
	busy := false
	use(&Options{FS: vfs.NewFault(mem, func(vfs.Op) error {
		if !busy && when(ops) {
			busy = true
			meanwhile()
			busy = false
		}
		ops++
		return nil
	})})
	return ops
}

// everywhere trims to offset 20 before each operation of use in turn.
func everywhere(t *testing.T, use func(t *testing.T, o *Options)) {
	for at, ops := 0, 1; at < ops; at++ {
		mem := trimFiles(t)
		p := mustOpen(t, "p", &Options{FS: mem})
		ops = meanwhileAt(mem, func(op int) bool { return op == at }, func() { require.NoError(t, p.Trim(20)) },
			func(o *Options) { use(t, o) })
		require.NoError(t, p.Close())
	}
}

// TestVerifyBesideTrim: segments that are dropped at any moment of a run of
// verify are no problem and no error.
func TestVerifyBesideTrim(t *testing.T) {
	notes := 0
	everywhere(t, func(t *testing.T, o *Options) {
		p, err := OpenReader("p", o)
		require.NoError(t, err)
		var n Verified
		for problem, err := range p.VerifyCount(context.Background(), &n) {
			require.NoError(t, err)
			require.True(t, problem.Note, "%+v", problem)
			require.Contains(t, problem.Reason, "dropped while the log was verified")
			notes++
		}
		require.NoError(t, p.Close())
	})
	require.NotZero(t, notes)
}

// TestOpenBesideTrim: so it is with opening, asking for the bounds, reading and
// planning.
func TestOpenBesideTrim(t *testing.T) {
	everywhere(t, func(t *testing.T, o *Options) {
		p, err := OpenReader("p", o)
		require.NoError(t, err)
		_, next := p.Bounds()
		require.EqualValues(t, 25, next)
		if _, err = p.Get(3); err != nil {
			requireGone(t, err, 3, 20, 25)
		}
		_, err = p.PlanTrim(TrimPolicy{Before: 1})
		require.NoError(t, err)
		require.NoError(t, p.Close())
	})
}

// TestOvertaken rolls and drops all that was there before each of the first
// operations, more often than a reader begins anew where nothing moves on. It
// goes on, or says that it was overtaken.
func TestOvertaken(t *testing.T) {
	for name, use := range map[string]func(*Partition) error{
		"bounds": func(p *Partition) error { _, _, err := p.Log().Bounds(t.Context()); return err },
		"get":    func(p *Partition) error { _, err := p.Get(24); return err },
		"plan":   func(p *Partition) error { _, err := p.PlanTrim(TrimPolicy{Before: 1}); return err },
		"follow": func(p *Partition) error {
			for _, err := range p.Follow(t.Context(), 24) {
				return err
			}
			return nil
		},
		"backward": func(p *Partition) error {
			for _, err := range p.Backward(math.MaxUint64) {
				return err
			}
			return nil
		},
		"verify": func(p *Partition) error {
			for problem, err := range p.Verify(t.Context()) {
				if err == nil && !problem.Note {
					err = fmt.Errorf("%+v", problem)
				}
				if err != nil {
					return err
				}
			}
			return nil
		},
	} {
		for _, opening := range []bool{true, false} {
			t.Run(fmt.Sprint(name, opening), func(t *testing.T) {
				mem := trimFiles(t)
				w := mustOpen(t, "p", &Options{FS: mem, Sync: SyncOS})
				begun, from := opening, 0
				meanwhileAt(mem, func(op int) bool {
					from += map[bool]int{true: 1}[begun]
					return begun && from < 200
				}, func() {
					_, err := w.Append(line(1))
					require.NoError(t, err)
					require.NoError(t, w.Roll())
					_, err = w.Append(line(2))
					require.NoError(t, err)
					_, next := w.Bounds()
					require.NoError(t, w.Trim(next-1))
				}, func(o *Options) {
					p, err := OpenReader("p", o)
					require.NoError(t, err)
					begun = true
					err = use(p)
					if _, overtaken := errors.AsType[*RangeError](err); !overtaken {
						require.NoError(t, err)
					}
					require.NoError(t, p.Close())
				})
				require.NoError(t, w.Close())
			})
		}
	}
}
