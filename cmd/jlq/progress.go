package main

import (
	"io"
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
	// A path may hold what would drive the terminal.
	a.bar = &progress{app: a, what: string(appendVisible(nil, []byte(what))), begun: time.Now()}
	return a.bar
}

// set shows how far the work is, in bytes. Where total is -1, as it is of a
// pipe, the bar shows the rate.
func (p *progress) set(done, total int64) {
	if p.app == nil {
		return
	}
	if p.bar == nil {
		// It counts from the beginning, or its first rate would be absurd; it
		// is drawn when the work has turned out to be long.
		p.bar = progressbar.NewOptions64(total,
			progressbar.OptionSetWriter(&lateWriter{p.app.stderr, p.begun.Add(progressDelay)}),
			progressbar.OptionSetDescription(p.what),
			progressbar.OptionShowBytes(true),
			progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionClearOnFinish(),
			progressbar.OptionSetWidth(20))
	}
	_ = p.bar.Set64(done) // a bar that cannot be drawn does no harm
}

// lateWriter drops what is written before its time.
type lateWriter struct {
	w    io.Writer
	from time.Time
}

func (l *lateWriter) Write(p []byte) (int, error) {
	if time.Now().Before(l.from) {
		return len(p), nil
	}
	return l.w.Write(p)
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
