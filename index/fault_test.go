package index

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/vfs"
)

// during returns options under which act runs once, when the second block of
// the records is about to be read.
func during(act func()) *Options {
	calls := 0
	return &Options{Progress: func(done, total int64) {
		if calls++; calls == 2 {
			act()
		}
	}}
}

// manyBlocks is longer than a few blocks.
var manyBlocks = strings.Repeat("{\"k\":\"a line like any other\"}\n", 4*blockSize/30)

// eachWay runs test for a build from nothing, for the rebuilding of a foreign
// index and for an extension. before is the index that was there, or nil.
func eachWay(t *testing.T, test func(t *testing.T, l logFile, before []byte)) {
	for name, before := range map[string][]byte{
		"new": nil, "foreign": entries(0, 3, 4), "extended": reference(manyBlocks[:300]),
	} {
		t.Run(name, func(t *testing.T) {
			l := newLog(t, manyBlocks)
			if before != nil {
				l.write(l.idx, before)
			}
			test(t, l, before)
		})
	}
}

// requireIndex fails unless the index is want, or missing where want is nil.
func (l logFile) requireIndex(want []byte) {
	l.t.Helper()
	l.requireNoTemps()
	if want == nil {
		require.NoFileExists(l.t, l.idx)
	} else {
		require.Equal(l.t, want, l.read(l.idx))
	}
}

func TestCancel(t *testing.T) {
	stopped := errors.New("stopped by hand")
	eachWay(t, func(t *testing.T, l logFile, before []byte) {
		ctx, cancel := context.WithCancelCause(t.Context())
		r, err := BuildFile(ctx, l.records, l.idx, during(func() { cancel(stopped) }))
		require.ErrorIs(t, err, stopped)
		require.False(t, r.Rebuilt || r.Extended)
		l.requireIndex(before)
		_, err = l.build(nil)
		require.NoError(t, err)
		l.requireFits()
	})
}

// What an extension wrote before it was stopped need not be done again.
func TestCancelKeepsProgress(t *testing.T) {
	l := newLog(t, strings.Repeat("{}\n", blockSize))
	l.write(l.idx, append(entries(0), 1, 2))
	ctx, cancel := context.WithCancel(t.Context())
	_, err := BuildFile(ctx, l.records, l.idx, during(cancel))
	require.ErrorIs(t, err, context.Canceled)
	kept := l.read(l.idx)
	require.Greater(t, len(kept), bufferSize/2)
	require.Equal(t, reference(string(l.read(l.records)))[:len(kept)], kept)

	r, err := l.build(nil)
	require.NoError(t, err)
	require.EqualValues(t, blockSize-Count(int64(len(kept))), r.Added)
	l.requireFits()
}

func TestCancelCheck(t *testing.T) {
	l := newLog(t, manyBlocks)
	_, err := l.build(nil)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	o := during(cancel)
	_, _, err = CheckFile(ctx, l.records, l.idx, o)
	require.ErrorIs(t, err, context.Canceled)
	l.requireFits()
}

func TestRecordsCutShort(t *testing.T) {
	for name, size := range map[string]int64{"before the place": 300, "to nothing": 0, "after the place": int64(len(manyBlocks)) - 1} {
		t.Run(name, func(t *testing.T) {
			eachWay(t, func(t *testing.T, l logFile, before []byte) {
				cut := during(func() { require.NoError(t, os.Truncate(l.records, size)) })
				_, err := l.build(cut)
				require.ErrorContains(t, err, "cut short")
				require.ErrorIs(t, err, io.ErrUnexpectedEOF)
				require.ErrorContains(t, err, l.records)
				l.requireIndex(before)
			})
		})
	}
}

// Records that were read already are cut away.
func TestRecordsCutShortBehind(t *testing.T) {
	eachWay(t, func(t *testing.T, l logFile, before []byte) {
		_, err := l.build(&Options{Progress: func(done, total int64) {
			if done == total {
				require.NoError(t, os.Truncate(l.records, total/2))
			}
		}})
		require.ErrorIs(t, err, errCut)
		require.ErrorContains(t, err, l.records)
		l.requireIndex(before)
	})
}

// What is cut away are lines that the index does not know of yet.
func TestRecordsCutShortWhileCounted(t *testing.T) {
	l := newLog(t, manyBlocks)
	l.write(l.idx, reference(manyBlocks[:30]))
	_, _, err := CheckFile(t.Context(), l.records, l.idx, during(func() { require.NoError(t, os.Truncate(l.records, 50)) }))
	require.ErrorIs(t, err, errCut)
	require.ErrorContains(t, err, l.idx)
}

