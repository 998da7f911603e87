package power

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"example.com/jlq/partition"
)

// readLog is a log on a disk, of records that do not fit into one read of the
// kernel, with a marked one in the middle.
func readLog(t *testing.T, d *disk, name string) (path string, all []string) {
	path = filepath.Join(d.dir, name)
	p := open(t, path, nil)
	wide := strings.Repeat("x", 5000)
	var batch [][]byte
	for i := range 600 {
		rec := fmt.Sprintf(`{"n":%d,"pad":%q}`, i, wide)
		if i == 300 {
			rec = marked
		}
		all, batch = append(all, rec), append(batch, []byte(rec))
	}
	_, err := p.AppendBatch(batch)
	require.NoError(t, err)
	require.NoError(t, p.Close())
	return path, all
}

// requireEIO: an error of the disk is told as what it is. It is not damage of
// the log.
func requireEIO(t testing.TB, err error) {
	t.Helper()
	require.ErrorIs(t, err, syscall.EIO)
	require.NotErrorAs(t, err, new(*partition.CorruptError))
	require.NotErrorIs(t, err, partition.ErrIndexMismatch)
}

// TestReadFails: the disk cannot read one record. Reading it is an I/O error,
// on every way there is, the rest can be read, and when the disk is well again
// everything is as it was.
func TestReadFails(t *testing.T) {
	eachDisk(t, func(t *testing.T, d *disk) {
		for _, name := range logNames {
			t.Run(name, func(t *testing.T) {
				path, all := readLog(t, d, name)
				d.restart(t)
				d.fail(t, "read", -1, mark)
				p, err := partition.OpenReader(path, nil)
				if filepath.Ext(name) != "" {
					// Samples of a bare file are read before its index is
					// believed, and one of them lies there.
					requireEIO(t, err)
					d.heal(t)
					p, err = partition.OpenReader(path, nil)
					forget(t, path)
					d.fail(t, "read", -1, mark)
				}
				require.NoError(t, err)
				defer p.Close()
				for offset, want := range all {
					requireRead(t, p, offset, want)
				}
				requireEIO(t, firstError(p.Records(0)))
				requireEIO(t, firstError(p.Backward(600)))
				requireVerifyFails(t, p)
				require.Positive(t, d.heal(t))
				requireSame(t, all, records(t, p))
				requireSound(t, path, "")
			})
		}
	})
}

// near is how many records around the marked one the kernel may fail to read
// with it: it reads ahead, and keeps what it read in pieces larger than a page.
const near = 60

// requireRead gets a record. Only those at the bad place may fail. Of a bare
// file samples are read before its index is believed, and they may lie there.
func requireRead(t testing.TB, p *partition.Partition, offset int, want string) {
	t.Helper()
	data, err := p.Get(uint64(offset))
	if offset == 300 || err != nil && (p.Log().Info().Bare || offset > 300-near && offset < 300+near) {
		requireEIO(t, err)
		return
	}
	require.NoError(t, err, "record %d", offset)
	require.True(t, string(data) == want)
}

// forget drops a file from the cache.
func forget(t testing.TB, name string) {
	t.Helper()
	f, err := os.Open(name)
	require.NoError(t, err)
	defer f.Close()
	require.NoError(t, unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED))
}

func firstError(seq func(func(partition.Record, error) bool)) (first error) {
	for _, err := range seq {
		first = errors.Join(first, err)
	}
	return first
}

func requireVerifyFails(t *testing.T, p *partition.Partition) {
	t.Helper()
	var last error
	for problem, err := range p.Verify(t.Context()) {
		require.True(t, err != nil || problem.Note, "%+v", problem)
		last = err
	}
	requireEIO(t, last)
}

// TestReadFailsMapped: the same for a record that is read through a mapping of
// the file, where the kernel sends a signal instead of an error.
func TestReadFailsMapped(t *testing.T) {
	eachDisk(t, func(t *testing.T, d *disk) {
		path, all := readLog(t, d, "p")
		d.restart(t)
		d.fail(t, "read", -1, mark)
		p, err := partition.OpenReader(path, nil)
		require.NoError(t, err)
		defer p.Close()
		for range 3 {
			for offset, want := range all {
				requireRead(t, p, offset, want)
			}
		}
		require.Positive(t, p.Log().Stats().Mapping.Reads)
		d.heal(t)
		data, err := p.Get(300)
		require.NoError(t, err)
		require.True(t, string(data) == marked)
	})
}

