package power

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"example.com/jlq/partition"
)

// mark is what the disk looks for in what is written to it and read from it.
const mark = "MARKED"

// marked is a record that spans pages, each of which holds the mark.
var marked = `"` + strings.Repeat(mark, 2000) + `"`

func plain(n int) string { return fmt.Sprintf(`{"n":%d}`, n) }

// plains appends records from number first on, and returns them.
func plains(t testing.TB, p *partition.Partition, first, n int) (all []string) {
	t.Helper()
	for i := first; i < first+n; i++ {
		offset, err := p.Append([]byte(plain(i)))
		require.NoError(t, err)
		require.Equal(t, uint64(i), offset)
		all = append(all, plain(i))
	}
	return all
}

// requireSame compares records, and shows the first that differs.
func requireSame(t testing.TB, want, got []string) {
	t.Helper()
	for i := range min(len(want), len(got)) {
		require.True(t, want[i] == got[i], "record %d is %s, not %s", i, brief(got[i]), brief(want[i]))
	}
	require.Len(t, got, len(want))
}

func open(t testing.TB, path string, opts *partition.Options) *partition.Partition {
	t.Helper()
	p, err := partition.Open(path, opts)
	require.NoError(t, err)
	return p
}

// logNames are those of a partition and of a bare file.
var logNames = []string{"p", "p.jsonl"}

// TestFsyncFails: the disk refuses one write, and all is well again. The append
// that it belongs to is not acknowledged, its outcome is called unknown, the
// writer does nothing any more, and the fsync is not tried again: it would
// succeed, and nothing would be on the disk.
func TestFsyncFails(t *testing.T) {
	eachDisk(t, func(t *testing.T, d *disk) {
		for _, name := range logNames {
			for _, cold := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s cold=%v", name, cold), func(t *testing.T) {
					path := filepath.Join(d.dir, fmt.Sprint(cold)+name)
					all := failOnce(t, d, path)
					if cold {
						d.restart(t)
					}
					requireGoesOn(t, d, path, all)
				})
			}
		}
	})
}

// failOnce lets the fsync of an append fail and returns the records before it.
func failOnce(t *testing.T, d *disk, path string) []string {
	p := open(t, path, nil)
	all := plains(t, p, 0, 10)
	failed := d.heal(t)
	d.fail(t, "write", 1, mark)
	_, err := p.Append([]byte(marked))
	batch, ok := errors.AsType[*partition.BatchError](err)
	require.True(t, ok, "%v", err)
	require.True(t, batch.Unknown)
	require.Zero(t, batch.Stored)
	requirePoisoned(t, err)
	require.Equal(t, failed+1, d.heal(t))
	_, err = p.Append([]byte("1"))
	requirePoisoned(t, err)
	requirePoisoned(t, p.Sync())
	require.Equal(t, uint64(10), p.Durable())
	requirePoisoned(t, p.Close())
	return all
}

func requirePoisoned(t testing.TB, err error) {
	t.Helper()
	require.ErrorIs(t, err, partition.ErrPoisoned)
	require.ErrorIs(t, err, syscall.EIO)
}

// requireGoesOn opens a log whose last append was the marked record, of unknown
// outcome, appends more, and looks at it with cold caches: only what is on the
// disk is there then.
func requireGoesOn(t *testing.T, d *disk, path string, all []string) {
	t.Helper()
	p := open(t, path, nil)
	stored := records(t, p)
	if len(stored) == len(all)+1 {
		// It may be there, or not. Of a bare file nothing is cut, not even
		// the NULs that it left there.
		remains := stored[len(all)]
		require.True(t, remains == marked || p.Log().Info().Bare, "it is %s", brief(remains))
		all = append(all, remains)
	}
	requireSame(t, all, stored)
	sound := all[len(all)-1][0] != 0
	all = append(all, plains(t, p, len(all), 10)...)
	require.NoError(t, p.Close())
	d.restart(t)
	if sound {
		requireSound(t, path, "")
	}
	p = open(t, path, nil)
	requireSame(t, all, records(t, p))
	require.NoError(t, p.Close())
}

