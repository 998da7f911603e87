package main

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
)

// Of many segments a terminal shows the first and the last ones.
const (
	firstSegments = 3
	lastSegments  = 7
	shownSegments = firstSegments + lastSegments
)

// text is what stat prints for people, with at most so many segments.
func (s *logStat) text(most int) string {
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-9s %s\n", name, fmt.Sprintf(format, args...))
	}
	line("log", "%s (%s)", s.Log, s.Kind)
	line("records", "%d, offsets %d to %d (next)", s.Records, s.Start, s.Next)
	line("bytes", "%d (%s), index %d (%s)", s.Bytes, bytesText(s.Bytes), s.IdxBytes, bytesText(s.IdxBytes))
	if s.Sizes != nil {
		line("sizes", "%s", s.Sizes.text())
	}
	line("index", "%s", s.indexText())
	if s.BOM {
		line("note", "the first record begins with a byte order mark")
	}
	if s.Kind == "partition" {
		line("promise", "%s", s.promiseText())
	}
	line("segments", "%d", len(s.Segments))
	b.WriteString(s.segmentTable(most))
	b.WriteString(groupsText(s.Groups))
	return b.String()
}

// groupsText is what a log's groups are and how far they came; nothing where
// there are none.
func groupsText(rows []groupRow) string {
	if len(rows) == 0 {
		return ""
	}
	text := fmt.Sprintf("%-9s %d\n", "groups", len(summaries(rows)))
	for row := range strings.Lines(groupTable(rows)) {
		text += "  " + row
	}
	return text
}

func (s *sizeStat) text() string {
	text := fmt.Sprintf("p50 %d, p99 %d, max %d bytes", s.P50, s.P99, s.Max)
	if s.Sampled {
		return "about " + text + ", of a sample"
	}
	return text
}

// indexOther is the index of a bare file that is not believed.
const indexOther = "unreadable, or not that of this file"

func (s *logStat) indexText() string {
	switch {
	case s.Ahead > 0:
		return fmt.Sprintf("damaged: at its end, %s no record", entriesText(s.Ahead))
	case s.Index == "incomplete":
		return "incomplete: that of a sealed segment is missing, behind or damaged"
	case s.Behind == 0 && s.Index == "none" && s.Kind == "file":
		return "none; jlq index " + s.Log + " builds it"
	case s.Behind == 0 && s.Index == indexOther:
		return s.Index + "; jlq index " + s.Log + " builds a new one"
	case s.Behind == 0:
		return s.Index
	case s.Kind == "partition":
		return fmt.Sprintf("behind: %s not in it; opening for appending adopts those that are valid", countText(s.Behind, "whole line"))
	}
	return fmt.Sprintf("behind: %s not in it; jlq index %s adds them", countText(s.Behind, "whole line"), s.Log)
}

func (s *logStat) promiseText() string {
	if s.Promise == nil && s.metaErr != nil {
		if isCorrupt(s.metaErr) {
			return "unknown: partition.json is damaged"
		}
		return "unknown: partition.json cannot be read"
	}
	if s.Promise == nil {
		return "none (no partition.json)"
	}
	return fmt.Sprintf("sync %s, validate %s, known to be on the disk up to position %d of segment %d",
		s.Promise.Sync, s.Promise.Validate, s.Promise.Synced.Position, s.Promise.Synced.Base)
}

// segmentTable is the table of segments; times are local and say their zone.
func (s *logStat) segmentTable(most int) string {
	if len(s.Segments) == 0 {
		return ""
	}
	t := table{right: []bool{true, true, true, true, false, false, false, false}}
	t.add("base", "records", "bytes", "index bytes", "last append", "state", "index", "file")
	for i, seg := range s.Segments {
		if len(s.Segments) <= most || i < firstSegments || i >= len(s.Segments)-lastSegments {
			t.add(seg.cells()...)
		} else if i == firstSegments {
			t.note(fmt.Sprintf("… %d more; --segments shows all", len(s.Segments)-firstSegments-lastSegments))
		}
	}
	if len(s.Segments) > 1 {
		t.add("total", uintText(s.Records), strconv.FormatInt(s.Bytes, 10), strconv.FormatInt(s.IdxBytes, 10))
	}
	return t.text("  ")
}

func (s *segmentStat) cells() []string {
	appended := "-"
	if !s.LastAppend.IsZero() {
		appended = s.LastAppend.Local().Format("2006-01-02 15:04:05 MST")
	}
	return []string{
		uintText(s.Base), uintText(s.Records), strconv.FormatInt(s.Bytes, 10), strconv.FormatInt(s.IdxBytes, 10),
		appended, s.State, s.Index, filepath.Base(s.File),
	}
}
