package partition

import (
	"context"
	"runtime"
	"sync"
)

// The bounds of what is found at a time: together with the blocks they bound
// the memory of verifying, however many lines and problems there are.
const (
	maxEnds     = 8 << 10
	maxProblems = 256
	laneDepth   = 16 // findings that a lane may be ahead
)

// findings are what an examiner says of some lines in a row.
type findings struct {
	ends     []int64    // where the whole lines end
	problems []numbered // in the order of the lines
	last     bool       // of the block
	err      error      // what ended the examination

	tailStart int64 // where bytes without a newline begin, if the last problem is about some
	complete  bool  // and whether they are a whole object or array
}

// numbered is a problem of a line, by its number within the findings.
type numbered struct {
	Problem
	line int
}

// lanes examine the blocks of a file on several goroutines. Lane i takes the
// blocks i, i+n, i+2n and so on: who listens to the lanes in turn, as far as
// the last findings of a block each time, hears the blocks in their order.
type lanes struct {
	ctx  context.Context
	out  []chan *findings
	used sync.Pool
}

// startLanes begins to examine count blocks. The goroutines end with ctx, and
// wait waits for them.
func startLanes(ctx context.Context, count int64, examine func() *examiner) (l *lanes, wait func()) {
	n := min(int64(runtime.GOMAXPROCS(0)), count)
	l = &lanes{ctx: ctx, used: sync.Pool{New: func() any { return new(findings) }}}
	var wg sync.WaitGroup
	for lane := range n {
		out := make(chan *findings, laneDepth)
		l.out = append(l.out, out)
		wg.Go(func() {
			defer close(out)
			l.lane(examine(), out, lane, n, count)
		})
	}
	return l, wg.Wait
}

// lane examines every n-th block from first on. Its error is its last word.
func (l *lanes) lane(x *examiner, out chan<- *findings, first, n, count int64) {
	x.findings = l.empty()
	x.emit = func(f *findings) error {
		x.findings = l.empty()
		select {
		case out <- f:
			return nil
		case <-l.ctx.Done():
			return context.Cause(l.ctx)
		}
	}
	for k := first; k < count; k += n {
		if err := x.run(k); err != nil {
			x.err = err
			_ = x.emit(x.findings) // it fails where nobody listens any more
			return
		}
	}
}

// empty returns findings to fill.
func (l *lanes) empty() *findings {
	f := l.used.Get().(*findings)
	*f = findings{ends: f.ends[:0], problems: f.problems[:0]}
	return f
}

// block hands the findings about block k to take.
func (l *lanes) block(k int64, take func(*findings) error) error {
	for f := range l.out[k%int64(len(l.out))] {
		if err := take(f); err != nil {
			return err
		}
		last := f.last
		l.used.Put(f)
		if last {
			return nil
		}
	}
	return context.Cause(l.ctx) // nothing else ends a lane early
}
