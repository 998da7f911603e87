package main

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"
)

const (
	// progressDelay is how long work must take before a bar appears.
	progressDelay = 500 * time.Millisecond
	// progressPeriod is how often it is drawn again.
	progressPeriod = 100 * time.Millisecond
	progressWidth  = 20
)

// progress is a bar on stderr, if that is a terminal and the work is long.
// The zero value shows nothing.
//
// It is written by hand because a library for it brings a web server along:
// half of the program's size, and a sixth of the time that it takes to start.
type progress struct {
	app  *app
	what string

	mu         sync.Mutex
	begun      time.Time
	first      int64 // how far the work was at its first step
	stepped    bool
	drawn      time.Time
	onScreen   bool
	over       bool
	width      func() int // columns of the terminal, which may change
	terminator string     // takes the rest of a line away
}

// startProgress prepares a bar for work that begins now.
func (a *app) startProgress(what string) *progress {
	if !isTerminal(a.stderr) || os.Getenv("TERM") == "dumb" {
		return &progress{}
	}
	// A path may hold what would drive the terminal.
	bar := newProgress(a, string(appendVisible(nil, []byte(what))))
	a.bar.Store(bar)
	return bar
}

func newProgress(a *app, what string) *progress {
	return &progress{app: a, what: what, begun: time.Now(), width: func() int { return columns(a.stderr) }, terminator: "\x1b[K"}
}

// columns is the width of a terminal, or what most have.
func columns(stream any) int {
	if f, ok := stream.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			return width
		}
	}
	return 80
}

// set shows how far the work is, in bytes. Where total is -1, as it is of a
// pipe, the bar shows the rate.
func (p *progress) set(done, total int64) {
	if p.app == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		return
	}
	now := time.Now()
	if !p.stepped {
		// Work that goes on where it ended last time has a rate of what is new.
		p.first, p.stepped = done, true
	}
	if now.Sub(p.begun) < progressDelay || now.Sub(p.drawn) < progressPeriod {
		return
	}
	p.drawn, p.onScreen = now, true
	text := p.text(done, total, now.Sub(p.begun))
	// A bar that cannot be drawn does no harm.
	_, _ = fmt.Fprintf(p.app.stderr, "\r%s%s", cutText(text, p.width()-1), p.terminator)
}

// text is the bar: what is done, how much of it, how fast, and how long it
// will take.
func (p *progress) text(done, total int64, took time.Duration) string {
	rate := float64(done-p.first) / took.Seconds()
	speed := bytesText(int64(rate)) + "/s"
	if total <= 0 {
		return fmt.Sprintf("%s  %s  %s", p.what, bytesText(done), speed)
	}
	part := min(1, float64(done)/float64(total))
	full := int(part * progressWidth)
	eta := "--"
	if rate > 0 {
		eta = etaText(time.Duration(float64(max(0, total-done)) / rate * float64(time.Second)))
	}
	return fmt.Sprintf("%s %3.0f%% [%s%s] %s of %s  %s  ETA %s", p.what, part*100,
		strings.Repeat("=", full), strings.Repeat(" ", progressWidth-full), bytesText(done), bytesText(total), speed, eta)
}

// etaText is a length of time to the second: 7s, 1m20s, 2h05m.
func etaText(d time.Duration) string {
	switch s := int64(min(d, 1000*time.Hour).Seconds() + 0.5); {
	case s < 60:
		return fmt.Sprintf("%ds", s)
	case s < 3600:
		return fmt.Sprintf("%dm%02ds", s/60, s%60)
	default:
		return fmt.Sprintf("%dh%02dm", s/3600, s/60%60)
	}
}

// cutText cuts a line to what a terminal of so many columns has room for: in
// front, because what changes is behind.
func cutText(text string, most int) string {
	letters := []rune(text)
	if len(letters) <= most {
		return text
	}
	if most < 2 {
		return ""
	}
	return "…" + string(letters[len(letters)-most+1:])
}

// clear makes room for a report; the bar is drawn again with the next step.
func (p *progress) clear() { p.clearAnd(false) }

func (p *progress) clearAnd(over bool) {
	if p.app == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = p.over || over
	if p.onScreen {
		_, _ = fmt.Fprint(p.app.stderr, "\r"+p.terminator)
		p.onScreen = false
	}
}

// finish takes the bar away for good.
func (p *progress) finish() {
	p.clearAnd(true)
	if p.app != nil {
		p.app.bar.CompareAndSwap(p, nil)
	}
}
