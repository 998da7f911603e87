package power

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"example.com/jlq/partition"
)

// TestPower cuts the power of file systems at random moments, while processes
// create, append to, read, close and recover a log on them. What was promised
// is there afterwards, what is there was sent, and the log goes on.
func TestPower(t *testing.T) {
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			needVolumes(t, k.kind)
			rnd, tally := chance(t), &tally{}
			end := time.Now().Add(patience(8 * time.Second))
			for n := 0; time.Now().Before(end) && !t.Failed(); n++ {
				t.Run(fmt.Sprint("volume ", n), func(t *testing.T) {
					v := mountImage(t, k.kind, k.options, newImage(t, k.kind, k.mkfs))
					newPlug(v, rnd, tally).pull(t, 5)
				})
			}
			t.Logf("%+v", *tally)
			if tally.Checks >= 10 {
				require.Positive(t, tally.Acked, "the power goes before anything happens")
				require.Positive(t, tally.Stored, "nothing survives")
			}
		})
	}
}

// plug is a log whose power is cut again and again.
type plug struct {
	*volume
	rnd   *rand.Rand
	h     *history
	path  string
	roll  uint64 // records of a segment
	keep  uint64 // records that retention keeps
	epoch int
	told  string // what happened since the last check, for messages
	tally *tally
}

// newPlug makes a log, of a bare file sometimes, and one that rolls every few
// records.
func newPlug(v *volume, rnd *rand.Rand, tally *tally) *plug {
	p := &plug{volume: v, rnd: rnd, h: newHistory(), path: filepath.Join(v.dir, "log"), tally: tally}
	if p.one(4) {
		p.path, p.h.bare = p.path+".jsonl", true
	} else if p.one(2) {
		p.roll = uint64(2 + rnd.IntN(40))
		if p.one(2) {
			p.keep = uint64(1 + rnd.IntN(100))
			p.h.keep = int(p.keep)
		}
	}
	return p
}

// pull cuts the power of the log again and again.
func (p *plug) pull(t *testing.T, times int) {
	for range times {
		p.round(t)
	}
	p.check(t)
}

func (p *plug) tell(format string, args ...any) { p.told += fmt.Sprintf(format, args...) + "\n" }

// upTo is a random duration.
func (p *plug) upTo(d time.Duration) time.Duration { return time.Duration(p.rnd.Int64N(int64(d))) }

func (p *plug) one(in int) bool { return p.rnd.IntN(in) == 0 }

// round lets processes work on the log, cuts the power, and checks.
func (p *plug) round(t *testing.T) {
	p.work(t)
	for p.one(3) {
		p.reopen(t)
	}
	if p.h.trusted && p.one(3) {
		return // the next process finds what this one left
	}
	p.check(t)
}

// work appends and reads until the power goes.
func (p *plug) work(t *testing.T) {
	p.epoch++
	modes := []partition.SyncMode{partition.SyncAlways, partition.SyncAlways, partition.SyncInterval, partition.SyncOS, partition.SyncBuffered}
	mode := modes[p.rnd.IntN(len(modes))]
	if len(p.h.epochs) > 0 || p.h.bare {
		// In other modes offsets are given out again after a loss, and a bare
		// file keeps what the loss leaves there.
		mode = partition.SyncAlways
	}
	p.h.expect(p.epoch, mode)
	limit, moment := -1, "open"
	switch p.rnd.IntN(4) {
	case 0:
		moment = "ready" // while the log is made or opened
	case 1:
		limit, moment = p.rnd.IntN(20), "closing"
	}
	writer := p.startWriter(t, mode, limit)
	running := []*process{writer}
	if !p.one(3) {
		running = append(running, p.startReader(t))
	}
	stop := p.stir()
	writer.await(moment)
	longest := 60 * time.Millisecond
	if moment != "open" {
		longest = 4 * time.Millisecond
	}
	time.Sleep(p.upTo(longest))
	p.cutNow(t, running...)
	stop()
	require.NoError(t, p.unmount())
	p.mount(t)
}

// startWriter starts one of the two programs that append.
func (p *plug) startWriter(t *testing.T, mode partition.SyncMode, limit int) *process {
	pause := time.Duration(0)
	if mode != partition.SyncAlways {
		pause = 300 * time.Microsecond
	}
	if mode != partition.SyncBuffered && p.one(3) {
		p.tell("epoch %d: jlq append --sync %v, limit %d", p.epoch, mode, limit)
		return startAppend(t, p.h, p.path, mode, p.epoch, limit, pause, p.flags()...)
	}
	c := child{
		Job: "append", Path: p.path, Sync: mode, Epoch: p.epoch, Limit: limit, Pause: pause,
		Givers: 1 + p.rnd.IntN(4), Batch: 1 + p.rnd.IntN(3), Interval: 10 * time.Millisecond, Segment: p.roll, Keep: p.keep,
	}
	p.tell("epoch %d: %+v", p.epoch, c)
	return startChild(t, p.h, c)
}

