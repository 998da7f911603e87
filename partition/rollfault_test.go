package partition

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/segment"
	"example.com/jlq/internal/vfs"
)

// rollFault is a file system on which one kind of operation on one file fails
// for as long as broken says.
type rollFault struct {
	kind   vfs.OpKind
	path   string // how the path ends
	err    error
	broken int32 // 1 while it does
	hits   int32
}

// set says whether it fails; the writer's goroutines ask at any time.
func (f *rollFault) set(broken int32) { atomic.StoreInt32(&f.broken, broken) }

func (f *rollFault) hook(op vfs.Op) error {
	if atomic.LoadInt32(&f.broken) == 0 || op.Kind != f.kind || !strings.HasSuffix(op.Path, f.path) {
		return nil
	}
	atomic.AddInt32(&f.hits, 1)
	return f.err
}

var (
	nextIndex   = "00000000000000000002.index"
	nextRecords = "00000000000000000002.jsonl"
)

// TestRollPutOff: where the files of the next segment cannot be made, appends
// go on in the old one, nothing is left behind, the reason is told once, and
// the next attempt comes a second later and not with every append.
func TestRollPutOff(t *testing.T) {
	for _, c := range []struct {
		name string
		at   rollFault
	}{
		{"no handle for the index", rollFault{kind: vfs.OpOpen, path: nextIndex, err: syscall.EMFILE}},
		{"no room for entry 0", rollFault{kind: vfs.OpWrite, path: nextIndex, err: vfs.ShortWrite{N: 3, Err: syscall.ENOSPC}}},
		{"no handle for the records", rollFault{kind: vfs.OpOpen, path: nextRecords, err: syscall.EMFILE}},
		{"no right to create", rollFault{kind: vfs.OpOpen, path: nextRecords, err: syscall.EACCES}},
		{"lock refused", rollFault{kind: vfs.OpLock, path: nextRecords, err: &vfs.LockedError{Path: nextRecords}}},
		{"no lock", rollFault{kind: vfs.OpLock, path: nextRecords, err: syscall.ENOLCK}},
		{"directory not synced", rollFault{kind: vfs.OpSyncDir, path: "p", err: syscall.EIO}},
		{"no room for partition.json", rollFault{kind: vfs.OpWrite, path: ".tmp", err: syscall.ENOSPC}},
		{"partition.json not synced", rollFault{kind: vfs.OpSync, path: ".tmp", err: syscall.EIO}},
		{"partition.json not renamed", rollFault{kind: vfs.OpRename, path: ".tmp", err: syscall.EIO}},
	} {
		for _, mode := range syncModes {
			t.Run(c.name+"/"+mode.String(), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { rollPutOff(t, c.at, mode) })
			})
		}
	}
}

func rollPutOff(t *testing.T, at rollFault, mode SyncMode) {
	var log bytes.Buffer
	mem := rollDisk()
	opts := Options{
		FS: vfs.NewFault(mem, at.hook), Sync: mode, SegmentRecords: 2,
		Interval: time.Hour, // a sync in the background would meet the fault too
		Logger:   slog.New(slog.NewTextHandler(&log, nil)),
	}
	p := mustOpen(t, "p", &opts)
	for i := range 2 {
		_, err := p.Append(line(i))
		require.NoError(t, err)
	}
	at.set(1)
	for i := range 20 {
		_, err := p.Append(line(i + 2))
		require.NoError(t, err, "appends go on")
	}
	require.NotZero(t, atomic.LoadInt32(&at.hits))
	s := p.Stats().Written
	require.Equal(t, uint64(1), s.RollsPutOff, "not with every append")
	require.Zero(t, s.Rolls)
	require.NotEmpty(t, s.RollError)
	require.Equal(t, []uint64{0}, bases(t, mem, "p"))
	left, err := mem.List("p")
	require.NoError(t, err)
	require.NotContains(t, left, nextIndex)
	requireNumbered(t, p, 22)

	time.Sleep(1100 * time.Millisecond)
	_, err = p.Append(line(22))
	require.NoError(t, err)
	if at.path != nextIndex && at.path != nextRecords { // the next attempt has other names
		require.Equal(t, uint64(2), p.Stats().Written.RollsPutOff)
		require.Equal(t, 1, strings.Count(log.String(), "appends go on in the old one"), "%s", &log)
	}
	at.set(0)
	time.Sleep(1100 * time.Millisecond)
	for i := range 3 {
		_, err = p.Append(line(i + 23))
		require.NoError(t, err)
	}
	s = p.Stats().Written
	require.NotZero(t, s.Rolls)
	require.Empty(t, s.RollError)
	requireNumbered(t, p, 26)
	require.NoError(t, p.Close())

	p = mustOpen(t, "p", &Options{FS: mem})
	requireNumbered(t, p, 26)
	require.NoError(t, p.Close())
}

