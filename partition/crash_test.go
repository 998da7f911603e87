package partition

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/vfs"
)

// The crash matrix: every workload of up to three operations, crashed before
// each operation on the file system that changes something, with each way to
// lose what was not synced. What a crash left is opened and held against what
// was promised (crashoracle_test.go).
//
// The workloads run on a false clock (synctest), so that the goroutines of the
// weaker modes do the same each time. So a workload's crashes are those within
// its last operation: the earlier ones are those of a shorter workload.

// crashOp is one operation of a workload.
type crashOp struct {
	name string
	do   func(*session)
}

var crashOps = []crashOp{
	{"one", func(s *session) { s.append(1) }},
	{"batch", func(s *session) { s.append(3) }},
	{"big", func(s *session) { s.append(10) }},
	{"at", (*session).appendAt},
	{"sync", (*session).sync},
	{"wait", (*session).wait},
	{"reopen", func(s *session) { s.reopen(s.mode) }},
	{"switch", func(s *session) { s.reopen(s.otherMode()) }},
	{"kill", func(s *session) { s.kill(s.mode) }},
	{"kill and switch", func(s *session) { s.kill(s.otherMode()) }},
}

// session is a run of a workload.
type session struct {
	t      anyT
	log    crashLog
	mem    *vfs.Mem
	point  *crashPoint
	opened *opened
	mode   SyncMode
	weak   SyncMode // the mode besides always, if any, that this session uses
	p      *Partition
	gen    int      // openings
	sent   []string // by offset, all that may be there
	acked  int      // of those, how many were acknowledged
	power  int      // how many survive a power loss
	killed int      // how many survive the death of the process
	over   bool     // the file system has crashed
	what   func() string
}

// crashPoint fails the at-th operation that changes something, and all after.
type crashPoint struct {
	mu      sync.Mutex
	at      int // 0: never
	n       int // how many there were
	crashed bool
}

func (c *crashPoint) hook(op vfs.Op) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.crashed && op.Kind.Changes() {
		c.n++
		c.crashed = c.n == c.at
	}
	if c.crashed {
		return vfs.ErrCrashed
	}
	return nil
}

// state returns how many changes there were, and whether it has crashed.
func (c *crashPoint) state() (changes int, crashed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n, c.crashed
}

// halt makes every further operation fail.
func (c *crashPoint) halt() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.crashed = true
}

// newSession opens a log that does not exist yet, on a file system that
// crashes before the at-th operation.
func newSession(t anyT, o *opened, log crashLog, mode SyncMode, at int) *session {
	s := &session{t: t, log: log, mem: vfs.NewMem(), point: &crashPoint{at: at}, opened: o, mode: mode, weak: mode, what: func() string { return "" }}
	if mode == SyncAlways {
		s.weak = SyncOS
	}
	s.open(mode)
	return s
}

func (s *session) otherMode() SyncMode {
	if s.mode == SyncAlways {
		return s.weak
	}
	return SyncAlways
}

// failed notes that an error ended the session. There is one reason for that.
func (s *session) failed(err error) bool {
	if err == nil {
		return false
	}
	require.ErrorIs(s.t, err, vfs.ErrCrashed)
	s.over = true
	return true
}

func (s *session) open(mode SyncMode) {
	p, err := s.opened.open(s.log, vfs.NewFault(s.mem, s.point.hook), mode)
	if s.failed(err) {
		return
	}
	s.p, s.mode = p, mode
	s.gen++
	_, next := p.Bounds()
	require.GreaterOrEqual(s.t, int(next), s.killed)
	require.LessOrEqual(s.t, int(next), s.acked)
	require.Equal(s.t, next, p.Durable())
	s.sent, s.acked, s.power, s.killed = s.sent[:next], int(next), int(next), int(next)
}

// make returns the next n records, and notes them as sent.
func (s *session) make(n int) [][]byte {
	var recs [][]byte
	s.sent = slices.Clone(s.sent[:s.acked])
	for range n {
		rec := crashRec(len(s.sent), s.gen)
		s.sent = append(s.sent, rec)
		recs = append(recs, []byte(rec))
	}
	return recs
}

