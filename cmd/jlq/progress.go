package main

import (
	"time"

	"github.com/schollz/progressbar/v3"
)

// progressDelay is how long work must take before a bar appears.
const progressDelay = 500 * time.Millisecond

// progress is a bar on stderr, if that is a terminal and the work is long.
// The zero value shows nothing.
type progress struct {
	app   *app
	what  string
	begun time.Time
	bar   *progressbar.ProgressBar
}

// startProgress prepares a bar for work that begins now.
func (a *app) startProgress(what string) *progress {
	if !isTerminal(a.stderr) {
		return &progress{}
	}
	a.bar = &progress{app: a, what: what, begun: time.Now()}
	return a.bar
}

// set shows how far the work is, in bytes. Where total is -1, as it is of a
// pipe, the bar shows the rate.
func (p *progress) set(done, total int64) {
	if p.app == nil || p.bar == nil && time.Since(p.begun) < progressDelay {
		return
	}
	if p.bar == nil {
		p.bar = progressbar.NewOptions64(total,
			progressbar.OptionSetWriter(p.app.stderr),
			progressbar.OptionSetDescription(p.what),
			progressbar.OptionShowBytes(true),
			progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionClearOnFinish(),
			progressbar.OptionSetWidth(20))
	}
	_ = p.bar.Set64(done) // a bar that cannot be drawn does no harm
}

// clear makes room for a report; the bar is drawn again with the next step.
func (p *progress) clear() {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}

// finish takes the bar away.
func (p *progress) finish() {
	p.clear()
	if p.app != nil {
		p.app.bar = nil
	}
}
