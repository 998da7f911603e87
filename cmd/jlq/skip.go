package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"example.com/jlq/internal/jsonl"
	"example.com/jlq/internal/segment"
	"example.com/jlq/reader"
)

// skipFlag is --on-bad of the commands that print records.
type skipFlag struct{ choice }

func (f *skipFlag) add(cmd *cobra.Command) {
	f.choice = newChoice("fail", "skip")
	cmd.Flags().Var(f, "on-bad", "what to do about records that are damaged or away: fail, or skip them and blank lines and say at the end how many they were")
}

// skipper leaves out what --on-bad skip leaves out: records that cannot be
// read, blank lines, which are also what repair puts in the place of records
// that were lost, and in a bare file, of which every line is a record, lines
// that hold NUL.
type skipper struct {
	app     *app
	mu      sync.Mutex // one goroutine may read while another looks at lines
	name    string     // of the log
	bare    bool
	from    uint64 // records below are not asked for
	damaged gaps
	away    gaps // in segments that are not there
	large   gaps // than may be read
	blank   gaps
	invalid gaps // not JSON, in a format that has to read them
}

// damage takes what the reader passes over.
func (s *skipper) damage(d reader.Damage) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if d.Records == 0 {
		s.app.complain(d.Err)
		return nil
	}
	if d.Offset < s.from {
		below := min(d.Records, s.from-d.Offset)
		if below == d.Records {
			return nil
		}
		d.Offset, d.Records, d.Position = s.from, d.Records-below, d.End
	}
	_, away := errors.AsType[*segment.SegmentAwayError](d.Err)
	switch {
	case away:
		s.away.add(d.Offset, d.Records, 0)
	case errors.Is(d.Err, jsonl.ErrTooLarge):
		s.large.add(d.Offset, d.Records, d.End-d.Position)
	default:
		s.damaged.add(d.Offset, d.Records, d.End-d.Position)
	}
	s.tellAtOnce()
	return nil
}

// leavesOut reports whether a record is one that is not printed.
func (s *skipper) leavesOut(rec reader.Record) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	size := int64(len(rec.Data)) + 1
	switch {
	case len(bytes.Trim(rec.Data, " \t\r")) == 0:
		s.blank.add(rec.Offset, 1, size)
	case s.bare && bytes.IndexByte(rec.Data, 0) >= 0:
		s.damaged.add(rec.Offset, 1, size)
	default:
		return false
	}
	s.tellAtOnce()
	return true
}

// notJSON takes a record that is not JSON, which a format cannot show.
func (s *skipper) notJSON(rec reader.Record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.invalid.add(rec.Offset, 1, int64(len(rec.Data))+1)
	s.tellAtOnce()
}

// tellAtOnce tells while following, which has no end.
func (s *skipper) tellAtOnce() {
	if s.app.out.isLive() {
		s.tell()
	}
}

// tell says what was left out since it was called last.
func (s *skipper) tell() {
	s.damaged.tell(s.app, s.name, "damaged")
	s.large.tell(s.app, s.name, tooLargeText)
	s.away.tell(s.app, s.name, "away")
	s.blank.tell(s.app, s.name, "blank")
	s.invalid.tell(s.app, s.name, "not JSON")
}

// tooLargeText is what records are that are larger than they may be.
const tooLargeText = "larger than --max-record allows"

// gaps counts records that were left out, and remembers where the first runs
// of them were.
type gaps struct {
	count  uint64
	bytes  int64
	runs   []span
	others int // runs that are not remembered
}

const shownRuns = 5

// add counts a run of records that follows, or precedes, those before.
func (g *gaps) add(offset, records uint64, size int64) {
	g.count += records
	g.bytes += max(size, 0)
	if offset == reader.UnknownOffset || offset > math.MaxUint64-records {
		return
	}
	run := span{offset, offset + records}
	if last := len(g.runs) - 1; last >= 0 && g.others == 0 {
		switch {
		case g.runs[last].to == run.from:
			g.runs[last].to = run.to
			return
		case g.runs[last].from == run.to:
			g.runs[last].from = run.from
			return
		}
	}
	if len(g.runs) == shownRuns {
		g.others++
		return
	}
	g.runs = append(g.runs, run)
}

// tell says of what log they are, and what, and forgets them.
func (g *gaps) tell(a *app, name, what string) {
	if g.count == 0 {
		return
	}
	verb := "are"
	if g.count == 1 {
		verb = "is"
	}
	a.report("%s: skipped %s that %s %s", name, g.text(), verb, what)
	*g = gaps{}
}

// text is "3 records (offsets 5 to 7, 1024 bytes)".
func (g *gaps) text() string {
	var about []string
	slices.SortFunc(g.runs, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	for _, run := range g.runs {
		if run.to-run.from == 1 {
			about = append(about, uintText(run.from))
		} else {
			about = append(about, fmt.Sprintf("%d to %d", run.from, run.to-1))
		}
	}
	if len(about) > 0 {
		name := "offset "
		if g.count > 1 {
			name = "offsets "
		}
		about[0] = name + about[0]
	}
	if g.others > 0 {
		about = append(about, fmt.Sprintf("and %d more", g.others))
	}
	if g.bytes > 0 {
		about = append(about, countText(uint64(g.bytes), "byte"))
	}
	return fmt.Sprintf("%s (%s)", recordsText(g.count), strings.Join(about, ", "))
}
