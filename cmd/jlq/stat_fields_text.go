package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"example.com/jlq/internal/profile"
)

// fieldsReport is what stat --fields prints; its JSON names are those of --json.
type fieldsReport struct {
	Log      string        `json:"log"`
	Records  uint64        `json:"records"`
	Invalid  uint64        `json:"invalid,omitempty"`  // lines that are not JSON, which are no records here
	Unpathed uint64        `json:"unpathed,omitempty"` // values of fields beyond the most
	Fields   []fieldReport `json:"fields"`
}

// fieldReport is one field.
type fieldReport struct {
	Path     string                   `json:"path"`
	Records  uint64                   `json:"records"`
	Coverage float64                  `json:"coverage"` // of all records, from 0 to 1
	Values   uint64                   `json:"values"`
	Types    map[string]uint64        `json:"types"`
	Distinct uint64                   `json:"distinct"`
	About    bool                     `json:"distinct_estimated,omitempty"`
	Common   []valueReport            `json:"counts,omitempty"`
	Examples []json.RawMessage        `json:"examples,omitempty"`
	Number   *bounds[json.RawMessage] `json:"number,omitempty"`
	Text     *bounds[string]          `json:"string,omitempty"`
	Time     *bounds[string]          `json:"time,omitempty"`
	Length   *bounds[uint64]          `json:"length,omitempty"` // of arrays

	field profile.Field
}

type valueReport struct {
	Value json.RawMessage `json:"value"`
	Count uint64          `json:"count"`
}

// bounds are the smallest and the largest value.
type bounds[T any] struct {
	Min T `json:"min"`
	Max T `json:"max"`
}

func newFieldsReport(log string, p *profile.Profile) *fieldsReport {
	r := &fieldsReport{Log: log, Records: p.Records(), Unpathed: p.Unpathed(), Fields: []fieldReport{}}
	for _, f := range p.Fields() {
		r.Fields = append(r.Fields, newFieldReport(f, r.Records))
	}
	return r
}

func newFieldReport(f profile.Field, records uint64) fieldReport {
	r := fieldReport{
		Path: f.Path, Records: f.Records, Coverage: float64(f.Records) / float64(records), Values: f.Values,
		Types: map[string]uint64{}, Distinct: f.Distinct, About: f.About, field: f,
	}
	for t, n := range f.Types {
		if n > 0 {
			r.Types[profile.Type(t).String()] = n
		}
	}
	for _, v := range f.Common {
		r.Common = append(r.Common, valueReport{json.RawMessage(v.Raw), v.Count})
	}
	for _, v := range f.Examples {
		r.Examples = append(r.Examples, json.RawMessage(v.Raw))
	}
	if f.Least != "" {
		r.Number = &bounds[json.RawMessage]{json.RawMessage(f.Least), json.RawMessage(f.Most)}
	}
	if f.Has(profile.String) {
		r.Text = &bounds[string]{f.First.Text, f.Final.Text}
	}
	if f.Early != "" {
		r.Time = &bounds[string]{f.Early, f.Late}
	}
	if f.Has(profile.Array) {
		r.Length = &bounds[uint64]{f.Shortest, f.Longest}
	}
	return r
}

func (c *statCommand) printFields(r *fieldsReport) error {
	if c.json {
		return c.out.WriteJSON(r)
	}
	return c.out.WriteText(r.text())
}

// text is what people read.
func (r *fieldsReport) text() string {
	t := table{right: []bool{false, true, true, false, true, false}}
	t.add("field", "records", "of all", "types", "distinct", "values")
	for i := range r.Fields {
		if i == 0 && r.Fields[0].Types["object"] == r.Records {
			continue // that all records are objects goes without saying
		}
		f := &r.Fields[i]
		t.add(cutText(f.Path, shownPath), uintText(f.Records), shareText(f.Records, r.Records), f.typesText(), f.distinctText(), f.valuesText())
	}
	head := fmt.Sprintf("%s: %s, %s\n", r.Log, recordsText(r.Records), countText(uint64(max(0, len(r.Fields)-1)), "field"))
	if len(r.Fields) < 2 {
		return head
	}
	text := head + t.text("")
	if r.Unpathed > 0 {
		text += fmt.Sprintf("and %s of fields beyond the first %d, which are not told\n", countText(r.Unpathed, "value"), profile.MaxPaths)
	}
	return text
}

