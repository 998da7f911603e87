package faulttest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// job is something that one process does to the files of a log, and that
// meets a fault.
type job interface {
	fmt.Stringer
	// attempt does it in an empty directory and returns what is wrong then; f
	// is nil where all should go well.
	attempt(jlq, dir string, f *fault) (*traced, error)
	// faults are those to try, by the calls of an attempt without any.
	faults(calls []call) []fault
}

// matrix is a set of cases that run beside each other.
type matrix struct {
	t       *testing.T
	jlq     string
	ran     atomic.Int64
	missed  atomic.Int64 // the process did not come to that call this time
	ignored sync.Map     // faults without consequence
}

// oneCase is a job and the fault that it meets.
type oneCase struct {
	job
	fault
}

// runMatrix runs n faults of all jobs, or all.
func runMatrix[J job](t *testing.T, jobs []J, n int) {
	m := &matrix{t: t, jlq: jlq(t)}
	var cases []oneCase
	for _, j := range jobs {
		r, err := j.attempt(m.jlq, t.TempDir(), nil)
		require.NoError(t, err, "%v without a fault", j)
		for _, f := range j.faults(r.calls) {
			cases = append(cases, oneCase{j, f})
		}
	}
	total := len(cases)
	m.run(sample(rand.New(rand.NewPCG(seed(t), 0)), cases, n))
	t.Logf("%d of %d cases; %d did not meet their fault", m.ran.Load(), total, m.missed.Load())
	t.Logf("without consequence: %v", m.ignoredNames())
	// The threads of a process do not run in the same order each time, but
	// most calls are those of the first run.
	require.Less(t, m.missed.Load(), m.ran.Load()/10+2)
}

// run runs cases four at a time: they wait for the disk.
func (m *matrix) run(cases []oneCase) {
	todo := make(chan oneCase)
	var done sync.WaitGroup
	for range 4 {
		done.Go(func() {
			for c := range todo {
				m.one(c)
			}
		})
	}
	for _, c := range cases {
		todo <- c
	}
	close(todo)
	done.Wait()
}

func (m *matrix) one(c oneCase) {
	dir, err := os.MkdirTemp(m.t.TempDir(), "")
	if err == nil {
		var r *traced
		r, err = c.attempt(m.jlq, dir, &c.fault)
		m.count(r, c)
		err = errors.Join(err, os.RemoveAll(dir))
	}
	if err != nil {
		m.t.Errorf("%v: %v: %v", c.job, c.fault, err)
	}
}

func (m *matrix) count(r *traced, c oneCase) {
	m.ran.Add(1)
	switch {
	case r == nil:
	case !r.struck:
		m.missed.Add(1)
	case c.errno != 0 && r.status == 0:
		m.ignored.Store(c.at.String(), true)
	}
}

func (m *matrix) ignoredNames() (names []string) {
	m.ignored.Range(func(name, _ any) bool {
		names = append(names, name.(string))
		return true
	})
	slices.Sort(names)
	return names
}
