package partition

import (
	"fmt"
	"slices"

	"example.com/jlq/internal/segment"
)

// drifted tells what explains a disagreement between lines and index, and
// hands on what has waited for that.
func (w *walk) drifted(d *drift) error {
	p := Problem{Path: w.h.Index, Offset: w.offset(d.line), Position: d.start}
	old := w.extra
	switch {
	case !d.fits:
		w.lostTrack(&p, d)
	case d.bytes != 0:
		w.shifted(&p, d)
		w.forget(func(p *waiting) bool { return p.Kind == KindMeta }) // it moved with the lines
	case d.lines != 0:
		w.extra += d.lines
		news, err := w.resplit(&p, d)
		if err != nil {
			return err
		}
		if !news {
			p.Kind = "" // what waits says it
		}
	default:
		w.wrongEntries(&p, d)
	}
	if p.Kind != "" {
		if err := w.v.report(p); err != nil {
			return err
		}
	}
	if d.behind > 0 {
		w.lag(d.toLine, d.behindStart, d.behindStart)
		w.behind.Records, w.behind.Offset = d.behind, w.offset(w.lines-d.behind+1)
		w.behind.Length = w.pos - d.behindStart
	}
	upTo := w.offset(d.toLine)
	return w.release(func(n uint64) uint64 {
		if d.fits && n <= d.toLine {
			// It may lie among lines that are not as many as the records.
			return min(w.h.Base+uint64(int64(n-1)-old), upTo)
		}
		return w.offset(n)
	})
}

// lostTrack: nothing explains it.
func (w *walk) lostTrack(p *Problem, d *drift) {
	p.Kind = KindEntry
	p.Records, p.Length = w.left(p.Offset), w.size-d.start
	what := d.text()
	if d.zeros {
		what = zeroEntries(d.entry, w.claimed)
	}
	if d.line > 1 || p.Records < 2 {
		if p.Records > 1 && !d.zeros {
			what += ", and nothing that follows fits the lines"
		}
		p.Reason = what + "; " + w.v.repair()
		return
	}
	p.Kind = KindIndex
	p.Reason = "it is not the index of these records: " + what + "; " + w.v.repair()
}

// text says where the disagreement begins.
func (d *drift) text() string {
	if d.line == 0 {
		return fmt.Sprintf("the first entry is %d, not 0", d.value)
	}
	return fmt.Sprintf("entry %d is %d, the line ends at %d", d.entry, d.value, d.end)
}

// left is how many records the index has from an offset on.
func (w *walk) left(offset uint64) uint64 { return max(w.h.Base+w.claimed, offset) - offset }

// shifted: the file became longer or shorter, so all entries behind are wrong.
func (w *walk) shifted(p *Problem, d *drift) {
	p.Kind = KindShift
	p.Records, p.Length = w.left(p.Offset), w.size-d.start
	lines, bytes := moreOrFewer(d.lines, "line"), moreOrFewer(d.bytes, "byte")
	size := bytesText(max(d.bytes, -d.bytes))
	what := ""
	switch {
	case d.lines == 0:
		what = bytes + " than the index knows, in as many lines: a line was edited"
	case d.lines > 0 && d.bytes > 0:
		what = fmt.Sprintf("%s (%s) than the index knows: inserted by another program", lines, size)
	case d.lines < 0 && d.bytes < 0:
		what = fmt.Sprintf("%s (%s) than the index knows: deleted by another program", lines, size)
	default:
		what = fmt.Sprintf("%s but %s than the index knows: lines were edited", lines, bytes)
	}
	p.Reason = fmt.Sprintf("from record %d on the file has %s; %s", p.Offset, what, w.wrong())
}

// resplit: between two positions that both know there are more or fewer lines
// than the index has records. It is no news where a line that is no record
// waits and says so much better.
func (w *walk) resplit(p *Problem, d *drift) (news bool, err error) {
	p.Kind = KindSplit
	p.Records, p.Length = d.toEntry-d.entry+1, d.toEnd-d.start
	lines := d.toLine - d.line + 1
	if lines == 1 && len(w.waiting) > 0 && w.waiting[0].line == d.line && !w.waiting[0].Note {
		w.waiting[0].Records, err = w.joined(&w.waiting[0].Problem, d)
		return false, err
	}
	if p.Records == 1 {
		// That the halves of a record are no records goes without saying.
		w.forget(func(p *waiting) bool { return p.Kind == KindRecord && p.line <= d.toLine })
	}
	what := recordsText(p.Offset, p.Records)
	are := " is "
	if p.Records > 1 {
		are = " are "
	}
	p.Reason = fmt.Sprintf("%s%s%s in as many bytes: lines were %s; %s", what, are, segment.Plural(lines, "line"), splitOrJoined(d.lines), w.v.repair())
	return true, nil
}

// joined is how many of the records that became one line have to do with p. A
// run of NUL bytes that ends where the last of them begins took a newline from
// before it and nothing from itself.
func (w *walk) joined(p *Problem, d *drift) (uint64, error) {
	n := d.toEntry - d.entry + 1
	if p.Kind != KindNUL || n < 2 {
		return n, nil
	}
	at := cursor{idx: w.h.Idx, last: w.claimed}
	at.seek(d.toEntry - 1)
	begins, err := at.value()
	if err != nil {
		return 0, readErr(w.h.Index, err)
	}
	if int64(begins)+w.align.shift == p.Position+p.Length {
		n--
	}
	return n, nil
}

func splitOrJoined(lines int64) string {
	if lines > 0 {
		return "split"
	}
	return "joined"
}

// forget drops what waits and is no news any more.
func (w *walk) forget(old func(*waiting) bool) {
	w.waiting = slices.DeleteFunc(w.waiting, func(p waiting) bool { return old(&p) })
}

// wrongEntries: the lines are as many and as long as the index says behind.
func (w *walk) wrongEntries(p *Problem, d *drift) {
	p.Kind = KindEntry
	last := d.toEntry - 1
	p.Records, p.Length = last-d.entry+1, d.toStart-d.start
	switch {
	case d.zeros:
		p.Reason = zeroEntries(d.entry, last)
	case last == d.entry:
		p.Reason = d.text()
	default:
		p.Reason = fmt.Sprintf("%s; up to entry %d the index does not fit the lines", d.text(), last)
	}
	if d.entry == 0 {
		p.Records = max(p.Records, 2) - 1 // entry 0 is the start of record 0, and no end of any
	}
	p.Reason += "; " + w.v.repair()
}

// wrong is what makes an index right that does not end where the lines do, which
// building one notices. It looks at a sample of the entries only, so that others
// are for repair to find.
func (w *walk) wrong() string {
	if w.v.p.place.Bare {
		return "jlq index builds a new one"
	}
	return w.v.repair()
}

// moreOrFewer says a difference: "3 bytes more", "1 line fewer".
func moreOrFewer(n int64, noun string) string {
	if n < 0 {
		return segment.Plural(uint64(-n), noun) + " fewer"
	}
	return segment.Plural(uint64(n), noun) + " more"
}

func recordsText(offset, n uint64) string {
	if n == 1 {
		return fmt.Sprintf("record %d", offset)
	}
	return fmt.Sprintf("records %d to %d", offset, offset+n-1)
}

func bytesText(n int64) string { return segment.Plural(uint64(n), "byte") }

func zeroEntries(first, last uint64) string {
	if first == last {
		return fmt.Sprintf("entry %d is zero, as a power loss leaves it", first)
	}
	return fmt.Sprintf("entries %d to %d are zero, as a power loss leaves them", first, last)
}
