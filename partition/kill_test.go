package partition

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
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

// appendForever is another process that appends numbered records from several
// goroutines and prints the offset and the number of each once it is stored.
func appendForever(path string) {
	mode, path, _ := strings.Cut(path, ":")
	sync, err := ParseSync(mode)
	if err != nil {
		panic(err)
	}
	p, err := Open(path, &Options{Sync: sync})
	if err != nil {
		panic(err)
	}
	for g := range 4 {
		go func() {
			for i := 0; ; i++ {
				rec := fmt.Sprintf(`{"g":%d,"i":%d}`, g, i)
				offset, err := p.Append([]byte(rec))
				if err != nil {
					panic(err)
				}
				// One write(2) a line, so that a kill cuts between them.
				os.Stdout.WriteString(fmt.Sprintf("%d %s\n", offset, rec))
			}
		}()
	}
	select {}
}

// streamForever is another process that stores numbered lines from a stream
// that never ends, and prints how many there are by now.
func streamForever(path string) {
	mode, path, _ := strings.Cut(path, ":")
	sync, err := ParseSync(mode)
	if err != nil {
		panic(err)
	}
	p, err := Open(path, &Options{Sync: sync, SegmentRecords: 5000})
	if err != nil {
		panic(err)
	}
	_, next := p.Bounds()
	go func() {
		for {
			time.Sleep(time.Millisecond)
			_, next := p.Bounds()
			os.Stdout.WriteString(fmt.Sprintf("%d stored}\n", next))
		}
	}()
	_, err = p.ReadFrom(&numberedLines{n: int(next)})
	panic(err)
}

// numberedLines is a stream of line(n), line(n+1) and so on, cut anywhere.
type numberedLines struct {
	n    int
	rest []byte
}

func (l *numberedLines) Read(p []byte) (int, error) {
	if len(l.rest) == 0 {
		for range 100 {
			l.rest = append(append(l.rest, line(l.n)...), '\n')
			l.n++
		}
	}
	n := copy(p, l.rest[:1+rand.IntN(len(l.rest))])
	l.rest = l.rest[n:]
	return n, nil
}

// TestKillStream kills a process that stores a stream. What readers could see
// is there afterwards, in order and without a gap, over rolls too.
func TestKillStream(t *testing.T) {
	rounds := 4
	if testing.Short() {
		rounds = 1
	}
	for _, sync := range []SyncMode{SyncAlways, SyncInterval, SyncOS} {
		t.Run(sync.String(), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "p")
			seen := map[uint64]string{}
			for round := range rounds {
				killOnce(t, "JLQ_STREAM", path, sync, seen, round%2 == 1)
			}
			p := mustOpen(t, path, nil)
			stored := read(t, p, 0)
			require.NoError(t, p.Close())
			require.NotEmpty(t, seen)
			for next := range seen {
				require.LessOrEqual(t, next, uint64(len(stored)))
			}
			for n, rec := range stored {
				require.Equal(t, string(line(n)), rec)
			}
			require.Empty(t, problems(t, path))
		})
	}
}

// TestKill kills an appending process again and again. What it acknowledged is
// there afterwards under the offset it said, in every mode that promises that.
func TestKill(t *testing.T) {
	rounds := 5
	if testing.Short() {
		rounds = 1
	}
	for _, sync := range []SyncMode{SyncAlways, SyncInterval, SyncOS} {
		for _, name := range []string{"p", "p.jsonl"} {
			t.Run(sync.String()+" "+name, func(t *testing.T) {
				path := filepath.Join(t.TempDir(), name)
				acked := map[uint64]string{}
				for round := range rounds {
					killOnce(t, "JLQ_APPEND", path, sync, acked, round%2 == 1)
				}
				p := mustOpen(t, path, nil)
				stored := read(t, p, 0)
				require.NoError(t, p.Close())
				for offset, rec := range acked {
					require.Equal(t, rec, stored[offset])
				}
				require.NotEmpty(t, acked)
				require.Empty(t, problems(t, path))
			})
		}
	}
}

// killOnce kills the process that does what the variable says, a moment after its
// first acknowledgement, or early: while it opens what the kill before has left.
func killOnce(t *testing.T, variable, path string, mode SyncMode, acked map[uint64]string, early bool) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), variable+"="+mode.String()+":"+path)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	wait := time.Minute // that it starts at all may take long on a busy machine
	if early {
		wait = rand.N(100 * time.Millisecond)
	}
	timer := time.AfterFunc(wait, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	var first sync.Once
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		first.Do(func() { timer.Reset(60 * time.Millisecond) })
		var offset uint64
		number, rec, whole := strings.Cut(lines.Text(), " ")
		if _, err := fmt.Sscan(number, &offset); err == nil && whole && strings.HasSuffix(rec, "}") {
			acked[offset] = rec
		}
	}
	_ = cmd.Wait()
}

// TestTogether uses one partition from many goroutines while it is closed
// under them. Nothing panics, nothing hangs, and what goes on ends with
// errors that say so.
func TestTogether(t *testing.T) {
	for _, mode := range []SyncMode{SyncAlways, SyncInterval, SyncOS, SyncBuffered} {
		t.Run(mode.String(), func(t *testing.T) {
			p := mustOpen(t, filepath.Join(t.TempDir(), "p"), &Options{Sync: mode})
			_, err := p.Append([]byte("0"))
			require.NoError(t, err)
			var wg sync.WaitGroup
			for g := range 8 {
				wg.Go(func() { useUntilClosed(t, p, g) })
			}
			time.Sleep(50 * time.Millisecond)
			require.NoError(t, p.Close())
			wg.Wait()
			require.Empty(t, problems(t, p.Path()))
		})
	}
}

func useUntilClosed(t *testing.T, p *Partition, g int) {
	var err error
	for n := 0; err == nil; n++ {
		switch g {
		case 0, 1:
			_, err = p.Append(fmt.Appendf(nil, "%d", n))
		case 2:
			_, err = p.AppendBatch([][]byte{[]byte("1"), []byte("2")})
		case 3:
			_, next := p.Bounds()
			if err = p.AppendAt(next, []byte("3")); isConflict(err) {
				err = nil
			}
		case 4:
			_, next := p.Bounds()
			_, err = p.Get(next / 2)
		case 5:
			for _, e := range p.Records(0) {
				err = errors.Join(err, e)
			}
		case 6:
			for _, e := range p.Follow(t.Context(), 0) {
				err = errors.Join(err, e)
			}
		case 7:
			err = p.Sync()
			p.Stats()
		}
	}
	if !errors.Is(err, fs.ErrClosed) {
		t.Errorf("use %d: %v", g, err)
	}
}

func isConflict(err error) bool {
	_, is := errors.AsType[*ConflictError](err)
	return is
}

// TestReadBeside reads a log in this process as another would, while it is
// appended to: every record is whole and the one that its offset has.
func TestReadBeside(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p")
	p := mustOpen(t, path, &Options{Sync: SyncOS})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for n := range 20_000 {
			if _, err := p.Append(fmt.Appendf(nil, `{"n":%d}`, n)); err != nil {
				panic(err)
			}
		}
	}()
	r, err := OpenReader(path, &Options{Poll: time.Millisecond})
	require.NoError(t, err)
	want := uint64(0)
	for rec, err := range r.Follow(t.Context(), 0) {
		require.NoError(t, err)
		require.Equal(t, want, rec.Offset)
		require.Equal(t, fmt.Sprintf(`{"n":%d}`, want), string(rec.Data))
		if want++; want == 20_000 {
			break
		}
	}
	<-done
	require.NoError(t, errors.Join(r.Close(), p.Close()))
}
