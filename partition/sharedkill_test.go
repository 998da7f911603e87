package partition

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// sharedRecord is what one of several processes appends.
type sharedRecord struct {
	P int // process
	G int // goroutine
	I int
}

// appendShared is another process that appends to a shared log: numbered records
// for ever, each told of once it is stored, or, where many says how many, so
// many increments of the number in the last record.
func appendShared(what string) {
	f := strings.SplitN(what, ":", 3)
	sync, err := ParseSync(f[0])
	if err != nil {
		panic(err)
	}
	many := 0
	if _, err := fmt.Sscan(f[1], &many); err != nil {
		panic(err)
	}
	p, err := Open(f[2], &Options{Sync: sync, Shared: true, SegmentRecords: 1000 * uint64(1-min(1, len(filepath.Ext(f[2]))))})
	if err != nil {
		panic(err)
	}
	if many > 0 {
		for range many {
			increment(p)
		}
		if err := p.Close(); err != nil {
			panic(err)
		}
		os.Exit(0)
	}
	for g := range 2 {
		go func() {
			for i := 0; ; i++ {
				rec, err := json.Marshal(sharedRecord{os.Getpid(), g, i})
				if err != nil {
					panic(err)
				}
				offset, err := p.Append(rec)
				if err != nil {
					panic(err)
				}
				os.Stdout.WriteString(fmt.Sprintf("%d %s\n", offset, rec))
			}
		}()
	}
	select {}
}

// increment appends the number in the last record and one, of which no other
// process must do the same.
func increment(p *Partition) {
	for {
		_, next := p.Bounds()
		n := 0
		if next > 0 {
			last, err := p.Get(next - 1)
			if err == nil {
				err = json.Unmarshal(last, &n)
			}
			if err != nil {
				panic(err)
			}
		}
		err := p.AppendAt(next, fmt.Appendf(nil, "%d", n+1))
		if err == nil {
			return
		}
		if !isConflict(err) {
			panic(err)
		}
	}
}

// startShared starts such a process; what it prints comes to told.
func startShared(t *testing.T, mode SyncMode, many int, path string, told io.Writer) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), fmt.Sprintf("JLQ_SHARED=%v:%d:%s", mode, many, path))
	cmd.Stdout, cmd.Stderr = told, os.Stderr
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return cmd
}

// TestSharedIncrement: a conditional append compares and appends across
// processes.
func TestSharedIncrement(t *testing.T) {
	const processes, each = 4, 50
	path := filepath.Join(t.TempDir(), "p")
	var all []*exec.Cmd
	for range processes {
		all = append(all, startShared(t, SyncOS, each, path, nil))
	}
	for _, cmd := range all {
		require.NoError(t, cmd.Wait())
	}
	p := mustOpen(t, path, nil)
	require.Equal(t, RecoveryReport{}, p.Recovery())
	lines := read(t, p, 0)
	require.Len(t, lines, processes*each)
	for i, rec := range lines {
		require.Equal(t, fmt.Sprint(i+1), rec)
	}
	require.NoError(t, p.Close())
}

// acks collects what processes say, whole lines of it, from several of them.
type acks struct {
	mu   sync.Mutex
	recs map[string]uint64
}

// scan takes in what one process says, until it ends.
func (a *acks) scan(r io.Reader) {
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		var offset uint64
		number, rec, whole := strings.Cut(lines.Text(), " ")
		if _, err := fmt.Sscan(number, &offset); err == nil && whole && strings.HasSuffix(rec, "}") {
			a.mu.Lock()
			a.recs[rec] = offset
			a.mu.Unlock()
		}
	}
}

