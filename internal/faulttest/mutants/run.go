package mutants

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"
)

// Outcome is what became of a mutant.
type Outcome int

// The outcomes. Survived and Broken are failures.
const (
	Killed   Outcome = iota
	Survived         // a named test passes, although the line is gone
	Broken           // nothing is known: the mutant or its test is out of order
	Skipped          // a named test skips on this machine
)

// String returns the outcome in lower case.
func (o Outcome) String() string {
	return [...]string{"killed", "survived", "broken", "skipped"}[o]
}

// Result is the outcome for one mutant.
type Result struct {
	Mutant  Mutant
	Outcome Outcome
	Late    bool // a test was killed by its time limit, not by what it looks at
	Took    time.Duration
	Err     error // why it is broken, or which test passed or skipped
}

// Runner tries mutants on copies of a module.
type Runner struct {
	Root    string        // of the module; nothing in it is changed
	Workers int           // copies that are worked on at once; 0 means one a core
	Timeout time.Duration // the least limit of a test; 0 means 20 seconds

	// Report is called for each mutant, by one goroutine at a time.
	Report func(Result)
}

func (r *Runner) workers() int {
	if r.Workers > 0 {
		return r.Workers
	}
	return runtime.GOMAXPROCS(0)
}

// limit is how long a test may take that took so long without a mutant.
func (r *Runner) limit(control time.Duration) time.Duration {
	least := r.Timeout
	if least <= 0 {
		least = 20 * time.Second
	}
	return max(least, 5*control)
}

// controlLimit is how long a test may take without a mutant.
const controlLimit = 2 * time.Minute

// Run tries the mutants, after it has seen that all the named tests pass
// without one. Its own error means that it could not go on; what was found is
// reported.
func (r *Runner) Run(ctx context.Context, list []Mutant) (err error) {
	trees, err := r.copies(min(r.workers(), len(list)))
	defer func() {
		for _, t := range trees {
			err = errors.Join(err, t.remove())
		}
	}()
	if err != nil {
		return err
	}
	c := newControls(list)
	share(trees, c.packages, func(t *tree, pkg string) { c.try(ctx, t, pkg) })
	var mu sync.Mutex
	share(trees, list, func(t *tree, m Mutant) {
		if ctx.Err() != nil {
			return
		}
		res := r.try(ctx, t, &m, c)
		mu.Lock()
		defer mu.Unlock()
		if ctx.Err() == nil {
			r.Report(res)
		}
	})
	return context.Cause(ctx)
}

func (r *Runner) copies(n int) (trees []*tree, err error) {
	for range n {
		t, err := newTree(r.Root)
		if err != nil {
			return trees, err
		}
		trees = append(trees, t)
	}
	return trees, nil
}

// share lets each tree work on one item at a time, until all are done.
func share[T any](trees []*tree, items []T, work func(*tree, T)) {
	queue := make(chan T, len(items))
	for _, item := range items {
		queue <- item
	}
	close(queue)
	var wg sync.WaitGroup
	for _, t := range trees {
		wg.Go(func() {
			for item := range queue {
				work(t, item)
			}
		})
	}
	wg.Wait()
}

// try puts one mutant into a copy and runs its tests.
func (r *Runner) try(ctx context.Context, t *tree, m *Mutant, c *controls) Result {
	res := Result{Mutant: *m}
	begun := time.Now()
	err := t.with(m, func() {
		for _, test := range m.Kills {
			if res.Outcome, res.Err = r.kill(ctx, t, test, c, &res.Late); res.Outcome != Killed {
				return
			}
		}
	})
	if err != nil {
		res.Outcome, res.Err = Broken, err
	}
	res.Took = time.Since(begun)
	return res
}

// kill runs one test while the mutant is in the copy.
func (r *Runner) kill(ctx context.Context, t *tree, test Test, c *controls, late *bool) (Outcome, error) {
	control, err := c.of(test)
	if err != nil {
		return Broken, err
	}
	if control.skipped {
		return Skipped, fmt.Errorf("%s skips here", test)
	}
	if err := t.build(ctx, test.Pkg); err != nil {
		return Broken, err
	}
	v, err := t.run(ctx, test, r.limit(control.took))
	if err != nil {
		return Broken, err
	}
	*late = *late || v.late
	if !v.failed {
		return Survived, fmt.Errorf("%s passes", test)
	}
	return Killed, nil
}