// TestFsyncFailsForAll: many goroutines append when an fsync fails. Each of
// them is told; what was acknowledged to any of them is on the disk.
func TestFsyncFailsForAll(t *testing.T) {
	eachDisk(t, func(t *testing.T, d *disk) {
		path := filepath.Join(d.dir, "p")
		p := open(t, path, nil)
		h := newHistory()
		h.expect(1, partition.SyncAlways)
		d.fail(t, "write", 1, mark)
		var all sync.WaitGroup
		for g := range 8 {
			all.Go(func() {
				if err := giveUntilPoisoned(p, h, g); !errors.Is(err, partition.ErrPoisoned) {
					t.Error(err)
				}
			})
		}
		time.Sleep(20 * time.Millisecond)
		_, err := p.Append([]byte(marked))
		requirePoisoned(t, err)
		all.Wait()
		h.cut(now())
		requirePoisoned(t, p.Close())
		p = open(t, path, nil)
		require.NoError(t, p.Close())
		d.restart(t)
		p = open(t, path, nil)
		stored := records(t, p)
		require.NoError(t, p.Close())
		require.NotEmpty(t, h.acked)
		stored = slicesWithout(stored, marked)
		for offset, rec := range h.acked {
			require.Equal(t, rec, stored[offset])
		}
		require.Empty(t, h.complaints(stored))
		requireSound(t, path, "")
	})
}

func giveUntilPoisoned(p *partition.Partition, h *history, g int) error {
	for n := 0; ; n++ {
		rec := record{1, g, n}.line()
		offset, err := p.Append([]byte(rec))
		if err == nil {
			err = h.note(fmt.Sprintf("%d ack %d %s", now(), offset, rec))
		}
		if err != nil {
			return err
		}
	}
}

// slicesWithout is all without one record, behind which nothing was
// acknowledged.
func slicesWithout(all []string, rec string) (out []string) {
	for _, r := range all {
		if r != rec {
			out = append(out, r)
		}
	}
	return out
}

// TestBackgroundSyncFails: in the modes that do not wait for the disk, a failed
// sync is told by Sync, by Roll, by the next append or by Close, whichever comes
// first, and by all that follow. What was acknowledged survives the process.
func TestBackgroundSyncFails(t *testing.T) {
	eachDisk(t, func(t *testing.T, d *disk) {
		for _, mode := range []partition.SyncMode{partition.SyncInterval, partition.SyncOS, partition.SyncBuffered} {
			for _, teller := range []string{"append", "sync", "roll", "close"} {
				if teller == "append" && mode != partition.SyncInterval {
					continue // nothing syncs meanwhile
				}
				t.Run(mode.String()+" "+teller, func(t *testing.T) {
					path := filepath.Join(d.dir, mode.String()+teller)
					p := open(t, path, &partition.Options{Sync: mode, Interval: 10 * time.Millisecond})
					all := plains(t, p, 0, 10)
					require.NoError(t, p.Sync())
					d.fail(t, "write", 1, mark)
					_, err := p.Append([]byte(marked))
					require.NoError(t, err)
					requirePoisoned(t, tellFailure(p, teller))
					require.Equal(t, uint64(10), p.Durable())
					if teller != "close" {
						requirePoisoned(t, p.Close())
					}
					d.heal(t)
					p = open(t, path, nil)
					stored := records(t, p)
					requireSame(t, append(all, marked), stored[:11])
					require.NoError(t, p.Close())
					requireGoesOn(t, d, path, stored)
				})
			}
		}
	})
}

// tellFailure goes one of the ways on which a failed sync is told.
func tellFailure(p *partition.Partition, teller string) error {
	switch teller {
	case "sync":
		return p.Sync()
	case "roll":
		return p.Roll()
	case "close":
		return p.Close()
	}
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if _, err := p.Append([]byte(marked)); err != nil {
			return err
		}
	}
	return nil
}

