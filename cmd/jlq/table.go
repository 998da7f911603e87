package main

import (
	"strings"
	"unicode/utf8"
)

// table is lines of columns. Those of numbers stand to the right.
type table struct {
	right []bool // the columns that do
	rows  [][]string
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

// note adds a line without columns.
func (t *table) note(text string) { t.rows = append(t.rows, []string{text}) }

// text sets the columns two spaces apart, and each line in by indent.
func (t *table) text(indent string) string {
	widths := make([]int, len(t.right))
	for _, row := range t.rows {
		if len(row) == 1 {
			continue
		}
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	for _, row := range t.rows {
		line := indent
		if len(row) == 1 {
			b.WriteString(line + row[0] + "\n")
			continue
		}
		for i, cell := range row {
			space := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if t.right[i] {
				line += space + cell + "  "
			} else {
				line += cell + space + "  "
			}
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}
