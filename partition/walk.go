package partition

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"time"

	"example.com/jlq/index"
	"example.com/jlq/internal/jsonl"
	"example.com/jlq/internal/segment"
)

// byteOrderMark is tolerated at the beginning of a bare file, and reported.
var byteOrderMark = []byte(jsonl.BOM)

// walk verifies one segment: it goes through the lines of the records file
// and the entries of the index side by side, as one merges two sorted lists,
// so that one wrong entry is one problem and does not shift all that follow.
type walk struct {
	v       *verifier
	h       *segment.Handle
	last    bool // the active segment
	size    int64
	idxSize int64
	claimed uint64 // records that the index describes
	entries *segment.EntryReader

	offset uint64 // of the line at hand, within the segment
	entry  uint64 // the entry at hand
	number uint64 // its number
	more   bool   // there is an entry at hand
	behind Problem
}

func (w *walk) run() (uint64, error) {
	if err := w.begin(); err != nil {
		return 0, err
	}
	lines := segment.NewScanner(w.h.Rec, 0, w.size, w.v.limit)
	for {
		if w.offset&0xfff == 0 && w.v.ctx.Err() != nil {
			return 0, context.Cause(w.v.ctx)
		}
		l, err := lines.Next()
		if err == io.EOF {
			return w.end()
		}
		if err != nil {
			return 0, readErr(w.h.Records, err)
		}
		if err := w.line(&l); err != nil {
			return 0, err
		}
	}
}

// begin looks at the index as a whole and at its first entry.
func (w *walk) begin() error {
	if err := w.promised(); err != nil {
		return err
	}
	switch {
	case w.h.Idx == nil && w.v.p.place.Bare:
		return nil
	case w.h.Idx == nil:
		return w.index("there is none; opening the log for appending rebuilds it")
	case w.idxSize == 0 && w.size == 0:
		return nil
	case w.idxSize < index.EntrySize:
		return w.index(fmt.Sprintf("it has %d bytes, less than one entry", w.idxSize))
	}
	if rest := w.idxSize % index.EntrySize; rest != 0 {
		if err := w.index(fmt.Sprintf("it ends in a partial entry of %d bytes", rest)); err != nil {
			return err
		}
	}
	if err := w.step(); err != nil {
		return err
	}
	if w.entry != 0 {
		if err := w.index(fmt.Sprintf("its first entry is %d, not 0", w.entry)); err != nil {
			return err
		}
	}
	return w.step()
}

// promised compares the file with what partition.json says was synced.
func (w *walk) promised() error {
	m := w.v.meta
	if m == nil || m.Synced.Base != w.h.Base || m.Synced.Position == 0 {
		return nil
	}
	if m.Synced.Position <= w.size {
		return w.syncedLine(m.Synced.Position)
	}
	return w.v.report(Problem{Kind: KindMeta, Path: w.h.Records, Offset: w.h.Base, Position: w.size, Length: m.Synced.Position - w.size,
		Reason: fmt.Sprintf("the records end at %d, but were synced up to %d", w.size, m.Synced.Position)})
}

// syncedLine: what was synced ends behind a newline.
func (w *walk) syncedLine(position int64) error {
	var last [1]byte
	if _, err := w.h.Rec.ReadAt(last[:], position-1); err != nil {
		return readErr(w.h.Records, err)
	}
	if last[0] == '\n' {
		return nil
	}
	return w.v.report(Problem{Kind: KindMeta, Path: w.h.Records, Offset: w.h.Base, Position: position,
		Reason: fmt.Sprintf("partition.json says that the records were synced up to %d, where no line ends", position)})
}

func (w *walk) index(reason string) error {
	return w.v.report(Problem{Kind: KindIndex, Path: w.h.Index, Offset: w.h.Base, Reason: reason})
}

// step takes the next entry.
func (w *walk) step() error {
	entry, err := w.entries.Next()
	if err == io.EOF {
		w.more = false
		return nil
	}
	if err != nil {
		return readErr(w.h.Index, err)
	}
	if w.more {
		w.number++
	}
	w.entry, w.more = entry, true
	return nil
}

// line holds one line against the check and against the index.
func (w *walk) line(l *segment.Line) error {
	if err := w.content(l); err != nil {
		return err
	}
	if !l.Whole {
		return nil
	}
	if w.h.Idx != nil {
		if err := w.align(l); err != nil {
			return err
		}
	}
	w.offset++
	return nil
}

// align moves the entries up to the end of the line.
func (w *walk) align(l *segment.Line) error {
	for w.more && w.entry < uint64(l.End) {
		if err := w.wrongEntry(l); err != nil {
			return err
		}
		if err := w.step(); err != nil {
			return err
		}
	}
	switch {
	case !w.more:
		w.lag(l)
		return nil
	case w.entry == uint64(l.End):
		return w.step()
	}
	return w.v.report(Problem{Kind: KindSplit, Path: w.h.Index, Offset: w.h.Base + w.number - 1, Records: 1, Position: l.Start, Length: l.End - l.Start,
		Reason: fmt.Sprintf("the line that ends at %d ends in no entry; the next is %d", l.End, w.entry)})
}

