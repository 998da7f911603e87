package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.com/jlq/internal/jsonl"
	"example.com/jlq/internal/segment"
	"example.com/jlq/internal/vfs"
	"example.com/jlq/reader"
)

// readFlags are those of every command that reads records.
type readFlags struct {
	max     sizeFlag
	onBad   skipFlag // of the commands that add it
	lenient *where   // nil: what is larger than max is an error; else it takes it, and reading goes on
}

func (f *readFlags) add(cmd *cobra.Command) {
	cmd.Flags().Var(&f.max, "max-record", "the largest record that is read; a longer one is an error (default 16M, or more where the log's writer was allowed more)")
	cmd.Flags().Lookup("max-record").DefValue = ""
}

// refuseSmall refuses a --max-record below the default: a record that was stored
// is no damage because it is long. One that is set for all commands is about others.
func (f *readFlags) refuseSmall(a *app, cmd *cobra.Command) error {
	if f.max == 0 || f.max >= jsonl.DefaultMaxBytes || slices.Contains(a.fromEnv, envPrefix+"MAX_RECORD") {
		return nil
	}
	return &usageError{
		err:  fmt.Errorf("%s: --max-record %s: records of up to %s may have been stored, and are looked into; it takes larger ones than that", cmd.Name(), f.max.String(), sizeText(jsonl.DefaultMaxBytes)),
		hint: `jlq cat LOG -F '%S %o\n' | sort -n | tail shows the largest records`,
	}
}

// withLog opens a log for reading, without lock and writing nothing, for as
// long as do takes. When ctx ends, the log is closed under it: that stops what
// looks for a line in a large file without an index.
func (a *app) withLog(ctx context.Context, path string, flags readFlags, do func(*reader.Log) error) error {
	if err := checkPlain(path); err != nil {
		return err
	}
	opts := &reader.Options{MaxRecordBytes: int(flags.max), Logger: a.logger(), RejectNUL: true}
	if flags.onBad.value == "skip" {
		a.skip = &skipper{app: a, name: path}
		opts.Skip = a.skip.damage
		defer a.skip.tell()
	} else if flags.lenient.goesOn() {
		opts.SkipLarge = flags.lenient.tooLarge
	}
	count := &counting{app: a, path: path}
	opts.Counting = count.set
	log, err := reader.Open(path, opts)
	if err != nil {
		return noLog(path, err)
	}
	if a.skip != nil {
		a.skip.bare = log.Place().Bare
	}
	unindexed := a.noteBehind(log, path)
	a.noteAhead(log, path)
	stop := context.AfterFunc(ctx, func() { _ = log.Close() }) // it was only read
	err = hintTime(do(log), func() string { return timeHint(log) })
	if !stop() && errors.Is(err, reader.ErrClosed) {
		return context.Cause(ctx)
	}
	if closed := log.Close(); err == nil && ctx.Err() == nil {
		err = closed
	}
	if err == nil {
		count.tell()
	}
	if code := exitCode(err); unindexed && (code == exitOK || code == exitMissing) {
		err = &codeError{exitIndex, err}
	}
	return flags.advise(log, named(path, err))
}

// noLog says of a path that there is nothing, rather than how that was found
// out.
func noLog(path string, err error) error {
	if errors.Is(err, vfs.ErrNotRegular) && strings.HasPrefix(path, "/dev/") {
		return &usageError{err: err, hint: throughPipe}
	}
	if in := logIn(path); in != "" && errors.Is(err, segment.ErrNotLog) {
		return &usageError{err: err, hint: "did you mean " + in + "?"}
	}
	e, ok := errors.AsType[*fs.PathError](err)
	if !ok || e.Path != path || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	err = fmt.Errorf("%s: no such log: %w", path, e.Err)
	if path == "-" {
		return &usageError{err: err, hint: throughPipe}
	}
	if near := nearLog(path); near != "" {
		return &usageError{err: err, hint: "did you mean " + near + "?"}
	}
	return err
}