// TestSharedKill kills one after the other of processes that append to one log
// in turns. Those that live are not stopped by it, and what any of them
// acknowledged is there, once and whole.
func TestSharedKill(t *testing.T) {
	kills := 12
	if testing.Short() {
		kills = 4
	}
	for _, mode := range []SyncMode{SyncAlways, SyncOS} {
		for _, name := range []string{"p", "p.jsonl"} {
			t.Run(mode.String()+" "+name, func(t *testing.T) {
				path := filepath.Join(t.TempDir(), name)
				a := acks{recs: map[string]uint64{}}
				var scanning sync.WaitGroup
				start := func() *exec.Cmd {
					r, w, err := os.Pipe()
					require.NoError(t, err)
					cmd := startShared(t, mode, 0, path, w)
					require.NoError(t, w.Close())
					scanning.Go(func() { a.scan(r); _ = r.Close() })
					return cmd
				}
				running := []*exec.Cmd{start(), start(), start()}
				for k := range kills {
					grows(t, &a, 20)
					time.Sleep(rand.N(5 * time.Millisecond)) // anywhere in a turn
					require.NoError(t, running[k%3].Process.Kill())
					_ = running[k%3].Wait()
					running[k%3] = start()
				}
				grows(t, &a, 20)
				for _, cmd := range running {
					require.NoError(t, cmd.Process.Kill())
					_ = cmd.Wait()
				}
				scanning.Wait()
				requireEachOnce(t, path, a.recs)
			})
		}
	}
}

// grows waits until so many more records were acknowledged.
func grows(t *testing.T, a *acks, more int) {
	count := func() int {
		a.mu.Lock()
		defer a.mu.Unlock()
		return len(a.recs)
	}
	want := count() + more
	require.Eventually(t, func() bool { return count() >= want }, 2*time.Minute, time.Millisecond)
}

// requireEachOnce: every record that was acknowledged has the offset that it was
// told, none is there twice, and those of one goroutine are in order.
func requireEachOnce(t *testing.T, path string, acked map[string]uint64) {
	p := mustOpen(t, path, nil)
	seen := map[string]bool{}
	last := map[sharedRecord]int{}
	for offset, rec := range read(t, p, 0) {
		var r sharedRecord
		if json.Unmarshal([]byte(rec), &r) != nil || r.P == 0 {
			require.Equal(t, ".jsonl", filepath.Ext(path), "half a line: %s", rec) // it stays, in a bare file
			continue
		}
		require.False(t, seen[rec], "%s is there twice", rec)
		seen[rec] = true
		if at, ok := acked[rec]; ok {
			require.Equal(t, at, uint64(offset))
		}
		who := sharedRecord{P: r.P, G: r.G}
		require.Equal(t, last[who], r.I, "of %+v", who)
		last[who]++
	}
	for rec := range acked {
		require.True(t, seen[rec], "%s is lost", rec)
	}
	require.NoError(t, p.Close())
	require.Empty(t, problems(t, path))
}

// TestSharedFair: of processes that append without a pause none is kept out.
func TestSharedFair(t *testing.T) {
	const processes, each = 4, 60
	for _, mode := range []SyncMode{SyncAlways, SyncOS} {
		path := filepath.Join(t.TempDir(), "p")
		var all []*exec.Cmd
		for range processes {
			all = append(all, startShared(t, mode, 0, path, nil))
		}
		r := mustOpen(t, path, &Options{Shared: true, Sync: mode})
		of := map[int]int{}
		reader := r.Reader(0)
		require.Eventually(t, func() bool {
			for rec, err := range reader.Records() {
				var s sharedRecord
				if err = errors.Join(err, json.Unmarshal(rec.Data, &s)); err != nil {
					t.Error(err)
					return true
				}
				of[s.P]++
			}
			for _, cmd := range all {
				if of[cmd.Process.Pid] < each {
					return false
				}
			}
			return true
		}, 2*time.Minute, 10*time.Millisecond)
		for _, cmd := range all {
			require.NoError(t, cmd.Process.Kill())
			_ = cmd.Wait()
		}
		most := 0
		for _, n := range of {
			most = max(most, n)
		}
		t.Logf("%v: when the last one had %d, the first had %d", mode, each, most)
		require.NoError(t, r.Close())
	}
}
