package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"example.com/jlq/index"
	"example.com/jlq/internal/segment"
	"example.com/jlq/internal/vfs"
)

type indexCommand struct {
	*app
	check, drop bool
}

func (a *app) indexCmd() *cobra.Command {
	c := &indexCommand{app: a}
	cmd := &cobra.Command{
		Use:   "index FILE",
		Short: "make any JSON-lines file seekable",
		Long: `index builds the index of a JSON-lines file, FILE.index, or extends it by the
lines that came since. The file itself is not changed. Where the index is not that of
the file (any more), a new one replaces it. A last line without newline waits for
its newline. A partition needs none of this: its writer keeps its index.

--check compares the index with the file and changes nothing. Exit codes: 0 it is
right and complete, 1 there is none or whole lines are not in it yet, 5 it is wrong.`,
		Example: `  jlq index app.jsonl
  jlq index --check app.jsonl && jlq get app.jsonl 900000000`,
		Args: wantArgs(1, 1, "one FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.run(cmd.Context(), args[0])
		},
	}
	cmd.Flags().BoolVar(&c.check, "check", false, "only compare the index with the file")
	cmd.Flags().BoolVar(&c.drop, "drop", false, "remove the index; the file reads as before, but sequentially")
	return cmd
}

func (c *indexCommand) run(ctx context.Context, path string) error {
	if c.check && c.drop {
		return usagef("index: --check and --drop exclude each other")
	}
	if err := checkIndexable(path); err != nil {
		return err
	}
	switch name := index.Path(path); {
	case c.check:
		return c.compare(ctx, path, name)
	case c.drop:
		return c.remove(path, name)
	default:
		return c.build(ctx, path, name)
	}
}

// checkIndexable refuses what has no index of its own.
func checkIndexable(path string) error {
	if err := checkPlain(path); err != nil {
		return err
	}
	place, err := segment.Locate(vfs.OS, path)
	if err != nil {
		return err
	}
	if !place.Bare {
		return &usageError{
			err:  fmt.Errorf("index %s: is a directory; a partition's writer keeps its index", path),
			hint: "jlq verify " + path + " checks it, jlq repair " + path + " makes again what is missing of it",
		}
	}
	if segment.InPartition(filepath.Base(path)) {
		return &usageError{
			err:  fmt.Errorf("index %s: is a file of a partition, whose writer keeps its index", path),
			hint: "jlq verify " + filepath.Dir(path) + " checks it, jlq repair " + filepath.Dir(path) + " makes again what is missing of it",
		}
	}
	return nil
}

func (c *indexCommand) build(ctx context.Context, path, name string) error {
	_, noIndex := os.Stat(name)
	begun := time.Now()
	bar := c.startProgress("index " + path)
	rep, err := index.BuildFile(ctx, path, name, &index.Options{Progress: bar.set})
	bar.finish()
	if err != nil {
		return c.buildError(name, err)
	}
	what := "up to date"
	switch {
	case rep.Rebuilt && noIndex == nil:
		what = "built anew: " + rep.Reason
	case rep.Rebuilt:
		what = "built"
	case rep.Extended:
		what = fmt.Sprintf("extended by %s", recordsText(rep.Added))
	}
	c.report("%s: %s of %s, %s (%.2f s)", name, recordsText(rep.Records), bytesText(rep.End), what, time.Since(begun).Seconds())
	c.noteTail(path, rep)
	return nil
}

// buildError gives a stale index that cannot be replaced its exit code.
func (c *indexCommand) buildError(name string, err error) error {
	if _, statErr := os.Stat(name); statErr == nil && errors.Is(err, fs.ErrPermission) {
		return &codeError{exitIndex, err}
	}
	return err
}

func (c *indexCommand) noteTail(path string, rep index.Report) {
	if rep.Tail > 0 {
		c.report("%s: not indexed before its newline comes: the last line, %d bytes", path, rep.Tail)
	}
}

func (c *indexCommand) compare(ctx context.Context, path, name string) error {
	bar := c.startProgress("check " + name)
	rep, problems, err := index.CheckFile(ctx, path, name, &index.Options{Progress: bar.set})
	bar.finish()
	if errors.Is(err, fs.ErrNotExist) {
		return &codeError{exitMissing, err}
	}
	if err != nil {
		return err
	}
	for _, p := range problems {
		if _, err := fmt.Fprintf(c.out, "%s: %v\n", name, p); err != nil {
			return err
		}
	}
	return c.verdict(path, name, rep, len(problems))
}

func (c *indexCommand) verdict(path, name string, rep index.Report, problems int) error {
	c.noteTail(path, rep)
	switch {
	case problems > 0:
		c.report("%s: is not the index of %s; jlq repair %s shows how to mend it", name, path, path)
		return silent(exitIndex)
	case rep.Behind > 0:
		c.report("%s: right, but not complete: %s not in it; jlq index %s adds them", name, countText(rep.Behind, "whole line"), path)
		return silent(exitMissing)
	}
	c.report("%s: right, %s", name, recordsText(rep.Records))
	return nil
}

// remove removes the index, unless a writer appends to it.
func (c *indexCommand) remove(path, name string) error {
	lock, err := vfs.OS.Lock(path)
	if err != nil {
		return err
	}
	defer lock.Close()
	info, err := vfs.OS.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return &codeError{exitMissing, err}
	}
	if err == nil && !info.Mode.IsRegular() {
		err = &fs.PathError{Op: "remove", Path: name, Err: vfs.ErrNotRegular}
	}
	if err != nil {
		return err
	}
	// A writer that came to it from another records file holds the index.
	shared, err := vfs.OS.Lock(name)
	if err != nil {
		return err
	}
	return errors.Join(vfs.OS.Remove(name), shared.Close())
}