// advise adds to an error about damage what can be done about it.
func (f readFlags) advise(log *reader.Log, err error) error {
	path := log.Place().Path
	if away, ok := errors.AsType[*segment.SegmentAwayError](err); ok {
		hint := awayHint(path, away.Base)
		if _, more := behindAway(path, away.Base); more && f.onBad.value == "fail" {
			hint = "--on-bad skip leaves it out; " + hint
		}
		return &usageError{err: err, hint: hint}
	}
	if errors.Is(err, jsonl.ErrTooLarge) && f.onBad.value == "fail" {
		return &usageError{err: err, hint: "--on-bad skip reads on behind it"}
	}
	if _, damaged := errors.AsType[*segment.CorruptError](err); !damaged {
		return err
	}
	hint := fmt.Sprintf("jlq verify %s says what is wrong, jlq repair %s shows how to mend it", path, path)
	if f.onBad.value != "" && f.onBad.value != "skip" {
		hint = "--on-bad skip reads on behind it; " + hint
	}
	return &usageError{err: err, hint: hint}
}

// named adds the name of the log to an error that does not say it.
func named(path string, err error) error {
	if _, ok := errors.AsType[*segment.RangeError](err); ok {
		return fmt.Errorf("%s: %w", path, err)
	}
	return err
}

// namedFull adds the name of the log to any error that does not begin with it.
func namedFull(path string, err error) error {
	if err == nil || strings.HasPrefix(err.Error(), path) {
		return err
	}
	return fmt.Errorf("%s: %w", path, err)
}

// noteBehind tells that a partition's writer died, or is just writing: there
// are lines that no index entry has made records of.
// unindexed says that some of them were records already, so that what is shown
// is not the whole log.
func (a *app) noteBehind(log *reader.Log, path string) (unindexed bool) {
	lines, size, err := log.Behind()
	if err != nil || lines == 0 {
		return false // what is wrong is for the reading itself to find
	}
	least := ""
	if size >= reader.BehindLimit {
		least = "at least "
	}
	if unindexed, err = log.Unindexed(); err == nil && unindexed {
		a.report("%s: the index is not whole: %s%s (%s) behind it not shown; opening the log for appending, or jlq repair %s, derives it from the records",
			path, least, countText(lines, "record"), countText(uint64(size), "byte"), path)
		return true
	}
	if n, err := log.Ahead(); err == nil && n > 0 {
		return false // where the index ends begins no line: noteAhead tells of it
	}
	a.report("%s: %s%s (%s) behind the index not shown; opening the log for appending makes records of those that are valid", path, least, countText(lines, "whole line"), countText(uint64(size), "byte"))
	return false
}

// noteAhead tells that the index of a partition ends in something that is no
// record, which a crash or a broken disk left.
func (a *app) noteAhead(log *reader.Log, path string) {
	n, err := log.Ahead()
	if err != nil || n == 0 {
		return // what is wrong is for the reading itself to find
	}
	a.report("%s: at the end of its index, %s no record, which is not counted; jlq repair %s shows how to mend it", path, entriesText(n), path)
}

// checkPlain refuses what cannot be a log although it may hold records.
func checkPlain(path string) error {
	packing := packedFile(path)
	if packing == "" && missingPacked(path) {
		packing = "a compressed file by its name"
	}
	if packing == "" {
		return nil
	}
	return &usageError{
		err:  fmt.Errorf("%s: is compressed (%s); a log has positions and must be plain", path, packing),
		hint: fmt.Sprintf("jlq append NEW %s stores what is in it", path),
	}
}

// missingPacked reports whether path, which does not exist, would become a
// log with the name of a compressed file.
func missingPacked(path string) bool {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".gz", ".zst":
		_, err := os.Stat(path)
		return errors.Is(err, fs.ErrNotExist)
	}
	return false
}
