package offsets

import (
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/vfs"
)

// crashes are what a power loss may do, and a kill.
func crashes(m *vfs.Mem) map[string]*vfs.Mem {
	out := map[string]*vfs.Mem{"killed": m.Kill()}
	for _, data := range []vfs.DataLoss{vfs.DataLost, vfs.DataKept, vfs.DataTorn, vfs.DataZeroed, vfs.DataGarbage, vfs.DataSubset} {
		out[fmt.Sprint("lost ", data)] = m.Crash(vfs.CrashConfig{Data: data, Names: vfs.NamesLost})
		out[fmt.Sprint("kept ", data)] = m.Crash(vfs.CrashConfig{Data: data, Names: vfs.NamesKept})
		for seed := range uint64(16) {
			out[fmt.Sprint("subset ", data, seed)] = m.Crash(vfs.CrashConfig{Data: data, Names: vfs.NamesSubset, Seed: seed})
		}
	}
	return out
}

// eachCrash makes a state, commits next in it and lets the power fail before
// each operation of that, and after the last.
func eachCrash(t *testing.T, next uint64, prepare func(t *testing.T, m *vfs.Mem, p Place), check func(t *testing.T, m *vfs.Mem, p Place, done bool)) {
	for n, last := 1, false; !last; n++ {
		mem := vfs.NewMem()
		p := lone(t, mem)
		prepare(t, mem, p)
		fault := vfs.NewFault(mem, vfs.CrashAt(n))
		_, err := commit(fault, p, next)
		last = len(fault.Ops()) < n
		if last {
			require.NoError(t, err)
		}
		for name, after := range crashes(mem) {
			t.Run(fmt.Sprintf("%d/%s", n, name), func(t *testing.T) { check(t, after, p, err == nil) })
		}
	}
}

func temps(t *testing.T, fsys vfs.FS, p Place) (n int) {
	t.Helper()
	names, err := fsys.List(p.Dir)
	require.NoError(t, err)
	for _, name := range names {
		if strings.Contains(name, ".tmp") {
			n++
		}
	}
	return n
}

// TestUpdateCrash: whenever the power fails, the file is the old or the new
// version, whole; once a commit has returned, the new. The next commit goes on
// from there, leaves no temporary file of its own and keeps a version before.
func TestUpdateCrash(t *testing.T) {
	eachCrash(t, 4, func(t *testing.T, m *vfs.Mem, p Place) {
		mustCommit(t, m, p, 2)
		mustCommit(t, m, p, 3)
	}, func(t *testing.T, m *vfs.Mem, p Place, done bool) {
		next, fallback := committed(t, m, p)
		require.Nil(t, fallback)
		require.True(t, next == 4 || next == 3 && !done, "%d", next)
		before := temps(t, m, p)
		mustCommit(t, m, p, 9)
		require.Equal(t, before, temps(t, m, p))
		cut(t, m, p.File, 0)
		prev, fallback := committed(t, m, p)
		require.NotNil(t, fallback)
		require.Equal(t, next, prev)
	})
}

// TestFirstUpdateCrash: the first version is there or was never.
func TestFirstUpdateCrash(t *testing.T) {
	eachCrash(t, 4, func(*testing.T, *vfs.Mem, Place) {}, func(t *testing.T, m *vfs.Mem, p Place, done bool) {
		next, fallback := committed(t, m, p)
		require.True(t, next == 4 || next == 0 && !done, "%d", next)
		require.False(t, done && fallback != nil)
		_, err := commit(m, p, 9)
		require.NoError(t, err)
		next, fallback = committed(t, m, p)
		require.EqualValues(t, 9, next)
		require.Nil(t, fallback)
	})
}

// TestFallbackCrash: while the version before is the only good one, it stays.
func TestFallbackCrash(t *testing.T) {
	if testing.Short() {
		t.Skip("short: the work of one goroutine")
	}
	for name, damage := range damages {
		t.Run(name, func(t *testing.T) {
			eachCrash(t, 4, func(t *testing.T, m *vfs.Mem, p Place) {
				mustCommit(t, m, p, 2)
				mustCommit(t, m, p, 3)
				damage(t, m, p.File)
				if f, err := m.Open(p.File, 0, 0); err == nil {
					require.NoError(t, f.Sync())
					require.NoError(t, f.Close())
				}
				require.NoError(t, m.SyncDir(p.Dir))
			}, func(t *testing.T, m *vfs.Mem, p Place, done bool) {
				next, _ := committed(t, m, p)
				require.True(t, next == 4 || next == 2 && !done, "%d", next)
				_, err := commit(m, p, 9)
				require.NoError(t, err)
			})
		})
	}
}

// TestUpdateFails: a full disk and any other error leave the old version, or
// the new one where only the directory could not be synced, and no temporary
// file; the next commit works.
func TestUpdateFails(t *testing.T) {
	for _, errno := range []error{syscall.ENOSPC, syscall.EIO, syscall.EROFS} {
		for n := 1; ; n++ {
			mem := vfs.NewMem()
			p := lone(t, mem)
			mustCommit(t, mem, p, 2)
			mustCommit(t, mem, p, 3)
			failed := vfs.Op{}
			fault := vfs.NewFault(mem, func(op vfs.Op) error {
				if op.N != n {
					return nil
				}
				if failed = op; op.Kind == vfs.OpClose && op.Path == p.File {
					return nil // it was only read
				}
				return errno
			})
			_, err := commit(fault, p, 4)
			if failed.N == 0 {
				require.NoError(t, err)
				require.Greater(t, n, 10)
				break
			}
			read := failed.Kind == vfs.OpClose && failed.Path == p.File
			if !read {
				require.ErrorIs(t, err, errno, "%v", failed)
			}
			next, fallback := committed(t, mem, p)
			require.Nil(t, fallback)
			stored := read || failed.Kind == vfs.OpSyncDir || failed.Kind == vfs.OpClose && failed.Path == p.Lock
			require.Equal(t, stored, next == 4, "%v", failed)
			require.Zero(t, temps(t, mem, p), "%v", failed)
			mustCommit(t, mem, p, 9)
		}
	}
}

