package main

import (
	"strconv"
	"time"
	"unicode/utf8"

	"example.com/jlq/group"
)

// deadShown is how many characters of a record or an error the table shows.
const deadShown = 60

// deadTable is dead letters for people.
func deadTable(letters []group.DeadLetter) string {
	t := table{right: []bool{false, true, true, true, false, false, false, false}}
	t.add("group", "partition", "offset", "attempts", "time", "record", "error", "")
	for i := range letters {
		l := &letters[i]
		t.add(l.Group, strconv.Itoa(l.From), uintText(l.Offset), strconv.Itoa(l.Attempts),
			l.Time.Local().Format(time.RFC3339), deadRecord(l), shortened(l.Error), deadState(l))
	}
	return t.text("")
}

func deadRecord(l *group.DeadLetter) string {
	switch {
	case l.Lost > 0:
		return recordsText(l.Lost) + " lost"
	case l.Left:
		return "(too large to show)"
	}
	return shortened(string(l.Data()))
}

func deadState(l *group.DeadLetter) string {
	if l.Redriving {
		return "redriving"
	}
	return ""
}

// shortened is the beginning of a text, on one line, in what a table has room for.
func shortened(text string) string {
	text = string(appendVisible(nil, []byte(text)))
	if utf8.RuneCountInString(text) <= deadShown {
		return text
	}
	return string([]rune(text)[:deadShown-1]) + "…"
}