func (s *session) append(n int) {
	_, err := s.p.AppendBatch(s.make(n))
	s.told(n, err)
}

// appendAt appends under the right condition and then under a wrong one.
func (s *session) appendAt() {
	recs := s.make(2)
	at := uint64(s.acked)
	s.told(2, s.p.AppendAt(at, recs...))
	if s.over {
		return
	}
	err := s.p.AppendAt(at, recs...)
	if _, conflict := errors.AsType[*ConflictError](err); !conflict {
		s.failed(err)
	}
}

// told notes the outcome of appending n records.
func (s *session) told(n int, err error) {
	if batch, ok := errors.AsType[*BatchError](err); ok {
		n = batch.Stored
	}
	s.acked += n
	if s.mode != SyncBuffered {
		s.killed = s.acked
	}
	if s.mode == SyncAlways {
		s.power = s.acked
	}
	s.failed(err)
}

func (s *session) sync() {
	if !s.failed(s.p.Sync()) {
		s.power, s.killed = s.acked, s.acked
	}
}

// wait lets the writer's goroutines do what is due.
func (s *session) wait() {
	time.Sleep(3 * time.Second)
	if _, s.over = s.point.state(); s.over {
		return
	}
	s.killed = s.acked
	if s.mode == SyncInterval {
		require.Equal(s.t, uint64(s.acked), s.p.Durable(), "the interval is over")
	}
}

func (s *session) reopen(mode SyncMode) {
	err := s.opened.close(s.p)
	s.leave()
	if s.failed(err) {
		return
	}
	s.power, s.killed = s.acked, s.acked
	if s.open(mode); !s.over {
		require.Equal(s.t, RecoveryReport{}, s.p.Recovery(), "it was closed")
	}
}

func (s *session) kill(mode SyncMode) {
	after := s.mem.Kill()
	changes, _ := s.point.state()
	point := &crashPoint{at: s.point.at, n: changes}
	s.point.halt()
	s.opened.drop(s.p)
	s.leave()
	s.mem, s.point = after, point
	s.open(mode)
}

// leave takes down what the writer said last that survives a power loss.
func (s *session) leave() {
	s.power = max(s.power, int(s.p.Durable()))
	s.p = nil
}

// end stops the session where it is.
func (s *session) end() {
	s.point.halt()
	if s.p != nil {
		s.opened.drop(s.p)
		s.leave()
	}
}

func (s *session) owedAfterPowerLoss() promise { return promise{sent: s.sent, atLeast: s.power} }
func (s *session) owedAfterKill() promise {
	return promise{sent: s.sent, atLeast: max(s.power, s.killed)}
}

// perform runs a workload up to the at-th operation on the file system. It
// returns how many there had been before the workload's last.
func perform(t anyT, o *opened, log crashLog, mode SyncMode, work []crashOp, at int) (s *session, before int) {
	s = newSession(t, o, log, mode, at)
	for i, op := range work {
		if s.over {
			break
		}
		if i == len(work)-1 {
			before, _ = s.point.state()
		}
		op.do(s)
	}
	s.end()
	return s, before
}

var dataLosses = []vfs.DataLoss{vfs.DataLost, vfs.DataKept, vfs.DataTorn, vfs.DataZeroed, vfs.DataGarbage, vfs.DataSubset}

// cut is one way to lose what was not synced.
type cut struct {
	name   string
	config vfs.CrashConfig
}

// cuts are all ways: what happens to bytes and to names, and what happens to
// the records where something else happens to the index.
func cuts(seed uint64) []cut {
	var all []cut
	for _, data := range dataLosses {
		for _, names := range []vfs.NameLoss{vfs.NamesLost, vfs.NamesKept, vfs.NamesSubset} {
			all = append(all, cut{fmt.Sprintf("data %v, names %v", data, names), vfs.CrashConfig{Data: data, Names: names, Seed: seed}})
		}
		for _, idx := range dataLosses {
			if idx == data {
				continue
			}
			file := func(name string) vfs.DataLoss {
				if strings.HasSuffix(name, ".index") {
					return idx
				}
				return data
			}
			all = append(all, cut{fmt.Sprintf("data %v, index %v", data, idx), vfs.CrashConfig{Names: vfs.NamesKept, Seed: seed, File: file}})
		}
	}
	return all
}