// TestFirstUpdateFails is the same where there was no file.
func TestFirstUpdateFails(t *testing.T) {
	for n := 1; ; n++ {
		mem := vfs.NewMem()
		p := lone(t, mem)
		failed := false
		fault := vfs.NewFault(mem, func(op vfs.Op) error {
			if op.N != n || op.Kind == vfs.OpSyncDir || op.Kind == vfs.OpClose && op.Path == p.Lock {
				return nil
			}
			failed = true
			return syscall.ENOSPC
		})
		_, err := commit(fault, p, 4)
		if len(fault.Ops()) < n {
			break
		}
		require.Equal(t, failed, err != nil)
		next, fallback := committed(t, mem, p)
		require.Nil(t, fallback)
		if failed && fault.Ops()[n-1].Kind != vfs.OpRename {
			require.Zero(t, next)
		}
		require.Zero(t, temps(t, mem, p))
		_, err = commit(mem, p, 9)
		require.NoError(t, err)
	}
}

// TestNotPermitted: what may not be read is not damaged, and stays.
func TestNotPermitted(t *testing.T) {
	mem := vfs.NewMem()
	p := lone(t, mem)
	mustCommit(t, mem, p, 2)
	mustCommit(t, mem, p, 3)
	fsys := vfs.NewFault(mem, func(op vfs.Op) error {
		if op.Kind == vfs.OpOpen && op.Path == p.File {
			return syscall.EACCES
		}
		return nil
	})
	_, _, err := Read(fsys, p)
	require.ErrorIs(t, err, syscall.EACCES)
	require.ErrorContains(t, err, p.File)
	_, err = commit(fsys, p, 4)
	require.ErrorIs(t, err, syscall.EACCES)
	_, _, err = Holds(fsys, p, 0)
	require.ErrorIs(t, err, syscall.EACCES)
	next, fallback := committed(t, mem, p)
	require.EqualValues(t, 3, next)
	require.Nil(t, fallback)
}

// TestNewerFormat: a later version's file is neither damaged nor overwritten.
func TestNewerFormat(t *testing.T) {
	mem := vfs.NewMem()
	p := lone(t, mem)
	mustCommit(t, mem, p, 2)
	newer := []byte(`{"format":2,"groups":[]}`)
	require.NoError(t, vfs.ReplaceFile(mem, p.File, newer, 0o600))
	_, err := commit(mem, p, 4)
	require.ErrorIs(t, err, ErrNewerFormat)
	require.ErrorContains(t, err, p.File)
	data, err := vfs.ReadFile(mem, p.File, 100)
	require.NoError(t, err)
	require.Equal(t, newer, data)
}

// noLinks is a file system without hard links.
type noLinks struct{ vfs.FS }

func (noLinks) Link(string, string) error { return syscall.EPERM }

func TestWithoutHardLinks(t *testing.T) {
	mem := vfs.NewMem()
	p := lone(t, mem)
	for n := uint64(1); n < 4; n++ {
		mustCommit(t, noLinks{mem}, p, n)
	}
	cut(t, mem, p.File, 0)
	next, fallback := committed(t, mem, p)
	require.EqualValues(t, 2, next)
	require.NotNil(t, fallback)
	require.Zero(t, temps(t, mem, p))
}

// TestBadNamesAreFree: files that were set aside before stay.
func TestBadNamesAreFree(t *testing.T) {
	mem := vfs.NewMem()
	p := lone(t, mem)
	mustCommit(t, mem, p, 1)
	for n, want := range []string{".bad", ".bad-1", ".bad-2"} {
		mustCommit(t, mem, p, uint64(2*n+2))
		cut(t, mem, p.File, int64(n+1))
		fallback, err := commit(mem, p, uint64(2*n+3))
		require.NoError(t, err)
		require.Equal(t, p.File+want, fallback.Bad)
	}
}

// TestTooLarge: a file beyond all bounds is not read into memory.
func TestTooLarge(t *testing.T) {
	mem := vfs.NewMem()
	p := lone(t, mem)
	mustCommit(t, mem, p, 2)
	cut(t, mem, p.File, maxFileBytes+1)
	_, fallback, err := Read(mem, p)
	require.NoError(t, err)
	require.ErrorIs(t, fallback.Err, vfs.ErrTooLarge)
}

// TestCommitAgainIsDurable: a commit whose last step failed, or whose process
// was killed before it, is made again. That it finds its version there already
// does not say that this is on the disk.
func TestCommitAgainIsDurable(t *testing.T) {
	for n := 1; ; n++ {
		mem := vfs.NewMem()
		p := lone(t, mem)
		mustCommit(t, mem, p, 2)
		_, err := commit(vfs.NewFault(mem, vfs.CrashAt(n)), p, 3)
		mem = mem.Kill()
		mustCommit(t, mem, p, 3)
		next, _ := committed(t, mem.Crash(vfs.CrashConfig{}), p)
		require.EqualValues(t, 3, next, "killed before operation %d: %v", n, err)
		if err == nil {
			return
		}
	}
}
