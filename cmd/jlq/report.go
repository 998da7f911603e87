package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
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
	} else {
		a.hint(lostTopic(err))
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
	attrs []slog.Attr
}

// Enabled implements [slog.Handler].
func (h *logHandler) Enabled(_ context.Context, level slog.Level) bool {
	return level >= h.least
}

// Handle implements [slog.Handler].
func (h *logHandler) Handle(_ context.Context, r slog.Record) error {
	attrs := slices.Clip(h.attrs)
	r.Attrs(func(attr slog.Attr) bool {
		attrs = append(attrs, attr)
		return true
	})
	text := sentence(r.Message, attrs)
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
	next.attrs = append(slices.Clip(next.attrs), attrs...)
	return &next
}

// WithGroup implements [slog.Handler]; the names are clear without groups.
func (h *logHandler) WithGroup(string) slog.Handler { return h }

// sentence says what was told of: where, what (the details): why.
func sentence(message string, attrs []slog.Attr) string {
	where, why, details := "", "", []string(nil)
	for _, attr := range attrs {
		switch attr.Key {
		case "log", "path":
			where = attr.Value.String() + ": "
		case "reason", "err", "error":
			why += ": " + attr.Value.String()
		default:
			details = append(details, fmt.Sprintf("%s %v", attr.Key, attr.Value))
		}
	}
	if details != nil {
		message += " (" + strings.Join(details, ", ") + ")"
	}
	return where + message + why
}
