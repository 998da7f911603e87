package faulttest

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"example.com/jlq/partition"
)

func init() { roles["few files"] = appendWithFewFiles }

// appendWithFewFiles appends to a log that rolls every three records when all
// but a few descriptors are taken, and then when there are enough again. arg is
// FREE:PATH.
func appendWithFewFiles(arg string) {
	free, path, _ := strings.Cut(arg, ":")
	n, err := strconv.Atoi(free)
	if err != nil {
		panic(err)
	}
	p, err := partition.Open(path, &partition.Options{SegmentRecords: 3})
	if err != nil {
		panic(err)
	}
	s := newSource("a")
	undo := leaveFiles(n)
	sayAppended(p, s, 12)
	undo()
	// A roll that was put off is tried again a second later.
	for end := time.Now().Add(runLimit / 2); p.Stats().Written.Rolls == 0 && time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		sayAppended(p, s, 1)
	}
	sayAppended(p, s, 4)
	if err := p.Close(); err != nil {
		panic(err)
	}
	say("rolled %d %d", p.Stats().Written.Rolls, p.Stats().Written.RollsPutOff)
}

func sayAppended(p *partition.Partition, s *source, n int) {
	for range n {
		if err := s.appendTo(p); err != nil {
			panic(err)
		}
		say("0 %d %d", s.sent-1, s.acked[s.sent-1])
	}
}

// leaveFiles lets this process open n files more and no others, until undo.
func leaveFiles(n int) (undo func()) {
	var was unix.Rlimit
	next, err := unix.Dup(1) // the lowest that is free
	if err == nil {
		err = errors.Join(unix.Close(next), unix.Getrlimit(unix.RLIMIT_NOFILE, &was))
	}
	if err == nil {
		err = unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: uint64(next + n), Max: was.Max})
	}
	if err != nil {
		panic(err)
	}
	return func() {
		if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &was); err != nil {
			panic(err)
		}
	}
}

// TestRollDescriptorLimit: a roll that cannot open its files is put off
// (EMFILE). Appends go on, and once there are descriptors again, it rolls.
func TestRollDescriptorLimit(t *testing.T) {
	putOff := 0
	for free := range 6 {
		path := filepath.Join(t.TempDir(), "p")
		cmd, out := startRole(t, "few files", fmt.Sprintf("%d:%s", free, path))
		s := newSource("a")
		var rolls, off int
		for _, line := range linesOf(t, out) {
			if _, err := fmt.Sscanf(line, "rolled %d %d", &rolls, &off); err == nil {
				continue
			}
			var g, n int
			var offset uint64
			_, err := fmt.Sscan(line, &g, &n, &offset)
			require.NoError(t, err, line)
			s.acked[n], s.sent = offset, n+1
		}
		require.NoError(t, cmd.Wait(), "%d free", free)
		require.Positive(t, rolls, "%d free", free)
		require.NoError(t, (&account{sources: []*source{s}}).check(path), "%d free", free)
		putOff += min(1, off)
	}
	require.Greater(t, putOff, 1, "there were always enough")
	require.Less(t, putOff, 6, "there were never enough")
}

// TestRollFullDisk fills a disk under a log that rolls every four records.
// Whatever a roll or an append meets, nothing is lost and nothing is poisoned,
// and when room comes back it goes on, and rolls.
func TestRollFullDisk(t *testing.T) {
	dir := tmpfs(t, "size=400k,nr_inodes=0")
	for _, mode := range []partition.SyncMode{partition.SyncAlways, partition.SyncInterval, partition.SyncOS} {
		for free := range 10 {
			home := filepath.Join(dir, "home")
			require.NoError(t, os.Mkdir(home, 0o700))
			path := filepath.Join(home, "p")
			p, err := partition.Open(path, &partition.Options{Sync: mode, SegmentRecords: 4})
			require.NoError(t, err)
			s := newSource("a")
			for range 4 {
				require.NoError(t, s.appendTo(p))
			}
			filler := fill(t, dir, free)
			for range 400 {
				if err = s.appendTo(p); err != nil {
					break
				}
			}
			require.ErrorIs(t, err, unix.ENOSPC)
			require.NotErrorIs(t, err, partition.ErrPoisoned, "%v, %d pages", mode, free)
			s.sent++ // in the weak modes it may be stored although the call failed
			require.NoError(t, os.Remove(filler))
			offset, err := p.Append([]byte(s.record(s.sent - 1)))
			require.NoError(t, err)
			s.acked[s.sent-1] = offset
			require.NoError(t, p.Close())
			require.NoError(t, (&account{sources: []*source{s}}).check(path), "%v, %d pages", mode, free)
			require.NoError(t, os.RemoveAll(home))
		}
	}
}

