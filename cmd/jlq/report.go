package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
)

// report prints one line to stderr. It is the only place that does, so that
// every line begins alike and none can drive a terminal.
func (a *app) report(format string, args ...any) {
	text := strings.TrimRight(fmt.Sprintf(format, args...), "\n")
	var b []byte
	for i, line := range strings.Split(text, "\n") {
		if i == 0 {
			b = append(b, "jlq: "...)
		}
		b = append(appendVisible(b, []byte(line)), '\n')
	}
	if bar := a.bar.Load(); bar != nil {
		bar.clear()
	}
	if a.out.tty {
		_ = a.out.Show() // the screen shows things in order; errors are sticky
	}
	if a.out.paged() && isTerminal(a.stderr) {
		a.mu.Lock()
		a.later = append(a.later, b...) // the screen is the pager's now
		a.mu.Unlock()
		return
	}
	// There is no one left to tell when stderr cannot be written to.
	_, _ = a.stderr.Write(b)
}

// complain reports an error, once, unless it is one that ends the program
// silently.
func (a *app) complain(err error) {
	if err == nil || quiet(err) || errors.Is(err, a.told) {
		return
	}
	a.told = err
	a.report("%v", err)
	if usage, ok := errors.AsType[*usageError](err); ok {
		a.hint(usage.hint)
	}
}

// hint says what would help, where there is something.
func (a *app) hint(text string) {
	if text != "" {
		a.report("hint: %s", text)
	}
}

func quiet(err error) bool {
	if coded, ok := errors.AsType[*codeError](err); ok && coded.err == nil {
		return true
	}
	_, signalled := errors.AsType[signalError](err)
	return signalled || brokenPipe(err) || errors.Is(err, context.Canceled)
}

// logger passes on what the library did on its own.
func (a *app) logger() *slog.Logger { return slog.New(&logHandler{app: a, least: slog.LevelInfo}) }

// warner passes on only what is wrong, and that once: who consumes does not want
// to hear of each partition that is taken and given up, nor of a damaged file
// as often as it is looked at.
func (a *app) warner() *slog.Logger { return slog.New(&logHandler{app: a, least: slog.LevelWarn}) }

// logHandler prints log lines the way reports are printed: what they are about
// stands first.
type logHandler struct {
	app   *app
	least slog.Level
	attrs string
}

// Enabled implements [slog.Handler].
func (h *logHandler) Enabled(_ context.Context, level slog.Level) bool {
	return level >= h.least
}

// Handle implements [slog.Handler].
func (h *logHandler) Handle(_ context.Context, r slog.Record) error {
	where, rest := "", ""
	r.Attrs(func(attr slog.Attr) bool {
		if attr.Key == "log" || attr.Key == "path" {
			where = attr.Value.String() + ": "
		} else {
			rest += attrText(attr)
		}
		return true
	})
	text := where + r.Message + h.attrs + rest
	if h.least >= slog.LevelWarn {
		if _, again := h.app.warned.LoadOrStore(r.Message, true); again {
			return nil
		}
	}
	h.app.report("%s", text)
	return nil
}

// WithAttrs implements [slog.Handler].
func (h *logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	next := *h
	for _, attr := range attrs {
		next.attrs += attrText(attr)
	}
	return &next
}

// WithGroup implements [slog.Handler]; the names are clear without groups.
func (h *logHandler) WithGroup(string) slog.Handler { return h }

func attrText(attr slog.Attr) string {
	switch attr.Key {
	case "reason", "err", "error":
		return fmt.Sprintf(": %v", attr.Value)
	}
	return fmt.Sprintf(" %s=%v", attr.Key, attr.Value)
}