// TestReadCommandFails: what a user sees of a record that cannot be read.
func TestReadCommandFails(t *testing.T) {
	eachDisk(t, func(t *testing.T, d *disk) {
		path, all := readLog(t, d, "p")
		d.restart(t)
		d.fail(t, "read", -1, mark)
		for _, args := range [][]string{
			{"get", path, "300"}, {"cat", path}, {"cat", "-r", path}, {"cat", "--on-bad", "skip", path}, {"verify", path},
		} {
			_, told, code := runJlq(t, "", args...)
			require.Equal(t, 2, code, "%v: %s", args, told)
			require.Contains(t, told, "input/output error", "%v", args)
			require.NotContains(t, told, "corrupt", "%v", args)
		}
		out, told, code := runJlq(t, "", "get", path, "0", "599")
		require.Zero(t, code, told)
		require.True(t, out == all[0]+"\n"+all[599]+"\n")
		d.heal(t)
		out, told, code = runJlq(t, "", "cat", path)
		require.Zero(t, code, told)
		require.True(t, out == strings.Join(all, "\n")+"\n")
	})
}

// TestRecoveryCannotRead: a recovery that cannot read what it must look at says
// so and changes nothing, whichever file it is of.
func TestRecoveryCannotRead(t *testing.T) {
	eachDisk(t, func(t *testing.T, d *disk) {
		for name, text := range map[string]string{
			"records":        mark,
			"index":          "\x08\x00\x00\x00\x00\x00\x00\x2e\xeb", // entries 1 and 2
			"partition.json": `{"format":1`,
		} {
			t.Run(name, func(t *testing.T) {
				path, all := unsynced(t, d, strings.TrimSuffix(name, ".json"))
				before := files(t, path)
				d.restart(t)
				d.fail(t, "read", -1, text)
				_, err := partition.Open(path, nil)
				requireEIO(t, err)
				_, told, code := runJlq(t, "1\n", "append", path)
				require.Equal(t, 2, code, told)
				require.Contains(t, told, "input/output error")
				require.NotContains(t, told, "corrupt")
				require.Positive(t, d.heal(t))
				require.Equal(t, before, files(t, path))
				p := open(t, path, nil)
				requireSame(t, all, records(t, p))
				require.NoError(t, p.Close())
			})
		}
	})
}

// unsynced makes a log that has to be looked at when it is opened: its writer
// was killed.
func unsynced(t *testing.T, d *disk, name string) (path string, all []string) {
	t.Helper()
	path, all = filepath.Join(d.dir, name), []string{plain(0), marked}
	storeAndKill(t, path, partition.SyncAlways, all)
	return path, all
}

// storeAndKill lets a process append records and kills it.
func storeAndKill(t *testing.T, path string, mode partition.SyncMode, all []string) {
	t.Helper()
	w := startChild(t, newHistory(), child{Job: "store", Path: path, Sync: mode, Records: all})
	w.await("closing")
	require.Equal(t, -1, w.end(t), "%s", &w.stderr)
}

// storePublishAndKill is storeAndKill that kills once the index describes all.
func storePublishAndKill(t *testing.T, path string, mode partition.SyncMode, all []string) {
	t.Helper()
	w := startChild(t, newHistory(), child{Job: "store", Path: path, Sync: mode, Records: all})
	w.await("closing")
	require.Eventually(t, func() bool {
		info, err := os.Stat(indexOf(path))
		return err == nil && info.Size() == int64(len(all)+1)*8
	}, time.Minute, time.Millisecond)
	require.Equal(t, -1, w.end(t), "%s", &w.stderr)
}

// files are the names and bytes of a directory.
func files(t testing.TB, dir string) map[string]string {
	t.Helper()
	names, err := os.ReadDir(dir)
	require.NoError(t, err)
	all := map[string]string{}
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(dir, name.Name()))
		require.NoError(t, err)
		all[name.Name()] = string(data)
	}
	return all
}