// TestRollNameTaken: a file that is not empty under a name that the next
// segment needs is never written to; what a roll left behind is.
func TestRollNameTaken(t *testing.T) {
	for _, c := range []struct {
		name, file, content string
		taken               bool
	}{
		{"index of records", nextIndex, strings.Repeat("\x00", 15) + "\x05", true},
		{"index that begins elsewhere", nextIndex, "\x00\x00\x00\x00\x00\x00\x00\x05", true},
		{"index of two zero entries", nextIndex, strings.Repeat("\x00", 16), true},
		{"records", nextRecords, "{}\n", true},
		{"empty records", nextRecords, "", true},
		{"index of nothing", nextIndex, strings.Repeat("\x00", 8), false},
		{"half an entry", nextIndex, "\x00\x00\x00", false},
		{"empty index", nextIndex, "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			mem := rollDisk()
			p := mustOpen(t, "p", &Options{FS: mem})
			_, err := p.AppendBatch([][]byte{line(0), line(1)})
			require.NoError(t, err)
			name := filepath.Join("p", c.file)
			f, err := mem.Open(name, os.O_RDWR|os.O_CREATE, 0o600)
			require.NoError(t, err)
			_, err = f.WriteAt([]byte(c.content), 0)
			require.NoError(t, errors.Join(err, f.Close()))
			err = p.Roll()
			if c.taken {
				require.ErrorIs(t, err, fs.ErrExist)
				require.ErrorContains(t, err, c.file)
				still, err := vfs.ReadFile(mem, name, 1<<10)
				require.NoError(t, err)
				require.Equal(t, c.content, string(still))
			} else {
				require.NoError(t, err)
			}
			_, err = p.Append(line(2))
			require.NoError(t, err)
			requireNumbered(t, p, 3)
			require.NoError(t, p.Close())
		})
	}
}

// TestRollNameWithin: while a file that is not ours has the name of a segment
// that would begin within the active one, that is not sealed, not even under
// another name than the one that was taken. The reason names the file.
func TestRollNameWithin(t *testing.T) {
	for _, name := range []string{nextRecords, nextIndex} {
		for _, records := range []int{2, 3} { // the name is taken first, or lies within at once
			t.Run(fmt.Sprint(name, records), func(t *testing.T) {
				mem := rollDisk()
				p := mustOpen(t, "p", &Options{FS: mem})
				_, err := p.AppendBatch([][]byte{line(0), line(1)})
				require.NoError(t, err)
				foreign := filepath.Join("p", name)
				require.NoError(t, vfs.ReplaceFile(mem, foreign, []byte("\"of another\"\n"), 0o600))
				if records == 2 {
					require.ErrorIs(t, p.Roll(), fs.ErrExist)
				}
				_, err = p.Append(line(2))
				require.NoError(t, err)
				require.ErrorContains(t, p.Roll(), name)
				requireNumbered(t, p, 3)
				_, err = p.PlanTrim(TrimPolicy{Before: 1})
				require.NoError(t, err)
				requireNumbered(t, p, 3)
				require.NoError(t, mem.Remove(foreign))
				require.NoError(t, p.Roll())
				require.Equal(t, []uint64{0, 3}, bases(t, mem, "p"))
				requireNumbered(t, p, 3)
				require.NoError(t, p.Close())
			})
		}
	}
	t.Run("directory", func(t *testing.T) {
		mem := rollDisk()
		p := mustOpen(t, "p", &Options{FS: mem})
		_, err := p.AppendBatch([][]byte{line(0), line(1), line(2)})
		require.NoError(t, err)
		require.NoError(t, mem.Mkdir(filepath.Join("p", nextRecords), 0o700))
		require.ErrorContains(t, p.Roll(), nextRecords)
		requireNumbered(t, p, 3)
		require.NoError(t, p.Close())
	})
}