// fewCuts are those that make a difference within recovery, which changes
// names and sizes, and bytes only into what they are.
func fewCuts(seed uint64) []cut {
	var few []cut
	for _, data := range dataLosses {
		few = append(few, cut{fmt.Sprintf("data %v, names lost", data), vfs.CrashConfig{Data: data, Seed: seed}})
	}
	return append(few,
		cut{"data kept, names kept", vfs.CrashConfig{Data: vfs.DataKept, Names: vfs.NamesKept}},
		cut{"data lost, names kept", vfs.CrashConfig{Names: vfs.NamesKept}},
		cut{"any subset", vfs.CrashConfig{Data: vfs.DataSubset, Names: vfs.NamesSubset, Seed: seed}})
}

// matrix tests the crashes of workloads.
type matrix struct {
	log    crashLog
	mode   SyncMode
	seen   *seen
	opened *opened
	depth  int // how many crashes may follow within recovery
}

// workloads does work, and every longer one up to length.
func (m *matrix) workloads(t anyT, work []crashOp, length int) {
	m.crashes(t, work)
	if len(work) == length {
		return
	}
	for _, op := range crashOps {
		m.workloads(t, append(slices.Clone(work), op), length)
	}
}

// crashes crashes a workload before each operation of its last step, and
// after all.
func (m *matrix) crashes(t anyT, work []crashOp) {
	whole, before := perform(t, m.opened, m.log, m.mode, work, 0)
	changes, _ := whole.point.state()
	var last moment
	for at := before + 1; at <= changes+1; at++ {
		s, _ := perform(t, m.opened, m.log, m.mode, work, at)
		now := momentOf(t, s)
		if now.equal(last) {
			continue // a file was only opened
		}
		last = now
		what := func() string { return fmt.Sprintf("%v of %v, crashed before change %d: ", m.mode, names(work), at) }
		for _, c := range cuts(uint64(at)) {
			m.afterCut(t, s.mem.Crash(c.config), s.owedAfterPowerLoss(), m.depth, func() string { return what() + c.name })
		}
		m.afterKill(t, s.mem, now, s.owedAfterKill(), s.owedAfterPowerLoss(), m.depth, func() string { return what() + "killed" })
	}
}

// moment is what a crash at some time may leave at the most and at the least,
// and what is owed.
type moment struct {
	kept, lost    disk
	sent          int
	power, killed int
}

func momentOf(t anyT, s *session) moment {
	return moment{readDisk(t, s.mem.Kill()), readDisk(t, s.mem.Crash(vfs.CrashConfig{})), len(s.sent), s.power, s.killed}
}

func (m moment) equal(o moment) bool {
	return m.sent == o.sent && m.power == o.power && m.killed == o.killed &&
		o.kept != nil && maps.Equal(m.kept, o.kept) && maps.Equal(m.lost, o.lost)
}

// afterCut checks what a power loss left, if it was not seen before.
func (m *matrix) afterCut(t anyT, after *vfs.Mem, owed promise, depth int, what func() string) {
	left := readDisk(t, after)
	if m.seen.before(owed, fmt.Sprint("cut", depth), left) {
		return
	}
	for _, sync := range []SyncMode{SyncAlways, SyncOS} {
		what := func() string { return fmt.Sprintf("%s; opened with %v", what(), sync) }
		lines := m.log.requireSurvived(t, m.opened, after.Kill(), owed, sync, what)
		if depth > 0 {
			owed := m.log.onDisk(left, lines)
			m.recoveries(t, after, owed, owed, sync, depth, what)
		}
	}
}

