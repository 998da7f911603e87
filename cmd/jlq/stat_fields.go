package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.com/jlq/internal/filter"
	"example.com/jlq/internal/inorder"
	"example.com/jlq/internal/profile"
	"example.com/jlq/reader"
)

// fieldsCommand is stat --fields.
type fieldsCommand struct {
	*statCommand
	where   *where
	profile *profile.Profile
	bar     *progress
	bytes   int64 // of the log, or -1
	done    int64 // of them
	invalid uint64
}

// everyRecord is the filter that is true of each.
const everyRecord = "true"

// fieldsOnly refuses the flags that belong to --fields.
func (c *statCommand) fieldsOnly(cmd *cobra.Command) error {
	if c.fields {
		if cmd.Flags().Changed("watch") || c.segments {
			return usagef("stat: --fields goes with neither --watch nor --segments")
		}
		return nil
	}
	return c.refuseFields(cmd)
}

// refuseFields refuses the flags that choose records: only --fields reads any.
func (c *statCommand) refuseFields(cmd *cobra.Command) (err error) {
	chooses := cobra.Command{}
	new(pickFlags).add(&chooses, "")
	new(whereFlag).add(&chooses)
	cmd.Flags().Visit(func(f *pflag.Flag) {
		variable := envPrefix + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
		general := slices.Contains(c.fromEnv, variable) // it is for other commands
		if err == nil && !general && f.Name != "max-record" && chooses.Flags().Lookup(f.Name) != nil {
			err = &usageError{err: fmt.Errorf("stat: --%s belongs to --fields", f.Name), hint: "jlq count tells how many records a range holds"}
		}
	})
	return err
}

// showFields tells what fields the records have.
func (c *statCommand) showFields(cmd *cobra.Command, path string) (err error) {
	f := &fieldsCommand{statCommand: c, profile: profile.New(profile.MaxPaths)}
	if f.where, err = c.newWhere(cmd, path, cmp.Or(string(c.expr), everyRecord)); err != nil {
		return err
	}
	c.lenient = f.where
	f.bar = c.startProgress(path)
	defer f.bar.finish()
	name := path
	err = c.pick(cmd, &c.pickFlags, path, func(path string) { name = path }, f.readTopic, f.readLog)
	f.bar.finish()
	if code := exitCode(err); err != nil && code != exitInvalid {
		return err
	}
	// What was read is worth telling, also where something was wrong.
	report := newFieldsReport(name, f.profile)
	report.Invalid = f.invalid
	if printed := c.printFields(report); printed != nil {
		return printed
	}
	outcome := f.where.outcome(err)
	if c.expr == "" && quiet(outcome) && exitCode(outcome) == exitMissing {
		return nil // an empty log is no failure
	}
	return outcome
}

func (f *fieldsCommand) readLog(r *resolver) error {
	f.where.checked = trusted(r.log)
	f.bytes = -1
	if !f.offsets.given && r.want == nil {
		f.bytes = sizeOf(r.log)
	}
	spans, err := r.spans(f.offsets.offsets)
	if err != nil {
		return err
	}
	return f.read(r.ctx, r.log, spans)
}

func (f *fieldsCommand) readTopic(t *topicView) error {
	f.where.checked = t.trusted()
	spans, err := t.spans(f.offsets.offsets)
	if err != nil {
		return err
	}
	lots, err := t.lots(spans)
	if err != nil {
		return err
	}
	f.bytes = -1
	if !f.offsets.given && t.parts == nil {
		f.bytes = t.size()
	}
	for i := range lots {
		if lots[i].skip != nil {
			f.skip = lots[i].skip
		}
		if err := f.read(t.ctx, lots[i].log, []span{lots[i].span}); err != nil {
			return err
		}
	}
	return nil
}

// sizeOf is how many bytes the records of a log take.
func sizeOf(log *reader.Log) (sum int64) {
	for _, s := range log.Info().Segments {
		sum += s.Bytes
	}
	return sum
}

// fieldsPart is what came of one piece of the log.
type fieldsPart struct {
	profile *profile.Profile
	lines   []byte
	bad     []filter.Bad
	matched int
	bytes   int64
	err     error
}

// read adds the records of spans to the profile, on all cores.
func (f *fieldsCommand) read(ctx context.Context, log *reader.Log, spans []span) error {
	for p := range inorder.Each(ctx, filtered(piecesOf(ctx, log, spans)), f.work) {
		f.profile.Merge(p.profile)
		f.where.matched += uint64(p.matched)
		for _, bad := range p.bad {
			if err := f.where.refuse(reader.Record{Offset: bad.Offset, Data: bad.Data}, int64(bad.Size), bad.Err); err != nil {
				return err
			}
			f.invalid++
		}
		if p.err != nil {
			return p.err
		}
		f.done += p.bytes
		f.bar.set(f.done, f.bytes)
	}
	return context.Cause(ctx)
}

// work makes a profile of one piece.
func (f *fieldsCommand) work(ctx context.Context, piece iter.Seq2[filter.Block, error], p *fieldsPart) {
	if p.profile == nil {
		p.profile = profile.New(profile.MaxPaths)
	}
	p.profile.Reset()
	p.bad, p.matched, p.bytes, p.err = p.bad[:0], 0, 0, nil
	for block, err := range piece {
		if err != nil {
			p.err = err
			return
		}
		f.block(p, block)
		if ctx.Err() != nil {
			return
		}
	}
}

func (f *fieldsCommand) block(p *fieldsPart, block filter.Block) {
	if block.Bad != nil {
		p.bad = append(p.bad, *block.Bad)
		return
	}
	var matched int
	known := len(p.bad)
	p.lines, matched, p.bad = f.where.filter.Select(p.lines[:0], p.bad, block.Data, f.where.checked)
	p.matched += matched
	p.bytes += int64(len(block.Data))
	for i := known; i < len(p.bad); i++ {
		p.bad[i].Keep(block.First)
	}
	for line := range bytes.Lines(p.lines) {
		p.profile.Add(line[:len(line)-1])
	}
}
