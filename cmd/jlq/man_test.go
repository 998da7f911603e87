package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRoff(t *testing.T) {
	require.Equal(t, `\&.TH \e \-\-where \(aqx\(aq \[u00B5]s`, roff(`.TH \ --where 'x' µs`))
}

func TestRoffText(t *testing.T) {
	var b strings.Builder
	roffText(&b, "one\ntwo\n\n  a  table\n\n  more\nthree\n\n\n'four\n")
	require.Equal(t, "one\ntwo\n.PP\n.nf\n  a  table\n.fi\n.PP\n.nf\n  more\n.fi\n.PP\nthree\n.PP\n\\&\\(aqfour\n", b.String())
}

func TestArgKinds(t *testing.T) {
	for use, want := range map[string][]string{
		"get LOG OFFSET…": {"LOG", "OFFSET…"}, "version": nil, "consume LOG -g GROUP": {"LOG"},
		"redrive LOG -g GROUP {OFFSET… | --all}": {"LOG", "{OFFSET…"},
		"reset LOG GROUP {OFFSET | --by N}":      {"LOG", "GROUP", "{OFFSET"},
	} {
		require.Equal(t, want, argKinds(use), use)
	}
}