// TestRollWithoutNames: a disk that has room, but none for more files, stops
// no append. A roll that comes as far as partition.json is put off as well, and
// leaves nothing behind.
func TestRollWithoutNames(t *testing.T) {
	for spare := range 4 {
		dir := tmpfs(t, "size=1m,nr_inodes=64")
		path := filepath.Join(dir, "p")
		p, err := partition.Open(path, &partition.Options{SegmentRecords: 4})
		require.NoError(t, err)
		s := newSource("a")
		fillers := takeNames(t, dir, spare)
		for range 20 {
			require.NoError(t, s.appendTo(p), "%d spare", spare)
		}
		stats := p.Stats().Written
		if spare < 3 { // index, records and the new partition.json
			require.Positive(t, stats.RollsPutOff, "%d spare", spare)
			require.Zero(t, stats.Rolls, "%d spare", spare)
			pairs, err := pairsOf(path)
			require.NoError(t, err)
			require.Len(t, pairs, 1, "%d spare", spare)
		}
		for _, name := range fillers {
			require.NoError(t, os.Remove(name))
		}
		require.Eventually(t, func() bool { return s.appendTo(p) == nil && p.Stats().Written.Rolls > 0 }, 3*time.Second, 100*time.Millisecond)
		require.NoError(t, p.Close())
		require.NoError(t, (&account{sources: []*source{s}}).check(path), "%d spare", spare)
	}
}

// takeNames makes files until no more than spare can be made.
func takeNames(t *testing.T, dir string, spare int) (names []string) {
	for {
		name := filepath.Join(dir, "filler"+strconv.Itoa(len(names)))
		err := os.WriteFile(name, nil, 0o600)
		if err != nil {
			require.ErrorIs(t, err, unix.ENOSPC)
			break
		}
		names = append(names, name)
	}
	for range spare {
		last := len(names) - 1
		require.NoError(t, os.Remove(names[last]))
		names = names[:last]
	}
	return names
}

// TestSealedReplaced: another program replaces a sealed segment. Appending goes
// on, the other segments read, the replaced one is an error, and when the file
// is back all is well.
func TestSealedReplaced(t *testing.T) {
	for name, text := range map[string]string{"longer": strings.Repeat("[1]\n", 300), "shorter": "[]\n", "empty": ""} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "p")
			p, err := partition.Open(path, &partition.Options{SegmentRecords: 3})
			require.NoError(t, err)
			s := newSource("a")
			for range 8 {
				require.NoError(t, s.appendTo(p))
			}
			sealed := pairOf(path).Records
			require.NoError(t, os.Rename(sealed, path+".kept"))
			require.NoError(t, os.WriteFile(path+".other", []byte(text), 0o600))
			require.NoError(t, os.Rename(path+".other", sealed))
			for range 4 {
				require.NoError(t, s.appendTo(p))
			}
			require.NoError(t, p.Close())
			requireOneReplaced(t, path, s)

			p, err = partition.Open(path, nil)
			require.NoError(t, err, "nobody looks at what is sealed")
			require.NoError(t, s.appendTo(p))
			require.NoError(t, p.Close())
			requireOneReplaced(t, path, s)
			_, stderr, code := runJLQ(t, "", "verify", path)
			require.Equal(t, 4, code, stderr)

			require.NoError(t, os.Rename(path+".kept", sealed))
			require.NoError(t, (&account{sources: []*source{s}}).check(path))
		})
	}
}

// requireOneReplaced: the first three records cannot be read, and the others
// can.
func requireOneReplaced(t *testing.T, path string, s *source) {
	t.Helper()
	r, err := partition.OpenReader(path, nil)
	require.NoError(t, err)
	for n := range s.sent {
		rec, err := r.Get(uint64(n))
		if n < 3 {
			require.Error(t, err, "record %d: %s", n, rec)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, s.record(n), string(rec))
	}
	require.NoError(t, r.Close())
}

// TestCopiedWhileRolling copies a log that rolls. A copy of which partition.json
// was taken first opens, and holds the first records of the log, unless it has
// the index of a segment that was being made and not its records: that is away.
// One that was taken in any order is read as far as it agrees with itself, and
// refused or appended to; never does it hold a record that is not the log's.
func TestCopiedWhileRolling(t *testing.T) {
	path := filepath.Join(t.TempDir(), rolled)
	a, copies := copied(t, path)
	opened := 0
	for i, name := range copies {
		n, err := checkCopy(name, a.prior)
		if err == nil {
			opened += min(1, n)
			continue
		}
		_, away := errors.AsType[*partition.SegmentAwayError](err)
		require.True(t, away || i%2 == 1, "copy %d: %v", i, err)
		requirePrefix(t, name, a.prior, err)
	}
	require.Positive(t, opened)
}

