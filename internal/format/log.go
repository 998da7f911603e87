package format

import (
	"bytes"
	"strings"
	"time"

	"example.com/jlq/internal/jsonl"
)

// logView lays out the records of a service's log:
//
//	2026-11-30 10:00:00.123Z ERROR db: connection lost host=db-1 attempt=3 @db/pool.go:17
//
// Strings of several lines, such as stack traces, stand below, indented. A
// record that has neither a level nor a message is compact JSON.
type logView struct {
	opts   *Options
	chosen bool // by the records, or by the user
	alone  bool // the user chose it
	roles  [roles][]byte
	rank   [roles]uint8
	level  level
	at     time.Time
	name   []byte // of the field at hand, with dots
	out    []byte // the line
	lines  []byte // what stands below
	plain  []byte // a string without its escapes
	buf    []byte
}

func newLog(o *Options) *logView { return &logView{opts: o, chosen: true, alone: true} }

// newLogIf is the view that is used where records look like it.
func newLogIf(o *Options) *logView {
	if o.Format != "" || !o.Human {
		return nil
	}
	return &logView{opts: o}
}

// decide finds out whether the records of a log are shown by this view: the first
// that is JSON has a time, and a level or a message. It reports whether that is
// known by now.
func (v *logView) decide(rec *Record) bool {
	if v.chosen || rec.check() != nil {
		return v.chosen
	}
	v.look(rec)
	v.chosen = v.roles[timeRole] != nil && (v.roles[levelRole] != nil || v.roles[messageRole] != nil)
	return true
}

// look finds the fields that have a place of their own.
func (v *logView) look(rec *Record) {
	clear(v.roles[:])
	v.level = noLevel
	raw, _ := jsonl.Field(rec.json())
	v.name = v.name[:0]
	v.walk(raw, false)
	if v.opts.TimeField != "" {
		v.timeFrom(rec)
	}
}

// timeFrom takes the time from where the user says that it is.
func (v *logView) timeFrom(rec *Record) {
	v.roles[timeRole] = nil
	if at, ok := jsonl.Time(rec.json(), v.opts.TimeField); ok {
		raw, ok := jsonl.Field(rec.json(), v.opts.TimeField)
		if !ok {
			raw, _ = jsonl.Field(rec.json(), strings.Split(v.opts.TimeField, ".")...)
		}
		v.roles[timeRole], v.at = raw, at
	}
}

// walk visits the fields of an object, and instead of an object in it the fields
// of that; v.name is the name of the one that is visited. Where show says so, it
// appends them to v.out, or else it takes the places that they have.
func (v *logView) walk(obj []byte, show bool) {
	begin := len(v.name)
	for key, value, next := jsonl.NextMember(obj, 1); value != nil; key, value, next = jsonl.NextMember(obj, next) {
		v.name = v.name[:begin]
		if begin > 0 {
			v.name = append(v.name, '.')
		}
		v.name = jsonl.AppendUnescaped(v.name, key)
		switch {
		case value[0] == '{' && len(value) > 2:
			v.walk(value, show)
		case !show:
			v.role(value)
		case !v.placed(value):
			v.appendPair(value)
		}
	}
	v.name = v.name[:begin]
}

func (v *logView) append(dst []byte, rec *Record) ([]byte, error) {
	if err := rec.check(); err != nil {
		if v.alone {
			return dst, err
		}
		return AppendVisible(dst, rec.Data), nil // nobody asked for a format
	}
	v.look(rec)
	if v.roles[levelRole] == nil && v.roles[messageRole] == nil {
		v.buf = appendCompact(v.buf[:0], rec.json())
		return v.shown(dst, v.buf), nil
	}
	v.out, v.lines = v.out[:0], v.lines[:0]
	v.appendHead()
	v.appendMessage()
	raw, _ := jsonl.Field(rec.json())
	v.walk(raw, true)
	if caller := v.roles[callerRole]; caller != nil {
		v.gap()
		v.buf = append(append(v.buf[:0], '@'), v.text(caller)...)
		v.out = v.colored(v.out, metaText, v.buf)
	}
	return append(append(dst, v.out...), v.lines...), nil
}

// gap appends the space between two parts.
func (v *logView) gap() {
	if len(v.out) > 0 {
		v.out = append(v.out, ' ')
	}
}

