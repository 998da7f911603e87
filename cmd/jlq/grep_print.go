package main

import (
	"strconv"

	"example.com/jlq/internal/format"
	"example.com/jlq/topic"
)

// grepColors are the sequences that begin what is coloured; all empty where
// nothing is. They are those of grep.
type grepColors struct{ match, name, number, separator, off string }

var allGrepColors = grepColors{"\x1b[1;31m", "\x1b[35m", "\x1b[32m", "\x1b[36m", "\x1b[0m"}

// mostBefore bounds the records that are held because one behind them may be
// selected.
const mostBefore = 10_000

// begin decides how lines look, before the first one.
func (g *grepCommand) begin(several bool) {
	g.names = (g.names || several) && !g.noNames
	if g.around >= 0 {
		if g.before < 0 {
			g.before = g.around
		}
		if g.after < 0 {
			g.after = g.around
		}
	}
	if g.only {
		g.before, g.after = -1, -1
	}
	when := g.format.color.value
	if g.visible = g.out.tty || when == "always"; g.app.colors(when) != (format.Palette{}) {
		g.colors = allGrepColors
	}
}

// numbers reports whether offsets or ids are printed.
func (g *grepCommand) numbers() bool { return g.format.offsets || g.format.ids }

// plain reports whether selected lines are printed as they are stored.
func (g *grepCommand) plain() bool {
	return !g.only && !g.numbers() && !g.names && !g.visible && g.colors == grepColors{}
}

// tells reports whether only a number or a path is printed, or nothing.
func (g *grepCommand) tells() bool { return g.count || g.quiet || g.with || g.without }

// enough is how many selected records of a log there is need of; negative is no
// limit.
func (g *grepCommand) enough() int64 {
	if (g.quiet || g.with || g.without) && g.most != 0 {
		return 1
	}
	return int64(g.most)
}

// appendRecord appends what is printed of a record. It may be called by several
// goroutines at once.
func (r *grepRun) appendRecord(dst []byte, rec topic.Record, selected bool) []byte {
	if r.only {
		if r.Invert {
			return dst
		}
		r.matcher.Find(rec.Data, func(start, end int) bool {
			dst = r.appendPrefix(dst, rec, ':')
			dst = append(r.appendMatch(dst, rec.Data[start:end]), '\n')
			return true
		})
		return dst
	}
	mark := byte('-')
	if selected {
		mark = ':'
	}
	dst = r.appendPrefix(dst, rec, mark)
	at := 0
	if r.colors.match != "" && selected != r.Invert {
		r.matcher.Find(rec.Data, func(start, end int) bool {
			dst = r.appendText(dst, rec.Data[at:start])
			dst = r.appendMatch(dst, rec.Data[start:end])
			at = end
			return true
		})
	}
	return append(r.appendText(dst, rec.Data[at:]), '\n')
}

// appendPrefix appends what stands before the line, and mark behind each part of
// it.
func (r *grepRun) appendPrefix(dst []byte, rec topic.Record, mark byte) []byte {
	if r.names {
		dst = append(dst, r.colors.name...)
		dst = r.appendText(dst, []byte(r.name))
		dst = r.appendMark(append(dst, r.colors.off...), mark)
	}
	if !r.numbers() {
		return dst
	}
	dst = append(dst, r.colors.number...)
	if r.whole || r.format.ids {
		dst = rec.ID.Append(dst)
	} else {
		dst = strconv.AppendUint(dst, rec.Offset, 10)
	}
	return r.appendMark(append(dst, r.colors.off...), mark)
}

func (r *grepRun) appendMark(dst []byte, mark byte) []byte {
	dst = append(append(dst, r.colors.separator...), mark)
	return append(dst, r.colors.off...)
}

func (r *grepRun) appendMatch(dst, text []byte) []byte {
	dst = r.appendText(append(dst, r.colors.match...), text)
	return append(dst, r.colors.off...)
}

// appendText appends a part of a record, as a terminal may have it where it is
// shown on one.
func (r *grepRun) appendText(dst, text []byte) []byte {
	if r.visible {
		return appendVisible(dst, text)
	}
	return append(dst, text...)
}

// appendGap appends the line between records that do not follow each other.
func (r *grepRun) appendGap(dst []byte) []byte {
	dst = append(append(dst, r.colors.separator...), "--"...)
	return append(append(dst, r.colors.off...), '\n')
}

// summary prints what is to be said of a log when it was searched.
func (r *grepRun) summary() error {
	var line []byte
	switch {
	case r.quiet:
		return nil
	case r.with, r.without:
		if r.with != (r.selected > 0) {
			return nil
		}
		line = append(r.appendText(append(line, r.colors.name...), []byte(r.name)), r.colors.off...)
	case r.count:
		if r.names {
			line = append(r.appendText(append(line, r.colors.name...), []byte(r.name)), r.colors.off...)
			line = r.appendMark(line, ':')
		}
		line = strconv.AppendUint(line, r.selected, 10)
	default:
		return nil
	}
	return r.out.WriteLine(line, "\n")
}