// flags are those of jlq append.
func (p *plug) flags() (flags []string) {
	if p.roll > 0 {
		flags = append(flags, fmt.Sprint("--segment-records=", p.roll))
	}
	if p.keep > 0 {
		flags = append(flags, fmt.Sprint("--keep-records=", p.keep))
	}
	return flags
}

func (p *plug) startReader(t *testing.T) *process {
	if _, err := os.Stat(p.path); err == nil && p.keep == 0 && p.one(2) {
		return startTail(t, p.h, p.path)
	}
	return startChild(t, p.h, child{Job: "follow", Path: p.path})
}

// cutNow cuts the power and ends the processes, some of which see the errors.
func (p *plug) cutNow(t *testing.T, running ...*process) {
	how := []int{cutFlushed, cutLogged, cutAtOnce, cutAtOnce}[p.rnd.IntN(4)]
	at := now()
	p.cut(t, how)
	time.Sleep(p.upTo(3 * time.Millisecond))
	for _, r := range running {
		code := r.end(t)
		p.tell("cut %d, exit code %d: %s", how, code, &r.stderr)
	}
	p.h.cut(at)
}

// reopen cuts the power again while a process opens the log and recovers it.
func (p *plug) reopen(t *testing.T) {
	mode := partition.SyncMode(p.rnd.IntN(4))
	opener := startChild(t, p.h, child{Job: "append", Path: p.path, Sync: mode, Segment: p.roll, Keep: p.keep})
	opener.await("ready")
	time.Sleep(p.upTo(4 * time.Millisecond))
	p.tell("reopened, %v", mode)
	p.cutNow(t, opener)
	p.restart(t)
}

// check opens the log and holds it against its history.
func (p *plug) check(t *testing.T) {
	mode := partition.SyncMode(p.rnd.IntN(4))
	log, err := partition.Open(p.path, &partition.Options{Sync: mode, SegmentRecords: p.roll}) // and drops nothing
	require.NoError(t, err, "%s", p.told)
	p.tell("recovery: %+v", log.Recovery())
	stored := records(t, log)
	p.tally.add(p.h, len(stored), log)
	require.Empty(t, p.h.complaints(stored), "%s", p.told)
	p.epoch++
	more := record{Epoch: p.epoch}.line()
	offset, err := log.Append([]byte(more))
	require.NoError(t, err)
	require.Equal(t, uint64(len(stored)), offset)
	require.NoError(t, log.Close())
	if !p.h.bare {
		requireSound(t, p.path, p.told)
	}
	p.h.begin(append(stored, more))
	p.told = ""
}

// dropped stands for a record that retention took.
const dropped = "\x00dropped"

// records reads all of a log.
func records(t testing.TB, log *partition.Partition) []string {
	t.Helper()
	start, _ := log.Bounds()
	out := slices.Repeat([]string{dropped}, int(start))
	for rec, err := range log.Records(start) {
		require.NoError(t, err)
		require.Equal(t, uint64(len(out)), rec.Offset)
		out = append(out, string(rec.Data))
	}
	return out
}

// requireSound verifies a log.
func requireSound(t testing.TB, path, told string) {
	t.Helper()
	log, err := partition.OpenReader(path, nil)
	require.NoError(t, err)
	defer log.Close() // it was only read
	for problem, err := range log.Verify(t.Context()) {
		require.NoError(t, err)
		require.True(t, problem.Note, "%+v\n%s", problem, told)
	}
}

// stir writes random parts of the cache to the disk until stop is called, as
// the kernel does over seconds: without it, only what is synced is ever there.
func (p *plug) stir() (stop func()) {
	if p.one(3) {
		return func() {}
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	rnd := rand.New(rand.NewPCG(p.rnd.Uint64(), 0))
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			time.Sleep(time.Duration(rnd.IntN(5_000)) * time.Microsecond)
			stirOnce(p.volume, p.path, rnd)
		}
	}()
	return func() { cancel(); <-done }
}

// stirOnce writes some pages of one file, or the journal, which holds the sizes
// of all files. Its errors are those of a disk without power.
func stirOnce(v *volume, path string, rnd *rand.Rand) {
	files, _ := filepath.Glob(filepath.Join(path, "*"))
	if filepath.Ext(path) != "" {
		files = []string{path, path + ".index"}
	}
	if len(files) == 0 || rnd.IntN(4) == 0 {
		_ = syncOther(filepath.Join(v.dir, "other"))
		return
	}
	_ = syncSome(files[rnd.IntN(len(files))], rnd)
}

// syncOther syncs a file of its own, and with it the journal.
func syncOther(name string) error {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.WriteAt([]byte(time.Now().String()), 0); err != nil {
		return err
	}
	return f.Sync()
}

// syncSome writes pages of a file that the cache holds.
func syncSome(name string, rnd *rand.Rand) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return err
	}
	at, n := rnd.Int64N(info.Size()), 1+rnd.Int64N(64<<10)
	return unix.SyncFileRange(int(f.Fd()), at, n, unix.SYNC_FILE_RANGE_WRITE)
}
