package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"example.com/jlq/topic"
)

// endFlags say when following ends by itself.
type endFlags struct {
	idle  ageFlag
	atEnd bool
	retry bool
}

func (f *endFlags) add(cmd *cobra.Command) {
	cmd.Flags().Var(&f.idle, "idle-timeout", "with -f: end, with exit code 0, when the log got no record for this long")
	cmd.Flags().BoolVarP(&f.atEnd, "exit-at-end", "e", false, "with -f: end where the log ended when it began")
	cmd.Flags().BoolVar(&f.retry, "retry", false, "with -f: where there is no log yet, wait for it")
}

// check refuses what belongs to -f without it.
func (f *endFlags) check(cmd *cobra.Command, follow bool) error {
	if !follow && (f.idle > 0 || f.retry) {
		return &usageError{err: errors.New("tail: --idle-timeout and --retry belong to -f"), hint: seeHelp(cmd)}
	}
	return nil
}

// untilIdle ends a sequence when nothing comes for as long as --idle-timeout. The
// time that it takes to print what came does not count.
func (f *endFlags) untilIdle(records stream, cancel context.CancelCauseFunc) stream {
	if f.idle == 0 {
		return records
	}
	return func(yield func(topic.Record, error) bool) {
		idle := newIdleTimer(time.Duration(f.idle), cancel)
		defer idle.came()
		idle.wait()
		for rec, err := range records {
			idle.came()
			if errors.Is(err, errIdle) || !yield(rec, err) {
				return
			}
			idle.wait()
		}
	}
}

// unlessIdle is the outcome of following: that nothing came is none.
func unlessIdle(err error) error {
	if errors.Is(err, errIdle) {
		return nil
	}
	return err
}

// retryPeriod is how often --retry looks for the log.
const retryPeriod = 100 * time.Millisecond

// await waits until there is a log at path.
func (a *app) await(ctx context.Context, path string) error {
	ticks := time.NewTicker(retryPeriod)
	defer ticks.Stop()
	for told := false; ; told = true {
		there, err := logThere(path)
		if there || err != nil {
			return err
		}
		if !told {
			a.report("%s: is not there yet; waiting for it", path)
		}
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// logThere reports whether there is a log at path. A directory becomes one with
// its first file.
func logThere(path string) (bool, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, err
	case !info.IsDir():
		return true, nil
	}
	entries, err := os.ReadDir(path)
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		return e.Name() == "topic.json" || e.Name() == "partition.json" || filepath.Ext(e.Name()) == ".jsonl"
	}), err
}
