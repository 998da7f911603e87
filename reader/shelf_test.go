package reader

import (
	"fmt"
	"io"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/segment"
	"example.com/jlq/internal/vfs"
)

// fewOpen lets all logs have so few segments open, for one test.
func fewOpen(t *testing.T, segments int64) {
	was := opened.limit
	opened.limit = opened.count.Load() + segments
	t.Cleanup(func() { opened.limit = was })
}

// manyLogs are logs of n records each, on a file system that counts.
func manyLogs(t *testing.T, count, n int, inject func(vfs.Op) error) ([]*Log, *vfs.Fault) {
	mem := vfs.NewMem()
	fsys := vfs.NewFault(mem, inject)
	logs := make([]*Log, count)
	for i := range logs {
		dir := fmt.Sprintf("/log%d", i)
		require.NoError(t, mem.Mkdir(dir, 0o700))
		d := disk{mem, dir}
		d.pair(t, 0, text(numbered(0, n)...))
		d.write(t, segment.MetaName, meta(0, 0))
		log, err := Open(dir, &Options{FS: fsys})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, log.Close()) })
		logs[i] = log
	}
	return logs, fsys
}

// mostHandles is how many handles were open at once.
func mostHandles(ops []vfs.Op) (most int) {
	open := 0
	for _, op := range ops {
		switch op.Kind {
		case vfs.OpOpen:
			open++
		case vfs.OpClose:
			open--
		}
		most = max(most, open)
	}
	return most
}

// TestFewFilesOfManyLogs reads many logs in turn, forwards and backwards: all
// records come, and few files are open at any time.
func TestFewFilesOfManyLogs(t *testing.T) {
	const logs, n, segments = 200, 3, 8
	for _, back := range []bool{false, true} {
		t.Run(fmt.Sprint("back ", back), func(t *testing.T) {
			fewOpen(t, segments)
			all, fsys := manyLogs(t, logs, n, nil)
			pulls := make([]*Pull, logs)
			for i, log := range all {
				if pulls[i] = log.Pull(0, n); back {
					pulls[i] = log.PullBackward(n)
				}
				defer pulls[i].Close()
			}
			for k := range n {
				for i, p := range pulls {
					rec, err := p.Next()
					require.NoError(t, err)
					want := k
					if back {
						want = n - 1 - k
					}
					require.Equal(t, numbered(want, 1)[0], string(rec.Data), "log %d", i)
				}
			}
			for _, p := range pulls {
				_, err := p.Next()
				require.ErrorIs(t, err, io.EOF)
			}
			require.Less(t, mostHandles(fsys.Ops()), 2*4*segments)
		})
	}
}

// TestReaderWaitsWithoutFiles: who waits at the end of many logs holds no files
// where there are too many, and sees what is appended.
func TestReaderWaitsWithoutFiles(t *testing.T) {
	fewOpen(t, 2)
	all, _ := manyLogs(t, 50, 1, nil)
	readers := make([]*Reader, len(all))
	for i, log := range all {
		readers[i] = log.Reader(0)
		_, err := readers[i].Next()
		require.NoError(t, err)
		_, err = readers[i].Next()
		require.ErrorIs(t, err, io.EOF)
	}
	require.LessOrEqual(t, opened.count.Load(), opened.limit+2)
	for i, r := range readers {
		_, err := r.Next()
		require.ErrorIs(t, err, io.EOF, "log %d", i)
	}
}

// TestReadStaysOnTheShelf: what somebody reads stays in its place.
func TestReadStaysOnTheShelf(t *testing.T) {
	logs, _ := manyLogs(t, 1, 3, nil)
	r := logs[0].Reader(0)
	_, err := r.Next()
	require.NoError(t, err)
	src := r.lease.src
	require.NotNil(t, src)
	opened.empty()
	require.Same(t, src, src.slot.src.Load())
	r.leaveSource()
	opened.empty()
	require.Nil(t, src.slot.src.Load())
}

// TestTooManyOpenFiles: where the system has no more handles, those that nobody
// reads are closed, and the read goes on.
func TestTooManyOpenFiles(t *testing.T) {
	handles, most := 0, 1<<30
	logs, _ := manyLogs(t, 20, 1, func(op vfs.Op) error {
		switch op.Kind {
		case vfs.OpOpen:
			if handles+1 > most {
				return syscall.EMFILE
			}
			handles++
		case vfs.OpClose:
			handles--
		}
		return nil
	})
	require.Equal(t, 40, handles)
	opened.empty()
	require.Zero(t, handles)
	most = 10
	for _, log := range logs {
		data, err := log.Get(0)
		require.NoError(t, err)
		require.Equal(t, numbered(0, 1)[0], string(data))
	}
}

// TestLimitFitsSystem: the part of the handles that logs take.
func TestLimitFitsSystem(t *testing.T) {
	require.Equal(t, usualOpen, fitting(0))
	require.Equal(t, leastOpen, fitting(20))
	require.Equal(t, 8, fitting(64), "a quarter of the handles, also where there are few")
	require.Equal(t, 128, fitting(1024))
	require.Equal(t, mostOpen, fitting(1<<30))
}
