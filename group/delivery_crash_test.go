package group

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/vfs"
)

const crashRecords = 6

// answerAll is the life of a consumer that answers in every way, and notes in
// acked what it dealt with. Behind a crash one record at a time is given out, so
// none can be kept until another comes.
func answerAll(t *testing.T, fsys vfs.FS, keep bool, acked map[uint64]bool) error {
	g, err := Open("log", "g", &Options{FS: fsys, MaxAttempts: 2, RetryDelay: time.Millisecond})
	if err != nil {
		return err
	}
	m, err := g.Join(t.Context())
	if err != nil {
		return err
	}
	var kept *Message
	for msg, failed := range m.MessagesToEnd(t.Context()) {
		switch {
		case failed != nil:
			return errors.Join(failed, m.Close())
		case msg.Offset == 1:
			msg.Nack(errors.New("twice"))
		case msg.Offset == 3:
			msg.Dead(errors.New("at once"))
		case msg.Offset == 2 && keep:
			msg.Keep()
			kept = msg
		default:
			acked[msg.Offset] = true
			msg.Ack()
		}
		if kept != nil && msg.Offset == 5 { // behind the others
			if err := m.CommitSync(); err != nil {
				return errors.Join(err, m.Close())
			}
			acked[2] = true
			kept.Ack()
			kept = nil
		}
	}
	return m.Close()
}

// However far a consumer came when it was killed or the power failed, each
// record is dealt with or a dead letter in the end, and the commit is never
// beyond one that is neither.
func TestNoCrashOfAConsumerLosesARecord(t *testing.T) {
	for _, kind := range []string{"killed", "power"} {
		t.Run(kind, func(t *testing.T) {
			for n := 1; ; n++ {
				done := false
				synctest.Test(t, func(t *testing.T) { done = crashAt(t, n, kind) })
				if done {
					require.Greater(t, n, 50)
					break
				}
			}
		})
	}
}

func crashAt(t *testing.T, n int, kind string) (done bool) {
	mem := vfs.NewMem()
	fill(t, mem, "log", crashRecords)
	require.NoError(t, mem.SyncDir("."))
	acked := map[uint64]bool{}
	first := answerAll(t, vfs.NewFault(mem, vfs.CrashAt(n)), true, acked)
	after := mem.Kill()
	if kind == "power" {
		after = mem.Crash(vfs.CrashConfig{Data: vfs.DataSubset, Names: vfs.NamesSubset, Seed: uint64(n)})
	}
	g := open(t, after, "log", Options{})
	d := g.deadLetters(0) // their index is made again by who writes them
	require.NoError(t, d.recover())
	require.NoError(t, d.close())
	requireFinished(t, g, acked, n)
	require.NoError(t, answerAll(t, after, false, acked), "step %d", n)
	require.Equal(t, uint64(crashRecords), entry(t, g).Next, "step %d", n)
	requireFinished(t, g, acked, n)
	return first == nil
}

// requireFinished: what is committed was acked, or is a dead letter that is
// there.
func requireFinished(t *testing.T, g *Group, acked map[uint64]bool, n int) {
	t.Helper()
	f, err := g.read()
	require.NoError(t, err, "step %d", n)
	e, _ := f.Lookup("g", "0")
	dead := map[uint64]bool{}
	for _, l := range listed(t, g) {
		dead[l.Offset] = true
	}
	for offset := range e.Next {
		require.True(t, acked[offset] || dead[offset], "step %d: record %d is committed at %d, and neither dealt with nor a dead letter", n, offset, e.Next)
	}
}
