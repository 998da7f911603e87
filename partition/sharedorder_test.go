package partition

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/segment"
	"example.com/jlq/internal/vfs"
)

// TestSharedReplaced: an editor saves a file between two turns, which makes it
// another one. What is appended goes to what the name denotes.
func TestSharedReplaced(t *testing.T) {
	for _, name := range []string{"p", "p.jsonl"} {
		for _, index := range []bool{false, true} {
			path := filepath.Join(t.TempDir(), name)
			a, b := openShared(t, path, Options{})
			_, err := a.Append([]byte(`"one"`))
			require.NoError(t, err)
			pair := a.Log().Files()[0]
			saved := pair.Records
			if index {
				saved = pair.Index
			}
			require.NoError(t, vfs.ReplaceFile(vfs.OS, saved, []byte(readFile(t, saved)), 0o600))
			for _, p := range []*Partition{a, b, a} {
				_, err = p.Append([]byte(`"more"`))
				require.NoError(t, err)
			}
			require.Equal(t, "\"one\"\n\"more\"\n\"more\"\n\"more\"\n", readFile(t, pair.Records))
			require.NoError(t, errors.Join(a.Close(), b.Close()))
			require.Empty(t, problems(t, path))
		}
	}
}

// TestSharedRollBegun: somebody died in a roll, before partition.json named the
// next segment. Nothing is appended to the last one with that behind it.
func TestSharedRollBegun(t *testing.T) {
	for _, records := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "p")
		a, b := openShared(t, path, Options{})
		for i, p := range []*Partition{a, b, a} {
			_, err := p.Append(line(i))
			require.NoError(t, err)
		}
		next := segment.PairAt(path, 3)
		writeFile(t, next.Index, strings.Repeat("\x00", 8))
		if records {
			writeFile(t, next.Records, "")
		}
		for i, p := range []*Partition{b, a} {
			_, err := p.Append(line(3 + i))
			require.NoError(t, err)
			r, err := OpenReader(path, nil)
			require.NoError(t, err)
			require.Len(t, read(t, r, 0), 4+i)
			require.NoError(t, r.Close())
		}
		require.Equal(t, string(line(3))+"\n"+string(line(4))+"\n", readFile(t, next.Records))
		require.NoError(t, errors.Join(a.Close(), b.Close()))
		require.Empty(t, problems(t, path))
	}
}

// TestSharedStart: what one of them trimmed, the other does not bring back when
// it writes partition.json.
func TestSharedStart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p")
	a, b := openShared(t, path, Options{Sync: SyncOS})
	for i := range 6 {
		_, err := a.Append(line(i))
		require.NoError(t, err)
		if i == 3 {
			require.NoError(t, a.Roll())
		}
	}
	_, err := b.Append(line(6)) // both have the second segment
	require.NoError(t, err)
	require.NoError(t, b.Trim(4))
	_, err = a.Append(line(7))
	require.NoError(t, err)
	require.NoError(t, a.Sync())
	meta, ok, err := segment.ReadMeta(vfs.OS, path)
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, uint64(4), meta.Start)
	require.Zero(t, meta.Dropping)
	require.Equal(t, uint64(4), meta.Synced.Base)
	require.NoError(t, errors.Join(a.Close(), b.Close()))
	require.Empty(t, problems(t, path))
}

// TestSharedLeftovers: what a roll of another process could not take back does
// not keep this one from rolling.
func TestSharedLeftovers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p")
	a, b := openShared(t, path, Options{Sync: SyncOS})
	for i := range 3 {
		_, err := a.Append(line(i))
		require.NoError(t, err)
	}
	left := segment.PairAt(path, 2)
	writeFile(t, left.Index, strings.Repeat("\x00", 8))
	writeFile(t, left.Records, "")
	require.NoError(t, b.Roll())
	require.NoFileExists(t, left.Index)
	require.NoFileExists(t, left.Records)
	offset, err := a.Append(line(3))
	require.NoError(t, err)
	require.Equal(t, uint64(3), offset)
	require.NoError(t, errors.Join(a.Close(), b.Close()))
	require.Empty(t, problems(t, path))
}

// TestSharedCloseSyncs: Close makes durable what was appended, also when another
// process has the log.
func TestSharedCloseSyncs(t *testing.T) {
	mem := vfs.NewMem()
	fault := vfs.NewFault(mem, nil)
	p := mustOpen(t, "/p", &Options{FS: fault, Shared: true, Sync: SyncOS})
	_, err := p.Append(line(0))
	require.NoError(t, err)
	alone := mustOpen(t, "/p", &Options{FS: mem, Sync: SyncOS})
	before := len(fault.Ops())
	require.NoError(t, p.Close())
	synced := false
	for _, op := range fault.Ops()[before:] {
		require.False(t, op.Kind.Changes() && op.Kind != vfs.OpSync, "%+v: the log is another's", op)
		synced = synced || op.Kind == vfs.OpSync && filepath.Ext(op.Path) == ".jsonl"
	}
	require.True(t, synced)
	require.NoError(t, alone.Close())
}

