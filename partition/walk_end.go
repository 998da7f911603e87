package partition

import (
	"fmt"

	"example.com/jlq/internal/segment"
)

// tail judges bytes without a newline. In a bare file a complete value is a
// record all the same; in a partition they were never acknowledged, if they lie
// above the promise. A writer at work may not have written all of its batch.
func (w *walk) tail(p Problem, f *findings) error {
	if err := w.finish(); err != nil || w.grown() {
		return err
	}
	unpromised, err := w.unpromised(f.tailStart)
	if err != nil {
		return err
	}
	bare := w.v.p.place.Bare
	switch {
	case bare && p.Kind == KindNUL:
	case bare && f.complete:
		p.Note, p.Reason = true, "the last line has no newline; it counts, because it is complete"
		w.v.read.Records++
	case bare:
		p.Reason = "the last line has no newline and is not complete"
	case w.published():
		p.Reason = w.tailText(p, "the record is cut: it has no newline, and the index knows its end; "+w.v.repair())
	case unpromised || w.last && w.v.meta == nil:
		p.Reason = w.tailText(p, "a torn tail, which is harmless: "+w.excuse()+"; opening for appending sets it aside")
	default:
		p.Reason = w.tailText(p, "the record is cut: it has no newline; "+w.v.repair())
	}
	return w.number(p, w.lines+1)
}

// published reports whether the index has a record behind the last whole line.
func (w *walk) published() bool {
	if w.align == nil || !w.align.inStep() || !w.align.at.more() {
		return false
	}
	value, err := w.align.at.value()
	return err == nil && value != 0 // ahead reads it again and returns the error
}

// excuse says why what lies above the promise is no loss that anybody was
// promised not to have.
func (w *walk) excuse() string {
	switch {
	case w.v.meta == nil:
		return "nothing was promised of it"
	case w.v.meta.Sync == segment.SyncAlwaysName && (w.h.Idx == nil || w.idxSize == 0):
		return "whether records in it were acknowledged is not known without the index"
	case w.v.meta.Sync == segment.SyncAlwaysName:
		return "no record in it was ever acknowledged"
	}
	return "it was never synced, and sync " + w.v.meta.Sync + " promises no more"
}

func (w *walk) tailText(p Problem, text string) string {
	if p.Kind == KindNUL {
		return p.Reason + " at the end: " + text
	}
	return text
}

// end tells what is left of the index, or of the lines.
func (w *walk) end() error {
	if err := w.finish(); err != nil {
		return err
	}
	ahead, err := w.ahead()
	if err != nil {
		return err
	}
	if missing := w.syncedTo() - w.size; missing > max(0, -w.moved()) {
		err = w.short(missing, ahead)
	} else if ahead.Records > 0 {
		err = w.v.report(ahead)
	}
	if err != nil || w.behind.Records == 0 || w.caughtUp() {
		return err
	}
	w.behind.Reason = segment.Plural(w.behind.Records, "whole line") + " behind the end of the index; " + w.adopts()
	return w.v.report(w.behind)
}

// short tells that bytes are missing which were synced, and which records
// with them, as far as the index knows.
func (w *walk) short(missing int64, ahead Problem) error {
	p := Problem{Kind: KindMeta, Path: w.h.Records, Offset: w.offset(w.lines + 1), Records: ahead.Records, Position: w.size, Length: missing}
	p.Reason = fmt.Sprintf("the file ends at %d, but was synced up to %d: %s missing", w.size, w.syncedTo(), bytesText(missing))
	if p.Records > 0 {
		p.Reason += ", and with them " + recordsText(p.Offset, p.Records)
	}
	p.Reason += "; put the file back from a copy, or " + w.v.repair()
	return w.v.report(p)
}

// ahead looks at the entries behind the last line.
func (w *walk) ahead() (Problem, error) {
	if w.align == nil || !w.align.inStep() || !w.align.at.more() {
		return Problem{}, nil
	}
	at := &w.align.at
	p := Problem{Kind: KindAhead, Path: w.h.Index, Offset: w.offset(w.lines + 1), Records: at.last - at.number + 1, Position: w.size}
	first, zeros, err := w.align.rest()
	if err != nil {
		return p, readErr(w.h.Index, err)
	}
	what := fmt.Sprintf("entry %d is %d", w.claimed-p.Records+1, first)
	if zeros {
		what = zeroEntries(w.claimed-p.Records+1, w.claimed)
	}
	p.Reason = fmt.Sprintf("%s; the records end at %d: the index has %s more than the file; %s",
		what, w.pos, segment.Plural(p.Records, "record"), w.dropped("drops them and reports the loss"))
	if zeros && !w.v.p.place.Bare {
		p.Reason = fmt.Sprintf("%s; they are of no record; %s", what, w.dropped("drops them"))
	}
	return p, nil
}

// dropped is what happens to entries past the end of the records.
func (w *walk) dropped(opening string) string {
	switch {
	case w.v.p.place.Bare:
		return "jlq index builds a new one"
	case w.last:
		return "opening for appending " + opening
	}
	return w.v.repair()
}

// adopts is how the index gets the lines that it does not reach.
func (w *walk) adopts() string {
	switch {
	case w.v.p.place.Bare:
		return "jlq index adds them"
	case !w.last || w.refused:
		return w.v.repair()
	case w.adopted == 0:
		return "opening for appending adopts none of them"
	case w.adopted < w.behind.Records:
		return fmt.Sprintf("opening for appending adopts %d of them", w.adopted)
	}
	return "opening for appending adopts them"
}