// The name changes hands between locking the file and opening it.
func TestRecordsReplacedBehindTheLock(t *testing.T) {
	l := newLog(t, "{}\n")
	_, err := l.build(failOn(func(op vfs.Op) error {
		if op.Kind == vfs.OpOpen && op.Path == l.records {
			require.NoError(t, os.Remove(l.records))
			l.write(l.records, []byte("[]\n[]\n"))
		}
		return nil
	}))
	require.ErrorIs(t, err, errReplaced)
	l.requireIndex(nil)
}

func TestRecordsGrow(t *testing.T) {
	eachWay(t, func(t *testing.T, l logFile, before []byte) {
		l.write(l.records, []byte(manyBlocks+"{\"torn\":"))
		r, err := l.build(during(func() {
			f, err := os.OpenFile(l.records, os.O_APPEND|os.O_WRONLY, 0)
			require.NoError(t, err)
			_, err = f.WriteString("1}\n{}\n")
			require.NoError(t, errors.Join(err, f.Close()))
		}))
		require.NoError(t, err)
		require.EqualValues(t, len(manyBlocks), r.End)
		require.EqualValues(t, 8, r.Tail)
		require.True(t, bytes.Equal(reference(manyBlocks), l.read(l.idx)))

		r, err = l.build(nil)
		require.NoError(t, err)
		require.EqualValues(t, 2, r.Added)
		l.requireFits()
	})
}

func TestRecordsReplaced(t *testing.T) {
	eachWay(t, func(t *testing.T, l logFile, before []byte) {
		other := filepath.Join(t.TempDir(), "other")
		l.write(other, []byte(strings.Repeat("\n", 2*len(manyBlocks))))
		_, err := l.build(during(func() { require.NoError(t, os.Rename(other, l.records)) }))
		require.ErrorIs(t, err, errReplaced)
		l.requireIndex(before)
	})
}

// failOn returns options with a file system on which what fails returns an
// error for fails.
func failOn(fails func(op vfs.Op) error) *Options {
	return &Options{FS: vfs.NewFault(vfs.OS, fails)}
}

func isWrite(op vfs.Op) bool { return op.Kind == vfs.OpWrite || op.Kind == vfs.OpWriteAt }

func TestDiskFull(t *testing.T) {
	eachWay(t, func(t *testing.T, l logFile, before []byte) {
		_, err := l.build(failOn(func(op vfs.Op) error {
			if isWrite(op) { // more than one entry reaches the file, less than two
				return vfs.ShortWrite{N: 13, Err: syscall.ENOSPC}
			}
			return nil
		}))
		require.ErrorIs(t, err, syscall.ENOSPC)
		require.ErrorContains(t, err, l.idx)
		l.requireIndex(before)
	})
}

func TestDiskFullLater(t *testing.T) {
	l := newLog(t, strings.Repeat("{}\n", blockSize))
	l.write(l.idx, append(entries(0, 3), 1))
	writes := 0
	_, err := l.build(failOn(func(op vfs.Op) error {
		if isWrite(op) {
			writes++
		}
		if writes == 3 && isWrite(op) {
			return vfs.ShortWrite{N: op.Size - 1, Err: syscall.ENOSPC}
		}
		return nil
	}))
	require.ErrorIs(t, err, syscall.ENOSPC)
	l.requireIndex(entries(0, 3))
}

func TestReadErrors(t *testing.T) {
	eachWay(t, func(t *testing.T, l logFile, before []byte) {
		for _, name := range []string{l.records, l.idx} {
			if name == l.idx && before == nil {
				continue
			}
			opts := failOn(func(op vfs.Op) error {
				if op.Kind == vfs.OpReadAt && op.Path == name {
					return syscall.EIO
				}
				return nil
			})
			_, err := l.build(opts)
			require.ErrorIs(t, err, syscall.EIO)
			l.requireIndex(before)
			if before != nil {
				_, _, err = CheckFile(t.Context(), l.records, l.idx, opts)
				require.ErrorIs(t, err, syscall.EIO)
			}
		}
	})
}