// copied copies a log again and again while it is appended to, and returns what
// it holds in the end. Of every other copy partition.json was taken first.
func copied(t *testing.T, path string) (a *account, copies []string) {
	a = begun(t, path)
	a.keep = kept
	rng := rand.New(rand.NewPCG(seed(t), 3))
	done := make(chan []*source)
	before := storedBytes(t, path)
	go func() { done <- killed(t, "append", "always", 0, path, 1200*time.Millisecond) }()
	require.Eventually(t, func() bool { return storedBytes(t, path) > before }, runLimit, time.Millisecond)
	for i := range 12 {
		time.Sleep(time.Duration(20+rng.IntN(60)) * time.Millisecond)
		to := filepath.Join(filepath.Dir(path), strconv.Itoa(i))
		require.NoError(t, os.Mkdir(to, 0o700))
		if i%2 == 0 {
			copyFile(t, filepath.Join(path, "partition.json"), filepath.Join(to, "partition.json"))
		}
		// -n: what is there already stays as it is. What is gone when it comes
		// to it, or has another inode then, it says and goes on.
		out, err := exec.Command("cp", "-rn", path+"/.", to).CombinedOutput()
		if err != nil {
			require.Regexp(t, "No such file|was replaced while being copied", string(out))
		}
		copies = append(copies, to)
	}
	a.sources = <-done
	if filepath.Base(path) == rolled {
		require.NoError(t, a.check(path))
	}
	return a, copies
}

// TestCopiedWhileTrimmed copies a log that rolls and drops segments. A copy may
// lack segments in front, which it says; every record that it has is the log's.
func TestCopiedWhileTrimmed(t *testing.T) {
	path := filepath.Join(t.TempDir(), trimmed)
	a, copies := copied(t, path)
	whole, sent := 0, a.sentAt()
	for _, name := range copies {
		pairs, err := pairsOf(name)
		require.NoError(t, err)
		r, err := partition.OpenReader(name, nil)
		if errors.Is(err, partition.ErrNotLog) {
			continue // it was copied before there was anything
		}
		require.NoError(t, err)
		for _, pair := range pairs {
			for rec, err := range r.Records(pair.Base) {
				if err != nil {
					requireAway(t, err)
					break
				}
				require.True(t, sent(string(rec.Data), rec.Offset), "%s: offset %d holds %s", name, rec.Offset, rec.Data)
				whole++
			}
		}
		require.NoError(t, r.Close())
	}
	require.Positive(t, whole)
}

// sentAt returns what may lie under an offset: what was there before, and what
// was sent since, unless another offset was said of it.
func (a *account) sentAt() func(rec string, offset uint64) bool {
	said := map[string]uint64{}
	for _, s := range a.sources {
		for n := range s.sent {
			said[s.record(n)] = math.MaxUint64 // not said
			if offset, acked := s.acked[n]; acked {
				said[s.record(n)] = offset
			}
		}
	}
	return func(rec string, offset uint64) bool {
		if offset < uint64(len(a.prior)) {
			return rec == a.prior[offset]
		}
		at, sent := said[rec]
		return sent && (at == offset || at == math.MaxUint64)
	}
}

// requireAway: a copy that does not agree with itself says so.
func requireAway(t *testing.T, err error) {
	t.Helper()
	_, damaged := errors.AsType[*partition.CorruptError](err)
	_, away := errors.AsType[*partition.SegmentAwayError](err)
	_, gone := errors.AsType[*partition.RangeError](err)
	require.True(t, damaged || away || gone || errors.Is(err, partition.ErrIndexMismatch), "%v", err)
}

// requirePrefix: a log that was refused says why, and what can be read of it
// is the beginning of all.
func requirePrefix(t *testing.T, path string, all []string, err error) {
	t.Helper()
	requireAway(t, err)
	r, err := partition.OpenReader(path, nil)
	require.NoError(t, err)
	got, _ := readAll(r) // ends where the copy does not agree with itself
	require.NoError(t, r.Close())
	require.Equal(t, len(got), firstOther(got, all))
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	text, err := os.ReadFile(from)
	for errors.Is(err, fs.ErrNotExist) {
		text, err = os.ReadFile(from)
	}
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(to, text, 0o600))
}