// TestWritebackFails: the disk refuses what the kernel writes back on its own,
// and the process is killed before any sync tells it. The error is told to the
// next one that syncs the file, which is recovery; the records are in the cache
// and survive once it has gone through, whether or not the index describes them
// already.
func TestWritebackFails(t *testing.T) {
	if testing.Short() {
		t.Skip("the work of one goroutine and of processes that are killed")
	}
	eachDisk(t, func(t *testing.T, d *disk) {
		for _, name := range logNames {
			for when, store := range map[string]func(*testing.T, string, partition.SyncMode, []string){
				"killed": storeAndKill, "killed when published": storePublishAndKill,
			} {
				t.Run(name+" "+when, func(t *testing.T) {
					path := filepath.Join(d.dir, when+name)
					all := []string{plain(0), marked, plain(2)}
					store(t, path, partition.SyncOS, all)
					requireWritebackMended(t, d, path, all)
				})
			}
		}
	})
}

// requireWritebackMended lets the disk refuse the records of a log while the
// kernel writes them back, opens it, appends more, and looks at it with cold
// caches.
func requireWritebackMended(t *testing.T, d *disk, path string, all []string) {
	t.Helper()
	d.fail(t, "write", 1, mark)
	requireEIO(t, writeBack(recordsOf(path)))
	d.heal(t)
	p, err := partition.Open(path, nil)
	if err != nil {
		requireEIO(t, err)
		p = open(t, path, nil)
	}
	all = append(all, plains(t, p, 3, 10)...)
	require.NoError(t, p.Close())
	d.restart(t)
	requireSound(t, path, "")
	p = open(t, path, nil)
	requireSame(t, all, records(t, p))
	require.NoError(t, p.Close())
}

// recordsOf is the records file of a log.
func recordsOf(path string) string {
	if filepath.Ext(path) == ".jsonl" {
		return path
	}
	return filepath.Join(path, "00000000000000000000.jsonl")
}

// indexOf is the index of a log.
func indexOf(path string) string {
	if filepath.Ext(path) == ".jsonl" {
		return path + ".index"
	}
	return filepath.Join(path, "00000000000000000000.index")
}

// writeBack writes the cache of a file to the disk as the kernel does, which
// leaves the error for those who sync.
func writeBack(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return unix.SyncFileRange(int(f.Fd()), 0, 0, unix.SYNC_FILE_RANGE_WRITE|unix.SYNC_FILE_RANGE_WAIT_AFTER)
}

// TestAppendCommandFails: what a user of jlq append sees of a failed fsync.
func TestAppendCommandFails(t *testing.T) {
	eachDisk(t, func(t *testing.T, d *disk) {
		for _, mode := range []string{"always", "interval", "os"} {
			t.Run(mode, func(t *testing.T) {
				path := filepath.Join(d.dir, mode)
				_, _, code := runJlq(t, plain(0)+"\n"+plain(1)+"\n", "append", path)
				require.Zero(t, code)
				d.fail(t, "write", 1, mark)
				acks, told, code := runJlq(t, marked+"\n", "append", "--ack", "--sync", mode, path)
				d.heal(t)
				require.Equal(t, 2, code, told)
				require.Contains(t, told, "input/output error")
				require.Contains(t, told, partition.ErrPoisoned.Error())
				if mode == "always" {
					require.Empty(t, acks)
					require.Contains(t, told, "whether more is stored will be known when the log is opened again")
					require.Contains(t, told, "0 records stored")
				}
				_, told, code = runJlq(t, plain(2)+"\n", "append", path)
				require.Zero(t, code, told)
				d.restart(t)
				out, told, code := runJlq(t, "", "cat", path)
				require.Zero(t, code, told)
				require.Equal(t, plain(0)+"\n"+plain(1)+"\n"+marked+"\n"+plain(2)+"\n", out)
				_, told, code = runJlq(t, "", "verify", path)
				require.Zero(t, code, told)
			})
		}
	})
}

