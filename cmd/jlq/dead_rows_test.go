package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/jlq/group"
)

func TestDeadTable(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.Local)
	letter := func(l group.Letter) group.Letter {
		l.Group, l.Time, l.Attempts, l.Error = "g", at, 2, "no"
		return l
	}
	text := deadTable([]group.DeadLetter{
		{From: 3, Letter: letter(group.Letter{Offset: 7, Record: []byte(`{"n":1}`)})},
		{Redriving: true, Letter: letter(group.Letter{RecordB64: []byte("\xff\x1b[31m" + strings.Repeat("x", 100))})},
		{Letter: letter(group.Letter{Lost: 2})},
		{Letter: letter(group.Letter{Left: true})},
	})
	lines := strings.Split(text, "\n")
	require.Regexp(t, `^group +partition +offset +attempts +time +record +error$`, lines[0])
	require.Regexp(t, `^g +3 +7 +2 +2026-01-02T03:04:05\S+ +\{"n":1\} +no$`, lines[1])
	require.Regexp(t, `^g +0 +0 +2 +\S+ +\\xff\\u001b\[31mx+… +no +redriving$`, lines[2])
	require.Contains(t, lines[3], "2 records lost")
	require.Contains(t, lines[4], "too large")
	require.NotContains(t, text, "\x1b")
}