// Whatever fails, the error comes back, and the index fits or is what it was.
func TestAnyOperationFails(t *testing.T) {
	eachWay(t, func(t *testing.T, l logFile, before []byte) {
		after := reference(manyBlocks)
		for n := 1; ; n++ {
			fsys := vfs.NewFault(vfs.OS, func(op vfs.Op) error {
				if op.N == n {
					return syscall.EIO
				}
				return nil
			})
			_, err := l.build(&Options{FS: fsys})
			if len(fsys.Ops()) < n {
				require.NoError(t, err)
				require.Greater(t, n, 10)
				break
			}
			op := fsys.Ops()[n-1]
			if op.Kind != vfs.OpClose { // of a file that was only read
				require.ErrorIs(t, err, syscall.EIO, "%+v", op)
			}
			if now, err := os.ReadFile(l.idx); err == nil && bytes.Equal(now, after) {
				require.NoError(t, os.Remove(l.idx))
				if before != nil {
					l.write(l.idx, before)
				}
			}
			l.requireIndex(before)
		}
		l.requireFits()
	})
}

func TestDirectoryNotWritable(t *testing.T) {
	for _, cause := range []error{syscall.EACCES, syscall.EROFS} {
		l := newLog(t, "{}\n")
		_, err := l.build(failOn(func(op vfs.Op) error {
			if op.Kind == vfs.OpOpen && strings.Contains(op.Path, ".tmp") {
				return cause
			}
			return nil
		}))
		require.ErrorIs(t, err, cause)
		require.ErrorContains(t, err, "index "+l.idx+" of "+l.records+": directory "+filepath.Dir(l.idx)+" is not writable")
	}
}

// An index that is up to date is opened once, for reading.
func TestReadOnlyIndex(t *testing.T) {
	l := newLog(t, "{}\n")
	_, err := l.build(nil)
	require.NoError(t, err)
	readOnly := func() *Options {
		opens := 0
		return failOn(func(op vfs.Op) error {
			if op.Kind == vfs.OpOpen && op.Path == l.idx {
				if opens++; opens > 1 {
					return fs.ErrPermission
				}
			}
			return nil
		})
	}
	_, err = l.build(readOnly())
	require.NoError(t, err)
	l.write(l.records, []byte("{}\n[]\n"))
	_, err = l.build(readOnly())
	require.ErrorIs(t, err, fs.ErrPermission)
	require.ErrorContains(t, err, l.idx)
	l.requireIndex(entries(0, 3))
}

// A sync in the middle of an extension fails.
func TestExtendSyncFails(t *testing.T) {
	l := newLog(t, strings.Repeat("\n", trustOrdered+pieceSize))
	l.write(l.idx, entries(0))
	for fail := 1; fail <= 3; fail++ {
		syncs := 0
		_, err := l.build(failOn(func(op vfs.Op) error {
			if op.Kind == vfs.OpSync {
				if syncs++; syncs == fail {
					return syscall.EIO
				}
			}
			return nil
		}))
		require.ErrorIs(t, err, syscall.EIO)
		if fail < 3 { // after the third all entries are there
			l.requireIndex(entries(0))
		}
	}
}

// No more entries are ever unsynced than are looked through after a crash.
func TestExtendSyncsAsItGoes(t *testing.T) {
	l := newLog(t, strings.Repeat("\n", 3*trustOrdered))
	l.write(l.idx, entries(0))
	fsys := vfs.NewFault(vfs.OS, nil)
	_, err := l.build(&Options{FS: fsys})
	require.NoError(t, err)
	// A predecessor that was killed left as much as is allowed.
	dirty, most, total := trustOrdered*EntrySize, 0, 0
	for _, op := range fsys.Ops() {
		switch op.Kind {
		case vfs.OpWriteAt:
			dirty, total = dirty+op.Size, total+op.Size
			most = max(most, dirty)
		case vfs.OpSync:
			dirty = 0
		}
	}
	require.Zero(t, dirty)
	require.LessOrEqual(t, most, trustOrdered*EntrySize)
	require.Equal(t, 3*trustOrdered*EntrySize, total)
}

// Somebody who takes no lock writes to the same index.
func TestIndexChangedMeanwhile(t *testing.T) {
	for name, change := range map[string]func(l logFile) error{
		"grown": func(l logFile) error { return os.WriteFile(l.idx, entries(0, 30, 60), 0o600) },
		"replaced": func(l logFile) error {
			return errors.Join(os.Remove(l.idx), os.WriteFile(l.idx, entries(0, 30), 0o600))
		},
		"removed": func(l logFile) error { return os.Remove(l.idx) },
	} {
		t.Run(name, func(t *testing.T) {
			l := newLog(t, manyBlocks)
			l.write(l.idx, entries(0, 30))
			_, err := l.build(during(func() { require.NoError(t, change(l)) }))
			require.Error(t, err)
			require.ErrorContains(t, err, l.idx)
			if name == "grown" {
				require.ErrorIs(t, err, errChanged)
				l.requireIndex(entries(0, 30, 60))
			}
		})
	}
}
