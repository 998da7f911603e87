package offsets

import (
	"errors"
	"io/fs"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/vfs"
)

// lone makes a partition directory of its own.
func lone(t *testing.T, fsys vfs.FS) Place {
	t.Helper()
	require.NoError(t, fsys.Mkdir("/log", 0o750))
	require.NoError(t, fsys.SyncDir("/"))
	p, err := Locate(fsys, "/log")
	require.NoError(t, err)
	return p
}

// commit stores a next offset as a member does.
func commit(fsys vfs.FS, p Place, next uint64) (*Fallback, error) {
	return Update(fsys, p, 0, func(f *File) error {
		e, _ := f.Lookup("g", "0")
		if err := e.Commit(0, next, ""); err != nil {
			return err
		}
		f.Set("g", "0", e)
		return nil
	})
}

func mustCommit(t *testing.T, fsys vfs.FS, p Place, next uint64) {
	t.Helper()
	fallback, err := commit(fsys, p, next)
	require.NoError(t, err)
	require.Nil(t, fallback)
}

func committed(t *testing.T, fsys vfs.FS, p Place) (uint64, *Fallback) {
	t.Helper()
	f, fallback, err := Read(fsys, p)
	require.NoError(t, err)
	e, _ := f.Lookup("g", "0")
	return e.Next, fallback
}

func TestUpdateKeepsTheVersionBefore(t *testing.T) {
	fsys := vfs.NewMem()
	p := lone(t, fsys)
	for n := uint64(1); n < 5; n++ {
		mustCommit(t, fsys, p, n)
		next, fallback := committed(t, fsys, p)
		require.Equal(t, n, next)
		require.Nil(t, fallback)
		data, err := vfs.ReadFile(fsys, p.Prev(), 1<<20)
		require.NoError(t, err)
		f, err := decode(data)
		require.NoError(t, err)
		require.Equal(t, max(n-1, 1), f.Groups["g"]["0"].Next)
		names, err := fsys.List("/log")
		require.NoError(t, err)
		require.Equal(t, []string{"offsets.json", "offsets.json.lock", "offsets.json.prev"}, names)
	}
}

func TestUpdateErrorChangesNothing(t *testing.T) {
	fsys := vfs.NewMem()
	p := lone(t, fsys)
	mustCommit(t, fsys, p, 7)
	no := errors.New("no")
	_, err := Update(fsys, p, 0, func(f *File) error {
		f.Set("g", "0", Entry{Next: 9})
		return no
	})
	require.ErrorIs(t, err, no)
	_, err = commit(fsys, p, 6)
	require.ErrorIs(t, err, ErrBackwards)
	next, _ := committed(t, fsys, p)
	require.Equal(t, uint64(7), next)
}

func TestUpdatePermissions(t *testing.T) {
	fsys := vfs.NewMem()
	p := lone(t, fsys)
	mustCommit(t, fsys, p, 1)
	info, err := fsys.Stat(p.File)
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o640), info.Mode.Perm(), "those of the directory")
}

// damages are what a file can look like that is no good.
var damages = map[string]func(t *testing.T, fsys vfs.FS, path string){
	"missing": func(t *testing.T, fsys vfs.FS, path string) { require.NoError(t, fsys.Remove(path)) },
	"empty":   func(t *testing.T, fsys vfs.FS, path string) { cut(t, fsys, path, 0) },
	"cut":     func(t *testing.T, fsys vfs.FS, path string) { cut(t, fsys, path, 30) },
	"NUL": func(t *testing.T, fsys vfs.FS, path string) {
		info, err := fsys.Stat(path)
		require.NoError(t, err)
		cut(t, fsys, path, 0)
		cut(t, fsys, path, info.Size)
	},
}

func cut(t *testing.T, fsys vfs.FS, path string, size int64) {
	t.Helper()
	f, err := fsys.Open(path, os.O_RDWR, 0)
	require.NoError(t, err)
	require.NoError(t, f.Truncate(size))
	require.NoError(t, f.Close())
}

func TestFallback(t *testing.T) {
	for name, damage := range damages {
		t.Run(name, func(t *testing.T) {
			fsys := vfs.NewMem()
			p := lone(t, fsys)
			mustCommit(t, fsys, p, 5)
			mustCommit(t, fsys, p, 8)
			damage(t, fsys, p.File)

			next, fallback := committed(t, fsys, p)
			require.Equal(t, uint64(5), next)
			require.NotNil(t, fallback)
			require.Contains(t, fallback.String(), p.Prev())

			fallback, err := commit(fsys, p, 6)
			require.NoError(t, err)
			require.NotNil(t, fallback)
			if name != "missing" {
				require.Equal(t, p.File+".bad", fallback.Bad)
				_, err = fsys.Stat(fallback.Bad)
				require.NoError(t, err)
			}
			next, fallback = committed(t, fsys, p)
			require.Equal(t, uint64(6), next)
			require.Nil(t, fallback)
		})
	}
}

func TestBothVersionsBad(t *testing.T) {
	for file, damageFile := range damages {
		for prev, damagePrev := range damages {
			t.Run(file+"/"+prev, func(t *testing.T) {
				fsys := vfs.NewMem()
				p := lone(t, fsys)
				mustCommit(t, fsys, p, 5)
				mustCommit(t, fsys, p, 8)
				require.NoError(t, fsys.Mkdir(p.Groups, 0o700))
				damageFile(t, fsys, p.File)
				damagePrev(t, fsys, p.Prev())
				before, err := fsys.List(p.Dir)
				require.NoError(t, err)

				_, _, err = Read(fsys, p)
				require.ErrorIs(t, err, ErrDamaged)
				require.ErrorContains(t, err, p.File)
				_, err = commit(fsys, p, 9)
				require.ErrorIs(t, err, ErrDamaged)
				_, _, err = Holds(fsys, p, 0)
				require.ErrorIs(t, err, ErrDamaged)
				after, err := fsys.List(p.Dir)
				require.NoError(t, err)
				require.Equal(t, before, after)
			})
		}
	}
}

func TestNeverThereIsEmpty(t *testing.T) {
	fsys := vfs.NewMem()
	p := lone(t, fsys)
	f, fallback, err := Read(fsys, p)
	require.NoError(t, err)
	require.Nil(t, fallback)
	require.Empty(t, f.Groups)
	holds, release, err := Holds(fsys, p, 0)
	require.NoError(t, err)
	require.Empty(t, holds)
	require.NoError(t, release())
	names, err := fsys.List(p.Dir)
	require.NoError(t, err)
	require.Empty(t, names, "looking makes nothing")
}

func TestHoldsKeepTheLock(t *testing.T) {
	fsys := vfs.NewMem()
	p := lone(t, fsys)
	mustCommit(t, fsys, p, 5)
	_, err := Update(fsys, p, 0, func(f *File) error { f.Register("fresh"); return nil })
	require.NoError(t, err)
	holds, release, err := Holds(fsys, p, 0)
	require.NoError(t, err)
	require.Equal(t, []Hold{{"fresh", 0}, {"g", 5}}, holds)
	_, err = fsys.Lock(p.Lock)
	require.ErrorIs(t, err, vfs.ErrLocked)
	require.NoError(t, release())
	mustCommit(t, fsys, p, 6)
}
