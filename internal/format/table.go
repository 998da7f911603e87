package format

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"strings"

	"example.com/jlq/internal/filter"
	"example.com/jlq/internal/jsonl"
)

// table is csv and tsv.
type table struct {
	opts    *Options
	comma   byte
	columns []column
	given   bool // the columns were asked for
	fields  filter.Fields

	visitor func(key, value []byte) // of the members of a record
	places  map[string]int          // of the columns that are members
	next    int                     // the column that the next member probably has
	values  [][]byte
	others  []string // members that have no column
	told    bool
	row     []byte
	cell    []byte
}

func newTable(o *Options, columns []column) (*table, error) {
	t := &table{opts: o, comma: ',', columns: columns, given: len(columns) > 0, places: map[string]int{}}
	if o.Format == "tsv" {
		t.comma = '\t'
	}
	t.visitor = t.visit
	for _, c := range columns {
		if _, err := t.fields.Add(c.text); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// heading appends the names of the columns. Where none were asked for they are
// the members of rec, the first record.
func (t *table) heading(dst []byte, rec *Record) ([]byte, error) {
	if !t.given {
		if err := t.learn(rec); err != nil {
			return dst, err
		}
	}
	t.row = t.row[:0]
	if t.opts.Prefix != NoPrefix {
		name := map[Prefix]string{OffsetPrefix: "offset", IDPrefix: "id"}[t.opts.Prefix]
		t.row = append(append(t.row, name...), t.comma)
	}
	for i, c := range t.columns {
		if i > 0 {
			t.row = append(t.row, t.comma)
		}
		t.text([]byte(c.name))
	}
	return t.shown(dst), nil
}

// shown appends the row as the options want it. The tabs of tsv stand between
// columns only, and part them on a terminal, too.
func (t *table) shown(dst []byte) []byte {
	if t.comma != '\t' {
		return t.opts.appendShown(dst, t.row)
	}
	rest := t.row
	for i := bytes.IndexByte(rest, '\t'); i >= 0; i = bytes.IndexByte(rest, '\t') {
		dst = append(t.opts.appendShown(dst, rest[:i]), '\t')
		rest = rest[i+1:]
	}
	return t.opts.appendShown(dst, rest)
}

var (
	errNoObject = errors.New("is no object, which has a name for each column")
	errNoMember = errors.New("is an object without members, of which there are no columns")
)

// learn makes columns of the members of rec.
func (t *table) learn(rec *Record) error {
	if err := rec.check(); err != nil {
		return err
	}
	var columns []column
	clear(t.places)
	whole := members(rec, func(key, _ []byte) {
		name := string(jsonl.AppendUnescaped(nil, key))
		if _, there := t.places[name]; !there {
			t.places[name] = len(columns)
			columns = append(columns, column{name: name})
		}
	})
	switch {
	case !whole:
		return errNoObject
	case len(columns) == 0:
		return errNoMember
	}
	t.columns, t.values = columns, make([][]byte, len(columns))
	return nil
}

func members(rec *Record, visit func(key, value []byte)) bool {
	raw, _ := jsonl.Field(rec.json())
	return jsonl.Members(raw, visit)
}

func (t *table) append(dst []byte, rec *Record) ([]byte, error) {
	values, err := t.find(rec)
	if err != nil {
		return dst, err
	}
	t.row = t.row[:0]
	if t.opts.Prefix != NoPrefix {
		t.row = append(rec.appendPrefix(t.row, t.opts.Prefix), t.comma)
	}
	for i, raw := range values {
		if i > 0 {
			t.row = append(t.row, t.comma)
		}
		t.value(raw)
	}
	if len(t.row) == 0 && t.comma == ',' {
		t.row = append(t.row, `""`...) // an empty line is no row to many readers
	}
	return t.shown(dst), nil
}

// find returns the values of the columns, nil where one is missing.
func (t *table) find(rec *Record) ([][]byte, error) {
	if t.given {
		return t.fields.Find(rec.json(), rec.Checked)
	}
	if err := rec.check(); err != nil {
		return nil, err
	}
	clear(t.values)
	t.next = 0
	if !members(rec, t.visitor) {
		return nil, cmp.Or(jsonl.CheckStrict(rec.json(), -1), errNoObject)
	}
	if len(t.others) > 0 && !t.told {
		t.told = true
		t.tell(rec)
	}
	return t.values, nil
}

// visit takes a member. Most records have theirs in the order of the columns.
func (t *table) visit(key, value []byte) {
	if t.next < len(t.columns) && string(key) == t.columns[t.next].name {
		t.values[t.next] = value
		t.next++
		return
	}
	if bytes.IndexByte(key, '\\') >= 0 {
		t.cell = jsonl.AppendUnescaped(t.cell[:0], key)
		key = t.cell
	}
	i, there := t.places[string(key)]
	if there {
		t.values[i] = value
		t.next = i + 1
	} else if !t.told {
		t.others = append(t.others, string(key))
	}
}

// tell says once that there are members without a column.
func (t *table) tell(rec *Record) {
	if t.opts.Extra == nil {
		return
	}
	const shown = 5
	names := distinct(t.others)
	more, verb := "", "is"
	if len(names) > 1 {
		verb = "are"
	}
	if len(names) > shown {
		names, more = names[:shown], fmt.Sprintf(" and %d more", len(names)-shown)
	}
	t.opts.Extra(fmt.Sprintf("%s%s of record %s %s in no column; those are the fields of the first record, unless --fields names them",
		strings.Join(names, ", "), more, rec.appendOffset(nil), verb))
}

// distinct drops names that are there already: a record may have a member twice.
func distinct(names []string) (out []string) {
	seen := make(map[string]bool, len(names))
	for _, name := range names {
		if !seen[name] {
			seen[name] = true
			out = append(out, name)
		}
	}
	return out
}

// value appends the cell of a value.
func (t *table) value(raw []byte) {
	switch {
	case len(raw) == 0 || raw[0] == 'n':
	case raw[0] == '"' && len(raw) > 1:
		raw = raw[1 : len(raw)-1]
		if bytes.IndexByte(raw, '\\') >= 0 {
			t.cell = jsonl.AppendUnescaped(t.cell[:0], raw)
			raw = t.cell
		}
		t.text(raw)
	case raw[0] == '{' || raw[0] == '[':
		t.cell = appendCompact(t.cell[:0], raw)
		t.text(t.cell)
	default:
		t.row = append(t.row, raw...)
	}
}

// text appends the cell of a text.
func (t *table) text(text []byte) {
	if t.comma == '\t' {
		t.row = appendTSV(t.row, text)
	} else {
		t.row = appendCSV(t.row, text)
	}
}

// appendCSV appends text as RFC 4180 wants it; what is empty, or has space
// around it, in quotes too.
func appendCSV(dst, text []byte) []byte {
	if !needsQuotes(text) {
		return append(dst, text...)
	}
	dst = append(dst, '"')
	for {
		i := bytes.IndexByte(text, '"')
		if i < 0 {
			break
		}
		dst = append(append(dst, text[:i]...), `""`...)
		text = text[i+1:]
	}
	return append(append(dst, text...), '"')
}

func needsQuotes(text []byte) bool {
	if len(text) == 0 || isSpace(text[0]) || isSpace(text[len(text)-1]) {
		return true
	}
	for _, c := range text {
		if c == ',' || c == '"' || c == '\n' || c == '\r' {
			return true
		}
	}
	return false
}

// appendTSV appends text on one line and in one column.
func appendTSV(dst, text []byte) []byte {
	for _, c := range text {
		switch c {
		case '\t':
			dst = append(dst, `\t`...)
		case '\n':
			dst = append(dst, `\n`...)
		case '\r':
			dst = append(dst, `\r`...)
		case '\\':
			dst = append(dst, `\\`...)
		default:
			dst = append(dst, c)
		}
	}
	return dst
}