// appendHead appends time, level and logger.
func (v *logView) appendHead() {
	if v.roles[timeRole] != nil {
		v.buf = v.at.In(v.opts.Zone).AppendFormat(v.buf[:0], "2006-01-02 15:04:05.000Z07:00")
		v.out = v.colored(v.out, timeText, v.buf)
	}
	if v.roles[levelRole] != nil {
		v.gap()
		v.buf = append(v.buf[:0], v.level.text()...)
		v.out = v.colored(v.out, v.level.class(), v.buf)
	}
	if logger := v.roles[loggerRole]; logger != nil {
		v.gap()
		v.buf = append(append(v.buf[:0], v.text(logger)...), ':')
		v.out = v.colored(v.out, metaText, v.buf)
	}
}

// appendMessage appends the message; what is behind its first line stands below.
func (v *logView) appendMessage() {
	raw := v.roles[messageRole]
	if raw == nil {
		return
	}
	text := bytes.TrimRight(v.text(raw), "\r\n")
	if i := bytes.IndexByte(text, '\n'); i >= 0 {
		v.below(text[i+1:])
		text = text[:i]
	}
	if len(text) > 0 {
		v.gap()
		v.out = v.colored(v.out, messageText, text)
	}
}

// placed reports whether value, which shares memory with the record, is one that
// has a place of its own.
func (v *logView) placed(value []byte) bool {
	for _, raw := range v.roles {
		if len(raw) > 0 && &raw[0] == &value[0] {
			return true
		}
	}
	return false
}

// appendPair appends name=value, and a value of several lines below.
func (v *logView) appendPair(raw []byte) {
	if raw[0] == '"' {
		if text := v.text(raw); bytes.IndexByte(text, '\n') >= 0 {
			v.lines = append(v.lines, "\n    "...)
			v.lines = append(v.colored(v.lines, keyText, v.name), ':')
			v.below(bytes.TrimRight(text, "\r\n"))
			return
		}
	}
	v.gap()
	v.out = append(v.colored(v.out, keyText, v.name), '=')
	switch {
	case raw[0] == '"' && bare(raw[1:len(raw)-1]):
		raw = raw[1 : len(raw)-1]
	case raw[0] == '[':
		v.buf = appendCompact(v.buf[:0], raw)
		raw = v.buf
	}
	v.out = v.cut(v.out, raw)
}

// maxShown is how much of one value is shown on a terminal.
const maxShown = 2000

// cut appends a value, on a terminal only the beginning of a long one.
func (v *logView) cut(dst, raw []byte) []byte {
	if !v.opts.Visible || len(raw) <= maxShown {
		return v.opts.appendShown(dst, raw)
	}
	dst = v.opts.appendShown(dst, raw[:maxShown])
	return append(dst, "..."...)
}

// below puts text under the record, each line indented.
func (v *logView) below(text []byte) {
	for line := range bytes.Lines(text) {
		v.lines = append(v.lines, "\n        "...)
		v.lines = v.opts.appendShown(v.lines, bytes.ReplaceAll(bytes.TrimRight(line, "\r\n"), []byte("\t"), []byte("    ")))
	}
}

// text is what a string stands for, or any other value as it is spelt.
func (v *logView) text(raw []byte) []byte {
	if raw[0] != '"' {
		return raw
	}
	raw = raw[1 : len(raw)-1]
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw
	}
	v.plain = jsonl.AppendUnescaped(v.plain[:0], raw)
	return v.plain
}

// bare reports whether the spelling of a string can stand without quotes.
func bare(raw []byte) bool {
	for _, c := range raw {
		if c <= ' ' || c == '"' || c == '\\' || c == '=' || c == 0x7f {
			return false
		}
	}
	return len(raw) > 0
}

// colored appends text in the colour of its class.
func (v *logView) colored(dst []byte, c class, text []byte) []byte {
	p := &v.opts.Palette
	dst = append(dst, p[c]...)
	return append(v.opts.appendShown(dst, text), p.off(c)...)
}

// shown appends JSON.
func (v *logView) shown(dst, raw []byte) []byte {
	if v.opts.Visible {
		return AppendColored(dst, raw, v.opts.Palette)
	}
	return append(dst, raw...)
}
