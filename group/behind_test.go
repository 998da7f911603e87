package group

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/offsets"
	"example.com/jlq/internal/vfs"
	"example.com/jlq/partition"
	"example.com/jlq/topic"
)

// lines are n records that tell which log they are of.
func lines(log string, n int) []byte {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "{\"log\":%q,\"n\":%d}\n", log, i)
	}
	return []byte(b.String())
}

// cut makes a file shorter where it is, and what is then there, other bytes.
func cut(t *testing.T, fsys vfs.FS, path string, content []byte) {
	t.Helper()
	f, err := fsys.Open(path, os.O_RDWR, 0)
	require.NoError(t, err)
	require.NoError(t, f.Truncate(0))
	_, err = f.WriteAt(content, 0)
	require.NoError(t, errors.Join(err, f.Close()))
}

// A bare file is rewritten while records of it are in hands: neither in its
// place nor by a rename does what was finished of the old one count in the new
// one, also when that grows beyond it.
func TestRewrittenWhileConsuming(t *testing.T) {
	for name, rewrite := range map[string]func(*testing.T, vfs.FS, []byte){
		"renamed": func(t *testing.T, fsys vfs.FS, b []byte) {
			require.NoError(t, vfs.ReplaceFile(fsys, "f.jsonl", b, 0o600))
		},
		"in place": func(t *testing.T, fsys vfs.FS, b []byte) { cut(t, fsys, "f.jsonl", b) },
	} {
		for _, n := range []int{0, 3, 7} {
			t.Run(fmt.Sprintf("%s, %d records", name, n), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					mem := vfs.NewMem()
					require.NoError(t, vfs.ReplaceFile(mem, "f.jsonl", lines("old", 10), 0o600))
					g := open(t, mem, "f.jsonl", Options{CommitEvery: -1})
					m := join(t, g)
					for _, msg := range take(t, m, 5) {
						msg.Ack()
					}
					require.NoError(t, m.CommitSync())
					require.Equal(t, uint64(5), place(t, g))
					for _, msg := range take(t, m, 2) {
						msg.Ack()
					}
					rewrite(t, mem, lines("new", n))
					require.Error(t, m.CommitSync(), "it is told")
					require.Equal(t, uint64(5), place(t, g), "nothing was consumed of the new one")
					require.NoError(t, m.Close())

					require.NoError(t, vfs.ReplaceFile(mem, "f.jsonl", lines("new", 20), 0o600))
					m = join(t, g)
					require.ErrorIs(t, m.nextReport(), ErrLogTruncated)
					require.Empty(t, m.Partitions())
					require.NoError(t, m.Close())
				})
			})
		}
	}
}

// The same where nothing of the old one was committed yet, so that there is
// nothing to compare.
func TestReplacedBeforeTheFirstCommit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := vfs.NewMem()
		require.NoError(t, vfs.ReplaceFile(mem, "f.jsonl", lines("old", 10), 0o600))
		g := open(t, mem, "f.jsonl", Options{CommitEvery: -1})
		m := join(t, g)
		for _, msg := range take(t, m, 5) {
			msg.Ack()
		}
		require.NoError(t, vfs.ReplaceFile(mem, "f.jsonl", lines("new", 20), 0o600))
		require.ErrorIs(t, m.CommitSync(), errReplaced)
		require.Empty(t, m.Partitions())
		require.Equal(t, offsets.Entry{Gen: 1}, entry(t, g))
		time.Sleep(rebalanceWithin)
		require.Equal(t, string(lines("new", 1)), string(take(t, m, 1)[0].Data)+"\n", "it begins with the new one")
		require.NoError(t, m.Close())
	})
}

// A log cannot be read when its place is to be saved: the others are saved.
func TestCommitOfOneFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := vfs.NewMem()
		newTopic(t, mem, 3, 5)
		broken := false
		eio := errors.New("input/output error")
		fault := vfs.NewFault(mem, func(op vfs.Op) error {
			if broken && strings.HasPrefix(op.Path, "orders/1/") && op.Kind != vfs.OpClose {
				return &fs.PathError{Op: op.Kind.String(), Path: op.Path, Err: eio}
			}
			return nil
		})
		g := open(t, fault, "orders", Options{CommitEvery: -1})
		m := join(t, g)
		for _, msg := range take(t, m, 15) {
			msg.Ack()
		}
		broken = true
		err := m.CommitSync()
		require.ErrorIs(t, err, eio)
		require.ErrorContains(t, err, "partition 1")
		require.Equal(t, map[int]uint64{0: 5, 1: 0, 2: 5}, committed(t, g))
		broken = false
		require.NoError(t, m.CommitSync())
		require.Equal(t, map[int]uint64{0: 5, 1: 5, 2: 5}, committed(t, g))
		require.NoError(t, m.Close())
	})
}

