package format

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"time"

	"example.com/jlq/internal/filter"
	"example.com/jlq/internal/jsonl"
)

// Record is what is laid out.
type Record struct {
	Topic     string // "" for a log that is in none
	Partition int
	Offset    uint64 // or UnknownOffset
	Position  int64  // where it begins in its records file; negative where that is not known
	Data      []byte
	Checked   bool // Data was found to be JSON before
}

// UnknownOffset is that of a record whose number is not known.
const UnknownOffset = math.MaxUint64

// Names are the formats beside templates.
var Names = []string{"raw", "json", "pretty", "log", "csv", "tsv"}

// Prefix is what stands in front of each record.
type Prefix uint8

// What may stand there, with a tab behind it.
const (
	NoPrefix Prefix = iota
	OffsetPrefix
	IDPrefix
)

// Options say how records are laid out. The zero value is the stored bytes.
type Options struct {
	Format    string // one of Names, a template, or "": raw, or log where Human says so
	Fields    string // the only fields, with commas between them; "": all
	Prefix    Prefix
	TimeField string         // where the time of a record is; "": in one of the usual fields
	Zone      *time.Location // of the times of log and %t; nil is UTC
	Visible   bool           // what would act on a terminal is escaped
	Human     bool           // records that look like those of a service's log are laid out as log where no format is given
	Palette   Palette
	NoNewline bool         // nothing stands behind a record
	Extra     func(string) // told once of the members that have no column
}

// form is one of the formats.
type form interface {
	// append appends a record without newline, and to an error dst as it was.
	append(dst []byte, rec *Record) ([]byte, error)
}

// Layout lays out records. It is for one goroutine.
type Layout struct {
	opts  Options
	form  form
	table *table // where form is one
	end   string
	began bool
}

// New makes a layout. What is wrong with a template or a field is a [*SpotError].
func New(opts Options) (*Layout, error) {
	l := &Layout{opts: opts, end: "\n"}
	if opts.NoNewline {
		l.end = ""
	}
	if l.opts.Zone == nil {
		l.opts.Zone = time.UTC
	}
	fields, err := parseFields(opts.Fields)
	if err == nil {
		l.form, err = l.newForm(fields)
	}
	return l, err
}

func (l *Layout) newForm(fields []column) (form, error) {
	o := &l.opts
	switch o.Format {
	case "", "raw", "json", "pretty":
		style := map[string]style{"json": compact, "pretty": indented}[o.Format]
		if len(fields) > 0 {
			return newObject(o, fields, style)
		}
		return &value{opts: o, style: style, log: newLogIf(o)}, nil
	case "csv", "tsv":
		t, err := newTable(o, fields)
		l.table = t
		return t, err
	case "log":
		if len(fields) > 0 {
			return nil, fmt.Errorf("log shows all fields; fields are chosen of raw, json, pretty, csv and tsv")
		}
		return newLog(o), nil
	}
	if !strings.Contains(o.Format, "%") {
		return nil, fmt.Errorf("want %s, or a template such as '%%o %%v\\n'", strings.Join(Names, ", "))
	}
	if len(fields) > 0 || o.Prefix != NoPrefix {
		return nil, fmt.Errorf("a template names its fields, %%o and %%i itself")
	}
	l.end = ""
	return newTemplate(o)
}

// Raw reports whether what is appended is the stored bytes and a newline.
func (l *Layout) Raw() bool {
	v, ok := l.form.(*value)
	return ok && v.style == stored && !l.opts.Visible && l.opts.Prefix == NoPrefix && l.end == "\n"
}

// Offsets reports whether the offset of a record is shown.
func (l *Layout) Offsets() bool {
	t, ok := l.form.(*template)
	return l.opts.Prefix != NoPrefix || ok && (t.uses('o') || t.uses('i'))
}

// Positions reports whether the position of a record is shown.
func (l *Layout) Positions() bool {
	t, ok := l.form.(*template)
	return ok && t.uses('b')
}

// Unmet returns the fields that were asked for and that no record had so far. They are
// spelt as they were.
func (l *Layout) Unmet() []string {
	switch f := l.form.(type) {
	case *object:
		return f.fields.Unmet()
	case *table:
		return f.fields.Unmet()
	case *template:
		return distinct(f.fields.Unmet())
	}
	return nil
}

// Append appends a record, behind a heading where it is the first and the format
// has one. Where it cannot be laid out it returns dst as it was and the reason.
func (l *Layout) Append(dst []byte, rec *Record) ([]byte, error) {
	begin := len(dst)
	var err error
	if !l.began && l.table != nil {
		if dst, err = l.table.heading(dst, rec); err != nil {
			return dst[:begin], err
		}
		dst = append(dst, '\n')
	}
	dst = l.prefix(dst, rec)
	if dst, err = l.form.append(dst, rec); err != nil {
		return dst[:begin], err
	}
	l.began = true
	return append(dst, l.end...), nil
}

// Heading appends what stands above no records at all: the heading, where the
// fields of it were given.
func (l *Layout) Heading(dst []byte) []byte {
	if l.began || l.table == nil || len(l.table.columns) == 0 {
		return dst
	}
	dst, _ = l.table.heading(dst, nil) // it fails for a record only
	return append(dst, '\n')
}

// prefix appends what stands in front of a record; tables have a column for it.
func (l *Layout) prefix(dst []byte, rec *Record) []byte {
	if l.opts.Prefix == NoPrefix || l.table != nil {
		return dst
	}
	p := &l.opts.Palette
	dst = append(dst, p[metaText]...)
	dst = rec.appendPrefix(dst, l.opts.Prefix)
	return append(append(dst, p.off(metaText)...), '\t')
}

func (r *Record) appendPrefix(dst []byte, p Prefix) []byte {
	if p == IDPrefix {
		return r.appendID(dst)
	}
	return r.appendOffset(dst)
}

// json is the record without the byte order mark of its file.
func (r *Record) json() []byte {
	if r.Offset == 0 || r.Offset == UnknownOffset && r.Position == 0 {
		return bytes.TrimPrefix(r.Data, []byte(jsonl.BOM))
	}
	return r.Data
}

// check is an error where the record is not JSON.
func (r *Record) check() error {
	if r.Checked {
		return nil
	}
	return jsonl.CheckStrict(r.json(), -1)
}

// SpotError says where a text is wrong, and why.
type SpotError = filter.Error
