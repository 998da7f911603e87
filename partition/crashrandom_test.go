package partition

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/vfs"
)

// randomSeed names the environment variable that replays one seed.
const randomSeed = "JLQ_CRASH_SEED"

// TestCrashRandom does what the matrix cannot do exhaustively: long workloads
// and several crashes in a row, kills and power cuts, also within recovery and
// within rolls, each file with a loss of its own. A failure names its seed:
//
//	JLQ_CRASH_SEED=4711 go test -run TestCrashRandom ./partition
func TestCrashRandom(t *testing.T) {
	first, runs := 0, 10_000
	if testing.Short() || raceEnabled {
		runs = 500
	}
	if text := os.Getenv(randomSeed); text != "" {
		seed, err := strconv.Atoi(text)
		require.NoError(t, err)
		first, runs = seed, 1
	}
	const shards = 8
	for shard := range shards {
		t.Run(fmt.Sprint(shard), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				open := trackOpened(t)
				for seed := first + shard; seed < first+runs; seed += shards {
					crashRandomly(t, open, uint64(seed))
				}
			})
		})
	}
}

// crashRandomly is the life of one log.
func crashRandomly(t *testing.T, open *opened, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 0))
	log := randomLogs[rng.IntN(len(randomLogs))]
	s := newSession(t, open, log, syncModes[rng.IntN(4)], crashSoon(rng))
	var trail []string
	what := func() string {
		return fmt.Sprintf("%s=%d: %v of %d records a segment, %s", randomSeed, seed, log.path, log.limit, strings.Join(trail, ", "))
	}
	s.what = what
	for round := rng.IntN(4); ; round-- {
		for n := rng.IntN(9); n > 0 && !s.over; n-- {
			op := log.randomOp(rng)
			trail = append(trail, op.name)
			op.do(s, rng)
		}
		s.end()
		after, owed, how := crashSomehow(s, rng)
		trail = append(trail, how)
		if round == 0 {
			log.requireSurvived(t, open, after, owed, syncModes[rng.IntN(3)], what)
			return
		}
		s.resume(after, owed, syncModes[rng.IntN(4)], crashSoon(rng))
	}
}

// randomLogs are the logs that a seed chooses from: those of one segment, and
// those that roll, by hand and by a limit.
var randomLogs = []crashLog{dirLog, dirLog, bareLog, rollLog, limitedLog(3), limitedLog(20)}

func limitedLog(records uint64) crashLog {
	l := rollLog
	l.limit = records
	return l
}

// crashSoon is the change before which the file system crashes: often within
// an opening, sometimes never.
func crashSoon(rng *rand.Rand) int { return rng.IntN([]int{30, 60, 150}[rng.IntN(3)]) }

// randomOp is an operation with something to choose.
type randomOp struct {
	name string
	do   func(*session, *rand.Rand)
}

var randomOps = []randomOp{
	{"append", func(s *session, rng *rand.Rand) { s.append(1 + rng.IntN(4)) }},
	{"big", func(s *session, rng *rand.Rand) { s.append(5 + rng.IntN(70)) }},
	{"at", func(s *session, _ *rand.Rand) { s.appendAt() }},
	{"sync", func(s *session, _ *rand.Rand) { s.sync() }},
	{"wait", func(s *session, _ *rand.Rand) { s.wait() }},
	{"reopen", func(s *session, rng *rand.Rand) { s.reopen(syncModes[rng.IntN(4)]) }},
	{"kill", func(s *session, rng *rand.Rand) { s.kill(syncModes[rng.IntN(4)]) }},
}

// randomOp is one of those, or a roll where the log has more than one segment.
func (l crashLog) randomOp(rng *rand.Rand) randomOp {
	n := len(randomOps)
	if l.rolls {
		n++
	}
	if i := rng.IntN(n); i < len(randomOps) {
		return randomOps[i]
	}
	return randomOp{"roll", func(s *session, _ *rand.Rand) { s.roll() }}
}

// crashSomehow ends a session by a kill or by a power cut.
func crashSomehow(s *session, rng *rand.Rand) (after *vfs.Mem, owed promise, how string) {
	if rng.IntN(4) == 0 {
		return s.mem.Kill(), s.owedAfterKill(), "killed"
	}
	cfg := vfs.CrashConfig{Data: dataLosses[rng.IntN(6)], Names: vfs.NameLoss(rng.IntN(3)), Seed: rng.Uint64()}
	how = fmt.Sprintf("cut(data %v, names %v)", cfg.Data, cfg.Names)
	if rng.IntN(2) == 0 {
		cfg.File = func(name string) vfs.DataLoss {
			h := fnv.New64a()
			fmt.Fprint(h, name, cfg.Seed)
			return dataLosses[h.Sum64()%6]
		}
		how = fmt.Sprintf("cut(each file its own, names %v)", cfg.Names)
	}
	return s.mem.Crash(cfg), s.owedAfterPowerLoss(), how
}

// resume goes on with what a crash left.
func (s *session) resume(after *vfs.Mem, owed promise, mode SyncMode, at int) {
	was := readDisk(s.t, after)
	s.mem, s.point, s.over = after, &crashPoint{at: at}, false
	// After a kill, what was not on the disk still is not, until it is opened:
	// power stays what it was.
	s.sent, s.killed = owed.sent, owed.atLeast
	p, err := s.opened.open(s.log, vfs.NewFault(s.mem, s.point.hook), mode)
	if s.failed(err) {
		return
	}
	lines := s.resumed(after, was, p)
	s.log.requireOwed(s.t, lines, owed, s.what)
	s.p, s.mode = p, mode
	s.gen++
	s.sent, s.acked, s.power, s.killed = lines, len(lines), len(lines), len(lines)
}

// resumed returns the records that an opening found. Those of several segments
// are read past the file system that may crash.
func (s *session) resumed(after *vfs.Mem, was disk, p *Partition) []string {
	if !s.log.rolls {
		return s.log.requireFiles(s.t, was, readDisk(s.t, after), p.Recovery(), s.what)
	}
	r, err := OpenReader(s.log.path, &Options{FS: after})
	require.NoError(s.t, err)
	defer r.Close()
	lines := read(s.t, r, 0)
	s.log.requireJoined(s.t, after, lines, s.what)
	_, next := p.Bounds()
	require.Equal(s.t, int(next), len(lines), "%s", lazy(s.what))
	return lines
}