// TestRollUnknown: where partition.json names the new segment but may not keep
// doing so, nobody appends to either, and opening decides.
func TestRollUnknown(t *testing.T) {
	at := rollFault{kind: vfs.OpSyncDir, path: "p", err: syscall.EIO}
	renamed := false
	mem := rollDisk()
	fsys := vfs.NewFault(mem, func(op vfs.Op) error {
		renamed = renamed || op.Kind == vfs.OpRename && atomic.LoadInt32(&at.broken) == 1
		if renamed {
			return at.hook(op)
		}
		return nil
	})
	p := mustOpen(t, "p", &Options{FS: fsys})
	for i := range 2 {
		_, err := p.Append(line(i))
		require.NoError(t, err)
	}
	at.set(1)
	require.ErrorIs(t, p.Roll(), ErrPoisoned)
	_, err := p.Append(line(2))
	require.ErrorIs(t, err, ErrPoisoned)
	require.ErrorIs(t, p.Close(), ErrPoisoned)

	p = mustOpen(t, "p", &Options{FS: mem})
	requireNumbered(t, p, 2)
	_, err = p.Append(line(2))
	require.NoError(t, err)
	requireNumbered(t, p, 3)
	require.NoError(t, p.Close())
}

// TestRollUnknownStays: from the failure on nobody changes partition.json: a trim
// or a sync would write the old segment into it again, over what it says now.
func TestRollUnknownStays(t *testing.T) {
	var p *Partition
	var meanwhile error
	failing, renamed, tried := false, false, false
	mem := rollDisk()
	fsys := vfs.NewFault(mem, func(op vfs.Op) error {
		renamed = renamed || failing && op.Kind == vfs.OpRename
		if !renamed {
			return nil
		}
		// The writer is told after this file is closed, and does not know yet.
		if op.Kind == vfs.OpClose && strings.HasSuffix(op.Path, "00000000000000000004.jsonl") && !tried {
			tried = true
			meanwhile = p.Trim(2)
		}
		if op.Kind == vfs.OpSyncDir {
			return syscall.EIO
		}
		return nil
	})
	p = mustOpen(t, "p", &Options{FS: fsys, SegmentRecords: 2, Sync: SyncOS})
	appendLines(t, p, 0, 4)
	failing = true
	require.ErrorIs(t, p.Roll(), ErrPoisoned)
	require.True(t, tried)
	require.ErrorIs(t, meanwhile, segment.ErrUncertain)
	after, err := vfs.ReadFile(mem, "p/partition.json", 1<<10)
	require.NoError(t, err)
	require.Contains(t, string(after), `"base":4`)

	failing, renamed = false, false // it would work again by now
	require.ErrorIs(t, p.Trim(2), ErrPoisoned)
	require.ErrorIs(t, p.Roll(), ErrPoisoned)
	require.ErrorIs(t, p.Sync(), ErrPoisoned)
	require.ErrorIs(t, p.Close(), ErrPoisoned)
	still, err := vfs.ReadFile(mem, "p/partition.json", 1<<10)
	require.NoError(t, err)
	require.Equal(t, string(after), string(still))

	p = mustOpen(t, "p", &Options{FS: mem})
	requireNumbered(t, p, 4)
	require.NoError(t, p.Close())
}

// TestRollSyncFails: a failed fsync of the old pair poisons, as always, and
// nothing of the next segment is made.
func TestRollSyncFails(t *testing.T) {
	for _, file := range []string{"00000000000000000000.jsonl", "00000000000000000000.index"} {
		at := rollFault{kind: vfs.OpSync, path: file, err: syscall.EIO}
		mem := rollDisk()
		p := mustOpen(t, "p", &Options{FS: vfs.NewFault(mem, at.hook), Sync: SyncOS})
		_, err := p.Append(line(0))
		require.NoError(t, err)
		at.set(1)
		require.ErrorIs(t, p.Roll(), ErrPoisoned)
		require.Equal(t, []uint64{0}, bases(t, mem, "p"))
		require.ErrorIs(t, p.Close(), ErrPoisoned)
	}
}

// TestRollForeignWrite: a segment that another program wrote to is not sealed.
func TestRollForeignWrite(t *testing.T) {
	for _, mode := range syncModes {
		mem := rollDisk()
		p := mustOpen(t, "p", &Options{FS: mem, Sync: mode})
		_, err := p.Append(line(0))
		require.NoError(t, err)
		require.NoError(t, p.Sync())
		f, err := mem.Open(segment.PairAt("p", 0).Records, os.O_RDWR|os.O_APPEND, 0)
		require.NoError(t, err)
		_, err = f.Write([]byte("{}\n"))
		require.NoError(t, errors.Join(err, f.Close()))
		require.ErrorIs(t, p.Roll(), ErrPoisoned)
		require.Equal(t, []uint64{0}, bases(t, mem, "p"))
		require.ErrorIs(t, p.Close(), ErrPoisoned)
	}
}