// shareText is a part of all: 100%, 12.5%, <0.1%. What is not all is not 100%.
func shareText(n, all uint64) string {
	percent := float64(n) / float64(max(all, 1)) * 100
	switch {
	case n == all:
		return "100%"
	case percent < 0.1:
		return "<0.1%"
	}
	return strconv.FormatFloat(min(percent, 99.9), 'f', 1, 64) + "%"
}

// typesText names the types, the most frequent first, with numbers where there
// are several.
func (f *fieldReport) typesText() string {
	type counted struct {
		name  string
		count uint64
	}
	var all []counted
	for t, n := range f.field.Types {
		name := profile.Type(t).String()
		if profile.Type(t) == profile.String && f.Time != nil {
			name = "time"
		}
		if n > 0 {
			all = append(all, counted{name, n})
		}
	}
	slices.SortStableFunc(all, func(a, b counted) int { return cmp.Compare(b.count, a.count) })
	if len(all) == 1 {
		return all[0].name
	}
	texts := make([]string, len(all))
	for i, c := range all {
		texts[i] = c.name + " " + uintText(c.count)
	}
	return strings.Join(texts, ", ")
}

func (f *fieldReport) distinctText() string {
	switch {
	case f.Distinct == 0:
		return ""
	case !f.About:
		return uintText(f.Distinct)
	}
	return "~" + uintText(min(rough(f.Distinct), f.Values))
}

// rough is n with two digits that say something.
func rough(n uint64) uint64 {
	unit := uint64(1)
	for n/unit >= 100 {
		unit *= 10
	}
	return (n + unit/2) / unit * unit
}

const (
	// shownValues is how many values are shown of a field that has few.
	shownValues = 5
	// shownLetters is how much is shown of one of them.
	shownLetters = 32
	// shownRow is about how much is shown of all values.
	shownRow = 80
	// shownPath is how much is shown of a path: its end.
	shownPath = 60
)

// valuesText shows the values where they are few, else the smallest and the
// largest of each kind.
func (f *fieldReport) valuesText() string {
	if n := len(f.Common); n == 1 || n > 1 && (n <= shownValues && f.Common[0].Count > 1 || f.Time == nil && f.Number == nil) {
		return commonText(f.Common)
	}
	var texts []string
	if f.Length != nil {
		texts = append(texts, fmt.Sprintf("%d to %s", f.Length.Min, countText(f.Length.Max, "element")))
	}
	if f.Number != nil {
		texts = append(texts, between(string(f.Number.Min), string(f.Number.Max)))
	}
	switch {
	case f.Time != nil:
		texts = append(texts, between(f.Time.Min, f.Time.Max))
	case f.Text != nil:
		texts = append(texts, between(f.field.First.Quoted(), f.field.Final.Quoted()))
	}
	return strings.Join(texts, ", ")
}

// commonText shows values and how often each came, as many as have room.
func commonText(values []valueReport) (text string) {
	for i, v := range values {
		one := cutBehind(string(v.Value), shownLetters) + " ×" + uintText(v.Count)
		if i == shownValues || i > 0 && len(text)+len(one) > shownRow {
			return text + ", …"
		}
		if i > 0 {
			text += ", "
		}
		text += one
	}
	return text
}

func between(least, most string) string {
	if least == most {
		return cutBehind(least, shownLetters)
	}
	return cutBehind(least, shownLetters) + " to " + cutBehind(most, shownLetters)
}

// cutBehind cuts text to so many letters.
func cutBehind(text string, most int) string {
	letters := []rune(text)
	if len(letters) <= most {
		return text
	}
	return string(letters[:most-1]) + "…"
}
