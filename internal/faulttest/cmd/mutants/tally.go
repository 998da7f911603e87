package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"example.com/jlq/internal/faulttest/mutants"
)

// tally prints what becomes of the mutants, and counts.
type tally struct {
	out      io.Writer
	progress io.Writer // where a terminal shows how far it is
	total    int
	begun    time.Time
	counts   map[mutants.Outcome]int
	late     int
	done     int
}

func newTally(out io.Writer, total int, terminal bool) *tally {
	t := &tally{out: out, progress: io.Discard, total: total, begun: time.Now(), counts: map[mutants.Outcome]int{}}
	if terminal {
		t.progress = os.Stderr
	}
	t.showProgress()
	return t
}

// showProgress overwrites itself, and is overwritten by the next line.
func (t *tally) showProgress() {
	fmt.Fprintf(t.progress, "\r\x1b[K%d of %d, %v\r", t.done, t.total, t.since())
}

func (t *tally) since() time.Duration { return time.Since(t.begun).Round(time.Second) }

// report prints the line of one mutant.
func (t *tally) report(r mutants.Result) {
	t.done++
	t.counts[r.Outcome]++
	fmt.Fprint(t.progress, "\x1b[K")
	fmt.Fprintf(t.out, "%-8s %-44s %5.1fs  %s\n", r.Outcome, r.Mutant.Name, r.Took.Seconds(), t.detail(r))
	t.showProgress()
}

// detail says which tests killed the mutant, or why they did not.
func (t *tally) detail(r mutants.Result) string {
	switch r.Outcome {
	case mutants.Killed:
		var names []string
		for _, test := range r.Mutant.Kills {
			names = append(names, test.String())
		}
		by := "by " + strings.Join(names, ", ")
		if r.Late {
			t.late++
			by += " (out of time)"
		}
		return by
	case mutants.Survived:
		return fmt.Sprintf("%v; %s: %s", r.Err, r.Mutant.File, r.Mutant.Why)
	}
	return r.Err.Error()
}

// end prints the sum and returns an error where not all are killed. That a
// test skips here is no failure: it says so, and runs elsewhere.
func (t *tally) end() error {
	fmt.Fprint(t.progress, "\x1b[K")
	fmt.Fprintf(t.out, "%d mutants: %d killed (%d of them out of time), %d survived, %d broken, %d skipped, in %v\n", t.done,
		t.counts[mutants.Killed], t.late, t.counts[mutants.Survived], t.counts[mutants.Broken], t.counts[mutants.Skipped], t.since())
	if bad := t.counts[mutants.Survived] + t.counts[mutants.Broken]; bad > 0 {
		return fmt.Errorf("%d mutants are not killed", bad)
	}
	return nil
}
