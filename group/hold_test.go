package group

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/vfs"
)

// heldBack joins a group on a log of n records whose offsets cannot be written
// while broken is set.
func heldBack(t *testing.T, n int, opts Options) (m *Member, g *Group, broken *atomic.Bool) {
	t.Helper()
	mem := vfs.NewMem()
	fill(t, mem, "log", n)
	broken = new(atomic.Bool)
	fault := vfs.NewFault(mem, func(op vfs.Op) error {
		if broken.Load() && op.Kind == vfs.OpWrite && strings.Contains(op.Path, "offsets.json") {
			return errors.New("no space left on device")
		}
		return nil
	})
	g = open(t, fault, "log", opts)
	m = join(t, g)
	t.Cleanup(func() { broken.Store(false); require.NoError(t, m.Close()) })
	return m, g, broken
}

// A record that could not be given out, because the mark that it is in flight
// could not be written, is treated as any other when it can: marked first, and
// decoded.
func TestRecordComesWholeWhenItCouldNotBeHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, g, broken := heldBack(t, 1, Options{Decode: func(data []byte) (any, error) { return string(data), nil }})
		broken.Store(true)
		time.AfterFunc(5*time.Second, func() { broken.Store(false) })
		for msg, err := range m.Messages(t.Context()) {
			if err != nil {
				var one *PartitionError
				require.ErrorAs(t, err, &one)
				continue
			}
			require.False(t, broken.Load())
			require.True(t, entry(t, g).Held, "a crash from here on counts")
			require.Equal(t, `{"n":0}`, msg.Value)
			msg.Ack()
			break
		}
	})
}

// A record that is to be a dead letter still is one when the mark could not be
// written at first.
func TestVerdictStandsWhenARecordCouldNotBeHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, g, broken := heldBack(t, 2, Options{Where: func(data []byte) (bool, error) {
			if strings.Contains(string(data), "0") {
				return false, errors.New("cannot be told")
			}
			return true, nil
		}})
		broken.Store(true)
		time.AfterFunc(5*time.Second, func() { broken.Store(false) })
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		for msg, err := range m.Messages(ctx) {
			if err == nil {
				require.Equal(t, uint64(1), msg.Offset)
				msg.Ack()
			}
		}
		require.Len(t, lettersOf(t, g.opts.FS, g), 1)
	})
}

// A loop sleeps where nothing can be given out, whatever time has come: it
// would go round without sleeping else.
func TestNothingIsDueThatCannotBeGivenOut(t *testing.T) {
	for name, block := range map[string]func(*stream){
		"paused":                       func(s *stream) { s.pause(true) },
		"another is in hands":          func(s *stream) { s.serial, s.hands = true, s.hands+1 },
		"stopped":                      func(s *stream) { s.stopped = true },
		"it rests because it failed":   func(s *stream) { _ = s.failed(errors.New("no")); s.resume = time.Now().Add(time.Hour) },
		"it failed, and goes on":       func(s *stream) { s.retries = nil; _ = s.failed(errors.New("no")); time.Sleep(time.Hour) },
		"it was moved while it rested": func(s *stream) { _ = s.failed(errors.New("no")); time.Sleep(time.Hour); s.seek(1) },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, 1, Options{}, func(t *testing.T, mem *vfs.Mem, g *Group) {
				m := join(t, g)
				take(t, m, 1)[0].Nack(errors.New("not now"))
				time.Sleep(time.Minute)
				s := (*m.list.Load())[0]
				block(s)
				msg, err := s.pull()
				require.Nil(t, msg)
				require.False(t, told(err), "%v", err)
				soon := time.Now().Add(time.Second)
				require.Equal(t, soon, s.due(soon))
				require.NoError(t, m.Close())
			})
		})
	}
}
