package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"example.com/jlq/internal/segment"
	"example.com/jlq/reader"
)

// readFlags are those of every command that reads records.
type readFlags struct {
	max sizeFlag
}

func (f *readFlags) add(cmd *cobra.Command) {
	cmd.Flags().Var(&f.max, "max-record", "the largest record that is read; a longer one is an error (default 16M, or more where the log's writer was allowed more)")
	cmd.Flags().Lookup("max-record").DefValue = ""
}

// withLog opens a log for reading, without lock and writing nothing, for as
// long as do takes. When ctx ends, the log is closed under it: that stops what
// looks for a line in a large file without an index.
func (a *app) withLog(ctx context.Context, path string, flags readFlags, do func(*reader.Log) error) error {
	if err := checkPlain(path); err != nil {
		return err
	}
	log, err := reader.Open(path, &reader.Options{MaxRecordBytes: int(flags.max), Logger: a.logger()})
	if err != nil {
		return err
	}
	a.noteBehind(log, path)
	stop := context.AfterFunc(ctx, func() { _ = log.Close() }) // it was only read
	err = do(log)
	if !stop() && errors.Is(err, reader.ErrClosed) {
		return context.Cause(ctx)
	}
	if closed := log.Close(); err == nil && ctx.Err() == nil {
		err = closed
	}
	return named(path, err)
}

// named adds the name of the log to an error that does not say it.
func named(path string, err error) error {
	if _, ok := errors.AsType[*segment.RangeError](err); ok {
		return fmt.Errorf("%s: %w", path, err)
	}
	return err
}

// noteBehind tells that a partition's writer died, or is just writing: there
// are lines that no index entry has made records of.
func (a *app) noteBehind(log *reader.Log, path string) {
	lines, size, err := log.Behind()
	if err != nil || lines == 0 {
		return // what is wrong is for the reading itself to find
	}
	least := ""
	if size >= reader.BehindLimit {
		least = "at least "
	}
	a.report("%s: %s%s (%d bytes) behind the index not shown; opening the log for appending makes records of them", path, least, countText(lines, "whole line"), size)
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