// TestSharedSyncOfOld: another process has begun the next segment while this one
// syncs the last; its file is not closed before that has ended.
func TestSharedSyncOfOld(t *testing.T) {
	mem := vfs.NewMem()
	old := segment.PairAt("/p", 0).Records
	var armed, syncing, early atomic.Bool
	begun, goOn := make(chan struct{}), make(chan struct{})
	fault := vfs.NewFault(mem, func(op vfs.Op) error {
		switch {
		case op.Path != old:
		case op.Kind == vfs.OpSync && armed.Swap(false):
			syncing.Store(true)
			close(begun)
			<-goOn
			syncing.Store(false)
		case op.Kind == vfs.OpClose && syncing.Load():
			early.Store(true)
		}
		return nil
	})
	a := mustOpen(t, "/p", &Options{FS: fault, Shared: true, Sync: SyncInterval, Interval: time.Millisecond})
	b := mustOpen(t, "/p", &Options{FS: mem, Shared: true, Sync: SyncInterval, Interval: time.Hour})
	armed.Store(true)
	_, err := a.Append(line(0))
	require.NoError(t, err)
	<-begun // in the background, and in no turn
	require.NoError(t, b.Roll())
	appended := make(chan error, 1)
	go func() { _, err := a.Append(line(1)); appended <- err }()
	select {
	case err = <-appended: // it did not wait
		appended <- err
	case <-time.After(20 * time.Millisecond): // it waits, or has not come so far
	}
	close(goOn)
	require.NoError(t, <-appended)
	require.False(t, early.Load(), "the file was closed while it was synced")
	require.NoError(t, errors.Join(a.Close(), b.Close()))
	require.Empty(t, problemsOn(t, mem, "/p"))
}

// TestTurnPause: who has had a turn lets the others ask for theirs, where there
// are others, and once in a while where none were seen.
func TestTurnPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turn := newTurn(0, func(error) {})
		took := func() time.Duration {
			begin := time.Now()
			require.NoError(t, turn.wait(func() error { return nil }))
			turn.ended()
			return time.Since(begin)
		}
		require.Zero(t, took())
		require.Zero(t, took())
		turn.saw()
		require.Equal(t, pollLock, took())
		require.Equal(t, pollLock, took())
		time.Sleep(crowded)
		require.Zero(t, took(), "it was free for long enough")
		require.Zero(t, took(), "they seem to have gone")
		paused := 0
		for range 1000 { // a turn of 1 ms each, one after the other
			require.NoError(t, turn.wait(func() error { return nil }))
			time.Sleep(time.Millisecond)
			turn.ended()
			if time.Since(turn.paused) < 2*time.Millisecond {
				paused++
			}
		}
		require.GreaterOrEqual(t, paused, 9)
	})
}

// TestTurnWait: waiting ends with the lock, with another error, after as long as
// it may take, and when the log is closed; who waits long is told why, once.
func TestTurnWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		told := 0
		turn := newTurn(10*time.Second, func(error) { told++ })
		busy := func() error { return &LockedError{Path: "p", PID: 1} }
		begin := time.Now()
		err := turn.wait(busy)
		require.ErrorIs(t, err, ErrLocked)
		require.ErrorContains(t, err, "process 1")
		require.InDelta(t, 10, time.Since(begin).Seconds(), 0.1)
		require.Equal(t, 1, told)

		tries := 0
		require.NoError(t, turn.wait(func() error {
			if tries++; tries < 100 {
				return busy()
			}
			return nil
		}))
		require.Equal(t, 100, tries)
		require.ErrorIs(t, turn.wait(func() error { return fs.ErrPermission }), fs.ErrPermission)

		time.AfterFunc(time.Second, turn.stop)
		begin = time.Now()
		err = turn.wait(busy)
		require.ErrorIs(t, err, fs.ErrClosed)
		require.ErrorIs(t, err, ErrLocked)
		require.InDelta(t, 1, time.Since(begin).Seconds(), 0.1)
		begin = time.Now()
		require.ErrorIs(t, turn.wait(busy), fs.ErrClosed)
		require.InDelta(t, lastWait.Seconds(), time.Since(begin).Seconds(), 0.01)
	})
}
