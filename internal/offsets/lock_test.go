package offsets

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/vfs"
)

// TestUpdatesTakeTurns: no commit of several at once is lost.
func TestUpdatesTakeTurns(t *testing.T) {
	mem := vfs.NewMem()
	p := lone(t, mem)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 10 {
				_, err := Update(mem, p, 0, func(f *File) error {
					e, _ := f.Lookup("g", "0")
					e.Next++
					f.Set("g", "0", e)
					return nil
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	next, fallback := committed(t, mem, p)
	require.EqualValues(t, 80, next)
	require.Nil(t, fallback)
}

// TestLockIsBounded: who holds the lock for ever is named.
func TestLockIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := vfs.NewMem()
		p := lone(t, mem)
		mustCommit(t, mem, p, 1)
		held, err := mem.Lock(p.Lock)
		require.NoError(t, err)
		begin := time.Now()
		_, err = commit(mem, p, 2)
		require.ErrorIs(t, err, vfs.ErrLocked)
		require.ErrorContains(t, err, p.Lock)
		require.Less(t, time.Since(begin), lockWait+time.Second)
		time.AfterFunc(lockWait/2, func() { _ = held.Close() })
		mustCommit(t, mem, p, 2)
	})
}

// stealer is a file system on which somebody removes the lock file just when
// it is being locked, and somebody else makes it again.
type stealer struct {
	vfs.FS
	times int
}

func (s *stealer) Lock(name string) (vfs.Lock, error) {
	l, err := s.FS.Lock(name)
	if err == nil && s.times > 0 {
		s.times--
		if err = s.Remove(name); err == nil && s.times == 0 {
			err = vfs.ReplaceFile(s.FS, name, nil, 0o600)
		}
	}
	return l, err
}

// TestLockFileRemoved: a lock on a file that lost its name is none.
func TestLockFileRemoved(t *testing.T) {
	mem := vfs.NewMem()
	p := lone(t, mem)
	mustCommit(t, mem, p, 1)
	s := &stealer{FS: mem, times: 2}
	_, err := Update(s, p, 0, func(f *File) error {
		_, err := mem.Lock(p.Lock)
		require.ErrorIs(t, err, vfs.ErrLocked)
		return nil
	})
	require.NoError(t, err)
	require.Zero(t, s.times)
}
