package power

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/jlq/partition"
)

// tries is how many rounds a log that breaks its promise has until it must be
// caught. One is nearly always enough.
const tries = 10

// TestPowerControl: logs that acknowledge a record, or show it, before it is on
// the disk are caught by what TestPower does.
func TestPowerControl(t *testing.T) {
	for _, kind := range []string{"ext4", "xfs"} {
		t.Run(kind, func(t *testing.T) {
			needVolumes(t, kind)
			v := mountImage(t, kind, "", newImage(t, kind, ""))
			t.Run("acknowledged before fsync", func(t *testing.T) {
				requireCaught(t, func(n int) bool { return cutNaive(t, v, n) })
			})
			t.Run("shown before fsync", func(t *testing.T) {
				requireCaught(t, func(n int) bool { return cutShown(t, v, n) })
			})
		})
	}
}

func requireCaught(t *testing.T, caught func(n int) bool) {
	t.Helper()
	for n := range tries {
		if caught(n) {
			return
		}
	}
	t.Fatalf("%d cuts did not show that the promise is broken", tries)
}

// cutNaive reports whether a log that does not sync was caught.
func cutNaive(t *testing.T, v *volume, n int) bool {
	path := filepath.Join(v.dir, "naive")
	h := newHistory()
	h.expect(n, partition.SyncAlways)
	w := startChild(t, h, child{Job: "naive", Path: path, Epoch: n, Pause: 100 * time.Microsecond})
	cutLater(t, v, h, w)
	stored := lines(t, path)
	require.NoError(t, errors.Join(ignoreMissing(os.Remove(path))))
	return len(h.complaints(stored)) > 0
}

// cutShown reports whether it was caught that a reader in another process saw
// records of a mode that shows them before they are synced.
func cutShown(t *testing.T, v *volume, n int) bool {
	path := filepath.Join(v.dir, "shown", string(rune('a'+n)))
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	h := newHistory()
	h.expect(n, partition.SyncAlways) // it is held to more than it promises
	w := startChild(t, h, child{Job: "append", Path: path, Sync: partition.SyncOS, Epoch: n, Givers: 1, Batch: 1, Limit: -1, Pause: 100 * time.Microsecond})
	w.await("open")
	r := startChild(t, h, child{Job: "follow", Path: path})
	cutLater(t, v, h, w, r)
	h.acked = nil // what the reader saw is enough
	log, err := partition.Open(path, nil)
	if errors.Is(err, fs.ErrNotExist) {
		return len(h.complaints(nil)) > 0
	}
	require.NoError(t, err)
	defer log.Close()
	return len(h.complaints(records(t, log))) > 0
}

// cutLater cuts the power after a while, ends the processes and mounts again.
func cutLater(t *testing.T, v *volume, h *history, running ...*process) {
	t.Helper()
	for _, p := range running {
		p.await("ready")
	}
	time.Sleep(50*time.Millisecond + rand.N(100*time.Millisecond))
	at := now()
	v.cut(t, cutAtOnce)
	for _, p := range running {
		p.end(t)
	}
	h.cut(at)
	v.restart(t)
}

// lines are the whole lines of a file; none, where it is lost.
func lines(t *testing.T, path string) (out []string) {
	t.Helper()
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	require.NoError(t, err)
	defer f.Close()
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		out = append(out, s.Text())
	}
	require.NoError(t, s.Err())
	return out
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// TestHistory: what a log is held against notices each kind of broken promise.
func TestHistory(t *testing.T) {
	rec := func(n int) string { return record{Epoch: 1, N: n}.line() }
	sound := []string{"0", rec(0), rec(1), rec(2)}
	h := newHistory()
	h.begin(sound[:1])
	h.expect(1, partition.SyncAlways)
	for _, line := range []string{"10 ack 1 " + rec(0), "12 ack 2 " + rec(1), "11 saw 1 " + rec(0), "13 ack 3 " + rec(2)} {
		require.NoError(t, h.note(line))
	}
	h.cut(13)
	require.Empty(t, h.complaints(sound))
	require.Empty(t, h.complaints(sound[:3]), "what was not acknowledged may be missing")
	for name, stored := range map[string][]string{
		"acknowledged and lost": sound[:2],
		"kept and lost":         nil,
		"kept and changed":      {"1", rec(0), rec(1), rec(2)},
		"changed":               {"0", rec(0), rec(2), rec(2)},
		"out of order":          {"0", rec(1), rec(0), rec(2)},
		"a gap":                 {"0", rec(0), rec(1), rec(3)},
		"twice":                 {"0", rec(0), rec(1), rec(1)},
		"of another process":    {"0", rec(0), rec(1), record{Epoch: 2}.line()},
		"invented":              {"0", rec(0), rec(1), `{"e":1,"g":0,"n":2,"pad":""}`},
		"blank":                 {"0", rec(0), rec(1), ""},
	} {
		require.NotEmpty(t, h.complaints(stored), name)
	}
	h.expect(1, partition.SyncOS)
	require.Empty(t, h.complaints(sound[:1]), "a weak mode may lose what it acknowledged")
	require.NoError(t, h.note("20 durable 2"))
	h.cut(21)
	require.NotEmpty(t, h.complaints(sound[:1]), "but not what it called durable")
	require.Error(t, h.note("nonsense"))
}

// TestHistoryOfDrops: retention may take from the front and has to leave
// enough, and what comes behind is as it was.
func TestHistoryOfDrops(t *testing.T) {
	rec := func(n int) string { return record{Epoch: 1, N: n}.line() }
	h := newHistory()
	h.keep = 2
	h.begin([]string{dropped, `"kept"`})
	h.expect(1, partition.SyncAlways)
	for n := range 4 {
		require.NoError(t, h.note(fmt.Sprintf("1 ack %d %s", n+2, rec(n))))
	}
	h.cut(2)
	require.Empty(t, h.complaints([]string{dropped, `"kept"`, rec(0), rec(1), rec(2), rec(3)}))
	require.Empty(t, h.complaints([]string{dropped, dropped, dropped, dropped, rec(2), rec(3)}))
	for name, stored := range map[string][]string{
		"too much":      {dropped, dropped, dropped, dropped, dropped, rec(3)},
		"came back":     {`"gone"`, `"kept"`, rec(0), rec(1), rec(2), rec(3)},
		"lost":          {dropped, dropped, dropped, rec(1), rec(2)},
		"a gap":         {dropped, dropped, dropped, rec(1), rec(3), rec(2)},
		"from anywhere": {dropped, `"kept"`, dropped, rec(1), rec(2), rec(3), `{"e":7}`},
	} {
		t.Run(name, func(t *testing.T) { require.NotEmpty(t, h.complaints(stored)) })
	}
	h.keep = 0
	require.NotEmpty(t, h.complaints([]string{dropped, `"kept"`, rec(0), rec(1), rec(2), rec(3)}))
}