func (w *walk) wrongEntry(l *segment.Line) error {
	return w.v.report(Problem{Kind: KindEntry, Path: w.h.Index, Offset: w.h.Base + w.number - 1, Records: 1, Position: l.Start, Length: l.End - l.Start,
		Reason: fmt.Sprintf("entry %d is %d, where no line ends: this line ends at %d", w.number, w.entry, l.End)})
}

// lag counts a whole line that the index does not reach.
func (w *walk) lag(l *segment.Line) {
	if w.behind.Records == 0 {
		w.behind = Problem{Kind: KindBehind, Path: w.h.Index, Offset: w.h.Base + w.offset, Position: l.Start}
	}
	w.behind.Records++
	w.behind.Length = l.End - w.behind.Position
}

// content looks at the bytes of a line.
func (w *walk) content(l *segment.Line) error {
	at := Problem{Path: w.h.Records, Offset: w.h.Base + w.offset, Records: 1, Position: l.Start, Length: l.End - l.Start}
	data := l.Data
	if w.v.p.place.Bare && l.Start == 0 && bytes.HasPrefix(data, byteOrderMark) {
		bom := at
		bom.Kind, bom.Length, bom.Note = KindBOM, 3, true
		bom.Reason = "the file begins with a byte order mark"
		if err := w.v.report(bom); err != nil {
			return err
		}
		data = bytes.TrimPrefix(data, byteOrderMark)
	}
	switch {
	case l.NUL():
		at.Kind, at.Position, at.Length = KindNUL, l.NULStart, l.NULEnd-l.NULStart
		at.Reason = fmt.Sprintf("%d NUL bytes", at.Length)
		return w.v.report(at)
	case !l.Whole:
		return w.tail(at, l.Data)
	case l.Data == nil:
		at.Kind, at.Reason = KindRecord, fmt.Sprintf("the line is longer than %d bytes and was not looked into", w.v.limit)
		return w.v.report(at)
	}
	if err := w.v.check.Check(data, w.v.limit); err != nil {
		at.Kind, at.Reason = KindRecord, err.Error()
		return w.v.report(at)
	}
	return nil
}

// tail judges bytes without a newline. In a bare file a complete value is a
// record all the same; in a partition they were never acknowledged.
func (w *walk) tail(at Problem, data []byte) error {
	at.Kind = KindTail
	complete := data != nil && jsonl.Complete(data)
	switch {
	case w.v.p.place.Bare && complete:
		at.Note, at.Reason = true, "the last line has no newline; it counts, because it is complete"
	case w.v.p.place.Bare:
		at.Reason = "the last line has no newline and is not complete"
	case w.last && !w.more: // the index describes no such record
		at.Reason = "a torn tail: bytes of a record that was never acknowledged; opening for appending sets them aside"
	default:
		at.Reason = "the record is cut: it has no newline"
	}
	return w.v.report(at)
}

// end tells what is left of the index, or of the lines.
func (w *walk) end() (uint64, error) {
	for w.more {
		err := w.v.report(Problem{Kind: KindAhead, Path: w.h.Index, Offset: w.h.Base + w.number - 1, Records: 1, Position: w.size,
			Reason: fmt.Sprintf("entry %d is %d, the records end at %d", w.number, w.entry, w.size)})
		if err != nil {
			return 0, err
		}
		if err := w.step(); err != nil {
			return 0, err
		}
	}
	if w.behind.Records > 0 && !w.caughtUp() {
		w.behind.Reason = segment.Plural(w.behind.Records, "whole line") + " behind the end of the index; " + w.advice()
		if err := w.v.report(w.behind); err != nil {
			return 0, err
		}
	}
	return w.offset, nil
}

// advice is how the index gets the lines that it does not reach.
func (w *walk) advice() string {
	if w.v.p.place.Bare {
		return "jlq index adds them"
	}
	return "opening for appending adopts them"
}

// patience is how long a writer may take to publish what it wrote, with room
// to spare.
const patience = 50 * time.Millisecond

// caughtUp gives a live writer the time to publish the lines that were seen
// behind the index. Nobody else moves it.
func (w *walk) caughtUp() bool {
	want := w.claimed + w.behind.Records
	for wait := time.Duration(0); ; wait += 2 * time.Millisecond {
		n, err := w.h.Published()
		if err == nil && n >= want {
			return true
		}
		if wait >= patience || w.v.ctx.Err() != nil {
			return false
		}
		time.Sleep(2 * time.Millisecond)
	}
}