// runJlq runs the program to its end.
func runJlq(t testing.TB, stdin string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), jlq(t), args...)
	var out, told bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &told
	err := cmd.Run()
	if _, exited := errors.AsType[*exec.ExitError](err); !exited {
		require.NoError(t, err)
	}
	return out.String(), told.String(), cmd.ProcessState.ExitCode()
}

// TestDiskFails: from some moment on the disk takes nothing any more, and what
// it promises it does not keep. Whatever was acknowledged before is there when
// it is well again.
func TestDiskFails(t *testing.T) {
	eachDisk(t, func(t *testing.T, d *disk) {
		for _, op := range []string{"write", "sync"} {
			t.Run(op, func(t *testing.T) {
				path := filepath.Join(d.dir, op)
				p := open(t, path, nil)
				all := plains(t, p, 0, 10)
				d.fail(t, op, -1, "")
				_, err := p.Append([]byte(marked))
				require.ErrorIs(t, err, partition.ErrPoisoned)
				require.ErrorIs(t, p.Close(), partition.ErrPoisoned)
				_, err = partition.Open(path, nil)
				require.Error(t, err)
				require.NotErrorAs(t, err, new(*partition.CorruptError))
				require.Positive(t, d.heal(t))
				d.restart(t)
				requireGoesOn(t, d, path, all)
			})
		}
	})
}

// TestIndexFsyncFails: the index is derived data, but a recovery that believes
// what the cache holds of it must see to it that the disk holds it too.
func TestIndexFsyncFails(t *testing.T) {
	eachDisk(t, func(t *testing.T, d *disk) {
		for _, name := range logNames {
			t.Run(name, func(t *testing.T) {
				path := filepath.Join(d.dir, name)
				p := open(t, path, nil)
				all := many(t, p, 3000)
				index, err := os.ReadFile(p.Log().Info().Segments[0].Index)
				require.NoError(t, err)
				d.fail(t, "write", 1, string(index[2*4096:2*4096+16]))
				requirePoisoned(t, p.Close())
				d.heal(t)
				p = open(t, path, nil)
				all = append(all, plains(t, p, len(all), 10)...)
				require.NoError(t, p.Close())
				d.restart(t)
				requireSound(t, path, "")
				p = open(t, path, nil)
				require.Zero(t, p.Recovery())
				requireSame(t, all, records(t, p))
				require.NoError(t, p.Close())
			})
		}
	})
}

// many appends n records in one batch.
func many(t testing.TB, p *partition.Partition, n int) (all []string) {
	t.Helper()
	var batch [][]byte
	for i := range n {
		all = append(all, plain(i))
		batch = append(batch, []byte(plain(i)))
	}
	_, err := p.AppendBatch(batch)
	require.NoError(t, err)
	return all
}

// TestFsyncControl: a log that tries a failed fsync again, and believes it, is
// caught.
func TestFsyncControl(t *testing.T) {
	eachDisk(t, func(t *testing.T, d *disk) {
		path := filepath.Join(d.dir, "naive")
		f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
		require.NoError(t, err)
		acked := ""
		for _, rec := range []string{plain(0), marked, plain(1)} {
			d.fail(t, "write", 1, mark)
			_, err := io.WriteString(f, rec+"\n")
			require.NoError(t, err)
			if err := f.Sync(); err != nil {
				require.ErrorIs(t, err, syscall.EIO)
				require.NoError(t, f.Sync(), "the second fsync succeeds, which is the trap")
			}
			acked += rec + "\n"
			d.heal(t)
		}
		cached, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, acked, string(cached), "the cache still has it")
		require.NoError(t, f.Close())
		d.restart(t)
		onDisk, err := os.ReadFile(path)
		require.NoError(t, err)
		require.False(t, acked == string(onDisk), "a log that believes the second fsync is not caught")
	})
}
