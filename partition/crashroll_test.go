package partition

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/segment"
	"example.com/jlq/internal/vfs"
)

// The crash matrix of rolling: workloads in which segments are sealed, by hand
// and by a limit, crashed before each change, with each way to lose what was
// not synced, and again within the recovery from that.

var rollOps = []crashOp{
	{"one", func(s *session) { s.append(1) }},
	{"batch", func(s *session) { s.append(3) }},
	{"roll", (*session).roll},
	{"reopen", func(s *session) { s.reopen(s.mode) }},
	{"kill and switch", func(s *session) { s.kill(s.otherMode()) }},
}

// roll seals what there is. All of it is on the disk then.
func (s *session) roll() {
	err := s.p.Roll()
	if errors.Is(err, ErrEmptySegment) {
		return
	}
	if !s.failed(err) {
		s.power, s.killed = s.acked, s.acked
	}
}

// requireRolled is requireSurvived for a log of several segments: the records
// are what is owed, each segment leads to the next, and nothing is found that
// has to be recovered a second time.
func (l crashLog) requireRolled(t anyT, open *opened, after *vfs.Mem, owed promise, sync SyncMode, what func() string) []string {
	p := open.must(t, l, after, sync, what)
	lines := read(t, p, 0)
	l.requireOwed(t, lines, owed, what)
	require.Equal(t, uint64(len(lines)), p.Durable(), "%s: what was opened is on the disk", lazy(what))
	l.requireReads(t, after, lines, what)
	l.requireJoined(t, after, lines, what)

	owed = promise{sent: slices.Clone(lines), atLeast: len(lines)}
	for range 2 {
		next := crashRec(len(owed.sent), 99)
		offset, err := p.Append([]byte(next))
		require.NoError(t, err, "%s", lazy(what))
		require.Equal(t, uint64(len(owed.sent)), offset, "%s", lazy(what))
		owed.sent = append(owed.sent, next)
		if err := p.Roll(); !errors.Is(err, ErrEmptySegment) {
			require.NoError(t, err, "%s", lazy(what))
		}
	}
	owed.atLeast += 2 // rolling syncs
	again := after.Crash(vfs.CrashConfig{})
	open.drop(p)
	p = open.must(t, l, again, sync, what)
	requireLines(t, owed.sent, read(t, p, 0), what)
	require.NoError(t, open.close(p), "%s", lazy(what))
	closed := readDisk(t, again)
	p = open.must(t, l, again, sync, what)
	require.Equal(t, RecoveryReport{}, p.Recovery(), "%s", lazy(what))
	require.NoError(t, open.close(p), "%s", lazy(what))
	require.Equal(t, closed, readDisk(t, again), "%s", lazy(what))
	l.requireJoined(t, again, owed.sent, what)
	return lines
}

// requireJoined: the files of the segments, one after the other, are the
// lines, each has the index of its records, and only the last may be empty.
func (l crashLog) requireJoined(t anyT, fsys vfs.FS, lines []string, what func() string) {
	found, err := segment.Place{Path: l.path}.Files(fsys)
	require.NoError(t, err)
	left := readDisk(t, fsys)
	for i, f := range found {
		recs := left[f.Records]
		require.True(t, f.HasRecords && f.HasIndex, "%s: %s", f.Records, lazy(what))
		require.Equal(t, newlineIndex(recs), []byte(left[f.Index]), "%s", lazy(what))
		require.True(t, recs != "" || i == len(found)-1, "%s is empty: %s", f.Records, lazy(what))
		n := 0
		for _, line := range lines[min(int(f.Base), len(lines)):] {
			if n+len(line)+1 > len(recs) {
				break
			}
			require.Equal(t, line+"\n", recs[n:n+len(line)+1], "%s: %s", f.Records, lazy(what))
			n += len(line) + 1
		}
		require.Equal(t, len(recs), n, "%s: %s", f.Records, lazy(what))
	}
}

// TestCrashRoll: whatever a crash within or behind a roll leaves, the log
// opens, nothing that was owed is lost, and no offset is given out twice.
func TestCrashRoll(t *testing.T) {
	length := 3
	if testing.Short() || raceEnabled {
		length = 2
	}
	for name, log := range map[string]crashLog{"by hand": rollLog, "by a limit": limitedLog(2)} {
		for _, mode := range []SyncMode{SyncAlways, SyncOS, SyncBuffered} {
			shared := newSeen()
			for _, second := range rollOps {
				t.Run(fmt.Sprintf("%s/%v/%s", name, mode, second.name), func(t *testing.T) {
					t.Parallel()
					synctest.Test(t, func(t *testing.T) {
						m := &matrix{log: log, mode: mode, seen: shared, opened: trackOpened(t)}
						m.rolls(t, []crashOp{rollOps[0], second}, length)
					})
				})
			}
		}
	}
}

// rolls does work, and every longer one up to length. The shortest, of two
// operations, are crashed within recovery as well.
func (m *matrix) rolls(t anyT, work []crashOp, length int) {
	m.depth = 0
	if len(work) == 2 && length > 2 {
		m.depth = 1
	}
	m.crashes(t, work)
	if len(work) == length {
		return
	}
	for _, op := range rollOps {
		m.rolls(t, append(slices.Clone(work), op), length)
	}
}
