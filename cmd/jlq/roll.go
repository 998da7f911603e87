package main

import (
	"errors"
	"math"

	"github.com/spf13/cobra"

	"example.com/jlq/internal/segment"
	"example.com/jlq/internal/vfs"
	"example.com/jlq/partition"
)

func (a *app) rollCmd() *cobra.Command {
	return &cobra.Command{
		Use: "roll LOG",

		SuggestFor: []string{"seal", "rotate"},

		Short: "seal the active segment and begin the next",
		Long: `roll seals the active segment of a partition and begins the next. The files of a
sealed segment do not change any more: they can be packed, copied, or moved to
another disk and back. It takes the writer's lock, and recovers first what a crash
left. Where the active segment is empty, nothing is done and the exit code is 1.

Of a topic it rolls each partition; one that sealed something makes the exit code 0.

A writer that runs rolls by itself: jlq append --segment-bytes.`,
		Example: `  jlq roll orders
  jlq append --segment-bytes 64M orders more.jsonl`,
		Args: wantArgs(1, 1, "one LOG"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.eachPartition(cmd.Context(), args[0], true, a.roll)
		},
	}
}

func (a *app) roll(path string) error {
	opts, err := a.asLastWritten(path)
	if err != nil {
		return err
	}
	p, err := partition.Open(path, opts)
	if err != nil {
		return damaged(path, err)
	}
	files := p.Log().Files()
	err = p.Roll()
	_, next := p.Bounds()
	if closed := p.Close(); err == nil || closed != nil && !errors.Is(err, partition.ErrPoisoned) {
		err = errors.Join(err, closed)
	}
	if errors.Is(err, partition.ErrEmptySegment) {
		return missing("%s: the active segment, from offset %d on, is empty; there is nothing to seal", path, next)
	}
	if err != nil {
		return err
	}
	sealed := files[len(files)-1]
	info, err := vfs.OS.Stat(sealed.Records)
	if err != nil {
		return err
	}
	a.report("%s: sealed segment %d, %s, %s; the next one begins at offset %d", path, sealed.Base, countText(next-sealed.Base, "record"), bytesText(info.Size), next)
	return nil
}

// asLastWritten returns options with the modes that partition.json has, so
// that who only rolls a partition does not change what is promised of it.
// What is no partition directory is refused, and nothing is made.
func (a *app) asLastWritten(path string) (*partition.Options, error) {
	if err := checkPlain(path); err != nil {
		return nil, err
	}
	place, err := segment.Locate(vfs.OS, path)
	if err != nil {
		return nil, noLog(path, err)
	}
	if place.Bare {
		return nil, usagef("roll: %s: %v", path, partition.ErrNoSegments)
	}
	opts := &partition.Options{Logger: a.logger()}
	meta, known, err := segment.ReadMeta(vfs.OS, path)
	if err != nil || !known {
		return opts, damaged(path, err)
	}
	opts.MaxRecordBytes = int(min(meta.Batch-1, math.MaxInt))
	if opts.Sync, err = partition.ParseSync(meta.Sync); err != nil {
		return nil, err
	}
	opts.Validate, err = partition.ParseValidate(meta.Validate)
	return opts, err
}
