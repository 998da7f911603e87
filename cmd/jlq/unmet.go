package main

import (
	"strings"

	"example.com/jlq/internal/profile"
)

const (
	// unmetRecords are the records that are looked at for the names of their fields,
	// and unmetPaths the fields that are remembered, in case one that was asked for
	// is in none.
	unmetRecords = 100
	unmetPaths   = 1000
	// mostUnmet is how many fields are told that no record has.
	mostUnmet = 5
)

// unmet watches for fields that were asked for and are in nothing that is printed.
type unmet struct {
	printed bool
	fields  *profile.Profile // nil: all that were asked for were met, or nothing was printed
}

// look takes a record that was laid out and found to be JSON.
func (u *unmet) look(p *printer, data []byte) {
	if u.printed && u.fields == nil {
		return
	}
	u.printed = true
	switch {
	case u.fields != nil && u.fields.Records() >= unmetRecords:
	case len(p.layout.Unmet()) == 0:
		u.fields = nil
	default:
		if u.fields == nil {
			u.fields = profile.New(unmetPaths)
		}
		u.fields.Add(data)
	}
}

// tell says which fields were in no record, and what was meant instead.
func (u *unmet) tell(p *printer) {
	if u.fields == nil {
		return
	}
	var names []string
	for _, f := range u.fields.Fields() {
		if name := strings.TrimPrefix(f.Path, "."); name != "" && !strings.Contains(name, "[]") {
			names = append(names, name)
		}
	}
	for i, field := range p.layout.Unmet() {
		if i == mostUnmet {
			p.app.report("%s: nor some more fields that were asked for", p.name)
			return
		}
		bare := strings.TrimPrefix(field, ".")
		dot := field[:len(field)-len(bare)]
		name := nearestField(bare, names)
		if name != "" {
			name = dot + name
		}
		p.app.report("%s: no record that was printed has %s%s", p.name, appendVisible(nil, []byte(field)), meant(name))
	}
}

// nearestField finds the field that was probably meant: one that lies deeper, or has
// other capitals, or nearly that name.
func nearestField(given string, names []string) string {
	for _, name := range names {
		if strings.EqualFold(name, given) || strings.HasSuffix(name, "."+given) {
			return name
		}
	}
	return nearest(given, names)
}
