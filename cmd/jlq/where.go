package main

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"example.com/jlq/internal/filter"
	"example.com/jlq/internal/jsonl"
	"example.com/jlq/internal/segment"
	"example.com/jlq/internal/vfs"
	"example.com/jlq/reader"
	"example.com/jlq/topic"
)

const whereHelp = `of these records, only those that the filter EXPR is true of, such as '.level == "error" && .user.id > 100' (jlq help filter)`

// whereFlag is --where.
type whereFlag string

func (f *whereFlag) add(cmd *cobra.Command) {
	cmd.Flags().Var(f, "where", whereHelp)
}

func (f *whereFlag) String() string { return string(*f) }
func (f *whereFlag) Type() string   { return "EXPR" }

func (f *whereFlag) Set(text string) error {
	if text == "" {
		return errors.New("want an expression")
	}
	*f = whereFlag(text)
	return nil
}

// compileFilter compiles an expression; what is wrong with one is shown with
// the place.
func compileFilter(text string) (*filter.Filter, error) {
	return compileFilterAt(text, time.Now().UTC())
}

// compileFilterAt is compileFilter at another time. What states no zone is in
// that of now.
func compileFilterAt(text string, now time.Time) (*filter.Filter, error) {
	f, err := filter.CompileAt(text, now)
	if wrong, ok := errors.AsType[*filter.Error](err); ok {
		return nil, &codeError{exitFilter, &usageError{errors.New(wrong.String()), "jlq help filter shows the language"}}
	}
	return f, err
}

// where chooses records by a filter, and counts what it meets.
type where struct {
	app     *app
	name    string         // of the log
	filter  *filter.Filter // nil: every record
	jq      *jqRun         // nil: the records themselves are printed
	checked bool           // all records were checked when they were stored
	onBad   string
	matched uint64
	invalid gaps        // lines that are not JSON and were not told yet
	large   gaps        // lines that are larger than may be read, the same
	far     error       // the first of these whose offset is not known
	met     atomic.Bool // there was one of either
	mu      sync.Mutex  // for large and far: one goroutine may read while another looks at lines
}

// newWhere compiles the filter of a command; nil where there is none. --on-bad
// says what is done about lines that are not JSON: skip, fail, or, where it was
// not given, skip and exit with 4.
func (a *app) newWhere(cmd *cobra.Command, name, text string) (*where, error) {
	if text == "" {
		return nil, nil
	}
	f, err := compileFilterAt(text, zoneOf(cmd).now())
	if err != nil {
		return nil, err
	}
	w := a.everything(cmd, name)
	w.filter = f
	return w, nil
}

// everything chooses all records.
func (a *app) everything(cmd *cobra.Command, name string) *where {
	w := &where{app: a, name: name}
	if given := cmd.Flags().Lookup("on-bad"); given != nil && given.Changed {
		w.onBad = given.Value.String()
	}
	return w
}

// trusted reports whether the records of a log were checked when they were
// stored: then only what is looked at is read of them.
func trusted(log *reader.Log) bool {
	if log.Place().Bare {
		return false
	}
	return trustedAt(log.Place().Path)
}

// trustedAt is trusted for the partition at path.
func trustedAt(path string) bool {
	// Without a partition.json that can be read, nothing is known.
	meta, ok, err := segment.ReadMeta(vfs.OS, path)
	return err == nil && ok && meta.Strict(meta.Start, 0)
}

// wants reports whether a record is chosen. The error is about a line that is
// not JSON and ends the command.
func (w *where) wants(rec reader.Record) (bool, error) {
	if w.filter == nil {
		return true, nil // it is the program that reads it
	}
	match := w.filter.Match
	if w.checked {
		match = w.filter.MatchChecked
	}
	ok, err := match(rec.Data)
	if err != nil {
		return false, w.refuse(rec, int64(len(rec.Data)), err)
	}
	if ok && w.jq == nil {
		w.matched++
	}
	return ok, nil
}

// goesOn reports whether lines that are larger than may be read are left out and
// counted, as those are that are not JSON.
func (w *where) goesOn() bool { return w != nil && w.onBad == "" }

// tooLarge takes what the reader passes over, which is larger than may be read.
func (w *where) tooLarge(d reader.Damage) error {
	if !errors.Is(d.Err, jsonl.ErrTooLarge) {
		return d.Err
	}
	w.addLarge(d.Offset, d.End-d.Position, d.Err)
	return nil
}

func (w *where) addLarge(offset uint64, size int64, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.met.Store(true)
	w.large.add(offset, 1, size)
	if offset == reader.UnknownOffset && w.far == nil {
		w.far = err
	}
	if w.app.out.isLive() {
		w.tellLarge()
	}
}

// refuse takes a line of that size that is not JSON, or too large to be read.
func (w *where) refuse(rec reader.Record, size int64, err error) error {
	if errors.Is(err, jsonl.ErrTooLarge) {
		w.addLarge(rec.Offset, size+1, err)
		return nil
	}
	if w.onBad == "fail" {
		return notJSON(w.name, rec, err)
	}
	if w.app.skip != nil && w.app.skip.leavesOut(rec) {
		return nil // it is told as what it is: blank, or damaged
	}
	w.met.Store(true)
	w.invalid.add(rec.Offset, 1, size+1)
	if w.app.out.isLive() {
		w.tell()
	}
	return nil
}

// notJSON ends a command at a line that is not JSON.
func notJSON(name string, rec reader.Record, err error) error {
	where := "a line"
	if rec.Offset != reader.UnknownOffset {
		where = "offset " + uintText(rec.Offset)
	}
	return &codeError{exitInvalid, &usageError{fmt.Errorf("%s: %s is not JSON: %w", name, where, err), "--on-bad skip leaves it out"}}
}

// rows is what is chosen of records.
func (w *where) rows(records stream) stream {
	return func(yield func(topic.Record, error) bool) {
		for rec, err := range records {
			ok := true
			if err == nil {
				if ok, err = w.wants(rec.Record); err != nil {
					rec = topic.Record{}
				}
			}
			if (ok || err != nil) && !yield(rec, err) {
				return
			}
		}
	}
}

// tell says how many lines were left out because they are not JSON, or too large.
func (w *where) tell() {
	w.invalid.tell(w.app, w.name, "not JSON")
	w.mu.Lock()
	defer w.mu.Unlock()
	w.tellLarge()
}

// tellLarge is for who holds mu.
func (w *where) tellLarge() {
	if w.far != nil {
		w.app.complain(w.far) // it says the position
	}
	w.large.tell(w.app, w.name, tooLargeText)
	w.far = nil
}

// outcome ends a command whose records were chosen: err is how reading them
// ended.
func (w *where) outcome(err error) error {
	w.tell()
	var failed error
	if w.jq != nil {
		failed = w.jq.outcome()
	}
	switch {
	case err != nil:
		return err
	case failed != nil:
		return failed
	case w.met.Load() && w.onBad == "":
		return silent(exitInvalid)
	case w.matched == 0:
		return silent(exitMissing)
	}
	return nil
}
