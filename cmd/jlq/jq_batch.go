package main

import (
	"bytes"
	"context"
	"iter"

	"example.com/jlq/internal/program"
	"example.com/jlq/topic"
)

// jqWork is a part of the records that a program is run on.
type jqWork struct {
	run  *jqRun
	rows []topic.Record
	data []byte // of the rows, where it was copied
	err  error  // how reading the records ended, behind these
}

// add copies a record. Where data moves, the rows before keep the old one.
func (w *jqWork) add(rec topic.Record) {
	start := len(w.data)
	w.data = append(w.data, rec.Data...)
	rec.Data = w.data[start:len(w.data):len(w.data)]
	w.rows = append(w.rows, rec)
}

// jqBatch is what comes of a part, a piece at a time. It may be worked on by
// one goroutine after the other.
type jqBatch struct {
	jqWork
	runner *program.Runner
	next   int  // the row to begin with
	begun  bool // the row before it is not done
	given  bool // and had a result

	events []jqEvent
	text   []byte
}

// jqEvent is one thing that came of a row: a result or an error.
type jqEvent struct {
	row        int
	start, end int  // of the result
	first      bool // result of its row
	err        error
}

// mostResults is how many bytes of results are held, before those are printed.
const mostResults = 1 << 20

// jqStart begins with a part on a goroutine of its own.
func jqStart(ctx context.Context, w jqWork, b *jqBatch) {
	b.take(w)
	b.work(ctx)
}

func (b *jqBatch) take(w jqWork) {
	b.jqWork, b.next, b.begun = w, 0, false
	b.events, b.text = b.events[:0], b.text[:0]
	if b.runner == nil {
		b.runner = w.run.program.Runner()
		b.runner.Raw = w.run.plain
		b.runner.Note = func(kind, text string) {
			b.run.app.report("%s: %s: %s: %s", b.run.where.name, recordText(b.rows[b.next-1]), kind, text)
		}
	}
}

// done reports whether nothing more comes of the part.
func (b *jqBatch) done() bool { return b.next == len(b.rows) && !b.begun }

// work runs the program until enough has come of it, or until nothing more
// does. What came of it before is forgotten.
func (b *jqBatch) work(ctx context.Context) {
	clear(b.events)
	b.events, b.text = b.events[:0], b.text[:0]
	for !b.done() && len(b.text) < mostResults && len(b.events) < mostResults/64 {
		if !b.begun {
			b.begun, b.given = true, false
			b.next++
			if err := b.runner.Start(ctx, jqRecord(b.rows[b.next-1])); err != nil {
				b.ends(err)
				continue
			}
		}
		result, err := b.runner.Next()
		if err != nil || result == nil {
			b.ends(err)
			continue
		}
		b.results(result)
	}
}

// ends is done with a row.
func (b *jqBatch) ends(err error) {
	b.begun = false
	if err != nil {
		b.events = append(b.events, jqEvent{row: b.next - 1, err: err})
	}
}

// results takes a result.
func (b *jqBatch) results(result []byte) {
	for line := range b.run.app.shownLines(result, b.run.plain) {
		start := len(b.text)
		b.text = append(b.text, line...)
		b.events = append(b.events, jqEvent{row: b.next - 1, start: start, end: len(b.text), first: !b.given})
		b.given = true
	}
}

// shownLines are the parts of a result that are printed one by one: its lines,
// where a string is printed as what it says and to a terminal, since a newline in a
// record is shown escaped there.
func (a *app) shownLines(result []byte, plain bool) iter.Seq[[]byte] {
	if plain && a.out.tty {
		return bytes.SplitSeq(result, []byte{'\n'})
	}
	return func(yield func([]byte) bool) { yield(result) }
}