// committed are the group's places by partition.
func committed(t *testing.T, g *Group) map[int]uint64 {
	t.Helper()
	out := map[int]uint64{}
	f, err := g.read()
	require.NoError(t, err)
	for _, n := range g.entryNumbers(f) {
		e, _ := f.Lookup(g.name, g.src.key(n))
		out[n] = e.Next
	}
	return out
}

// Another log comes under the name of the one that is consumed: its groups know
// nothing of this member, and nothing of it is consumed as if it were the old one.
func TestAnotherLogUnderTheName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := vfs.NewMem()
		fill(t, mem, "log", 10)
		g := open(t, mem, "log", Options{})
		m := join(t, g)
		for _, msg := range take(t, m, 5) {
			msg.Ack()
		}
		require.NoError(t, m.CommitSync())
		require.NoError(t, mem.Rename("log", "old"))
		fill(t, mem, "log", 20)
		time.Sleep(rebalanceWithin)
		synctest.Wait()
		require.Empty(t, m.Partitions())
		require.ErrorIs(t, m.nextReport(), ErrNotRegistered)
		require.NoError(t, m.nextReport(), "once")
		require.NoError(t, m.Close())
		require.Equal(t, uint64(5), place(t, open(t, mem, "old", Options{})))
		names, err := List("log", &Options{FS: mem})
		require.NoError(t, err)
		require.Empty(t, names)
	})
}

// Records are dropped by force under a member that has some of them in hands:
// it is told how many it did not get, goes on behind them, and commits.
func TestTrimmedUnderAMember(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := vfs.NewMem()
		p, err := partition.Open("log", &partition.Options{FS: mem, SegmentRecords: 2, Sync: partition.SyncOS})
		require.NoError(t, err)
		for n := range 10 {
			_, err := p.Append(fmt.Appendf(nil, `{"n":%d}`, n))
			require.NoError(t, err)
		}
		require.NoError(t, p.Sync())
		g := open(t, mem, "log", Options{MaxInFlight: 3})
		m := join(t, g)
		hands := take(t, m, 3)
		_, err = p.ApplyTrim(partition.TrimPolicy{Before: 8, Force: true})
		require.NoError(t, err)
		for _, msg := range hands {
			msg.Ack()
		}
		var got []uint64
		var lost *LostError
		for msg, err := range m.MessagesToEnd(t.Context()) {
			if err != nil {
				require.ErrorAs(t, err, &lost)
				continue
			}
			got = append(got, msg.Offset)
			msg.Ack()
		}
		require.NotNil(t, lost, "%v", got)
		require.Equal(t, uint64(8), lost.To)
		require.Less(t, lost.From, uint64(5), "a segment that was being read is read to its end")
		for i := range got[:len(got)-2] {
			require.Equal(t, uint64(3+i), got[i])
		}
		require.Len(t, got, int(lost.From-3)+2)
		require.Equal(t, []uint64{8, 9}, got[len(got)-2:])
		require.NoError(t, m.Close())
		require.Equal(t, uint64(10), place(t, g))
		require.NoError(t, p.Close())
	})
}

// A partition of the topic is lost under its member. The others go on, and
// nothing of it comes back; put back, it goes on where it was.
func TestPartitionLostUnderAMember(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := vfs.NewMem()
		newTopic(t, mem, 2, 4)
		g := open(t, mem, "orders", Options{})
		m := join(t, g)
		for _, msg := range take(t, m, 8) {
			msg.Ack()
		}
		lost := topic.PartitionPath("orders", 0)
		require.NoError(t, mem.Rename(lost, "trash"))
		require.NoError(t, m.CommitSync(), "what was consumed can be read still")
		require.Equal(t, map[int]uint64{0: 4, 1: 4}, committed(t, g))
		require.NoError(t, m.Close())

		m = join(t, g)
		require.Equal(t, []int{1}, m.Partitions())
		require.ErrorContains(t, m.nextReport(), lost)
		_, err := mem.Stat(lost)
		require.ErrorIs(t, err, fs.ErrNotExist)
		require.NoError(t, mem.Rename("trash", lost))
		time.Sleep(failedFor + rebalanceWithin)
		require.Equal(t, []int{0, 1}, m.Partitions())
		require.Equal(t, uint64(4), (*m.list.Load())[0].claim.next)
		require.NoError(t, m.Close())
	})
}