// afterKill checks what the death of the process left: all that was written,
// some of it not on the disk. owedThen is what is owed when the power fails
// before the next writer has opened it.
func (m *matrix) afterKill(t anyT, dead *vfs.Mem, now moment, owed, owedThen promise, depth int, what func() string) {
	// Two states that are the same before and after a power loss differ in
	// nothing that matters.
	if m.seen.before(owed, fmt.Sprint("killed", depth), now.kept, now.lost) {
		return
	}
	for _, sync := range []SyncMode{SyncAlways, SyncOS} {
		what := func() string { return fmt.Sprintf("%s; opened with %v", what(), sync) }
		m.log.requireSurvived(t, m.opened, dead.Kill(), owed, sync, what)
		if depth > 0 {
			m.recoveries(t, dead, owed, owedThen, sync, depth, what)
		}
	}
}

// recoveries crashes the recovery of a log before each of its changes, and
// after all of them: by a power loss, after which owedThen is owed, and by the
// death of the process, after which owed is.
func (m *matrix) recoveries(t anyT, dead *vfs.Mem, owed, owedThen promise, sync SyncMode, depth int, what func() string) {
	for at, whole := 1, false; !whole; at++ {
		fsys, point := dead.Kill(), &crashPoint{at: at}
		p, err := m.opened.open(m.log, vfs.NewFault(fsys, point.hook), sync)
		point.halt()
		if whole = err == nil; whole {
			_, next := p.Bounds()
			owed.atLeast, owedThen.atLeast = int(next), int(next) // what a writer stands on is on the disk
			m.opened.drop(p)
		} else {
			require.ErrorIs(t, err, vfs.ErrCrashed, "%s", lazy(what))
		}
		what := func() string { return fmt.Sprintf("%s; crashed again before change %d of recovery: ", what(), at) }
		for _, c := range fewCuts(uint64(at)) {
			m.afterCut(t, fsys.Crash(c.config), owedThen, depth-1, func() string { return what() + c.name })
		}
		if depth == m.depth { // by kills once: the matrix is large
			now := moment{kept: readDisk(t, fsys.Kill()), lost: readDisk(t, fsys.Crash(vfs.CrashConfig{}))}
			m.afterKill(t, fsys, now, owed, owedThen, depth-1, func() string { return what() + "killed" })
		}
	}
}

func names(work []crashOp) string {
	var all []string
	for _, op := range work {
		all = append(all, op.name)
	}
	return "[" + strings.Join(all, ", ") + "]"
}

var syncModes = []SyncMode{SyncAlways, SyncInterval, SyncOS, SyncBuffered}

func TestCrashMatrix(t *testing.T) {
	length := 3
	if testing.Short() || raceEnabled {
		length = 2
	}
	eachFirstOp(t, func(t *testing.T, m *matrix, first crashOp) {
		m.workloads(t, nil, 0)
		m.workloads(t, []crashOp{first}, length)
	})
}

// TestCrashInRecovery crashes within recovery, and within the recovery from
// that.
func TestCrashInRecovery(t *testing.T) {
	if testing.Short() {
		t.Skip("short: the work of one goroutine")
	}
	depth := 2
	if raceEnabled {
		depth = 1
	}
	eachFirstOp(t, func(t *testing.T, m *matrix, first crashOp) {
		m.depth = depth
		if first.name == crashOps[0].name {
			m.crashes(t, nil) // within the opening that makes the log
		}
		m.crashes(t, []crashOp{first})
	})
}

// eachFirstOp makes the parts of a matrix that run in parallel, each on a
// clock of its own.
func eachFirstOp(t *testing.T, do func(t *testing.T, m *matrix, first crashOp)) {
	logs, modes := []crashLog{dirLog, bareLog}, syncModes
	if testing.Short() {
		logs, modes = logs[:1], modes[:2]
	}
	for _, log := range logs {
		for _, mode := range modes {
			shared := newSeen()
			for _, first := range crashOps {
				t.Run(fmt.Sprintf("%s/%v/%s", log.path[1:], mode, first.name), func(t *testing.T) {
					t.Parallel()
					synctest.Test(t, func(t *testing.T) {
						do(t, &matrix{log: log, mode: mode, seen: shared, opened: trackOpened(t)}, first)
					})
				})
			}
		}
	}
}
