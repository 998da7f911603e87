package main

import (
	"context"
	"errors"
	"iter"
	"syscall"

	"github.com/spf13/cobra"

	"example.com/jlq/reader"
)

type tailCommand struct {
	*app
	viewFlags
	end    endFlags
	follow bool
}

func (a *app) tailCmd() *cobra.Command {
	t := &tailCommand{app: a, viewFlags: viewFlags{limit: -1}}
	cmd := &cobra.Command{
		Use:   "tail LOG",
		Short: "print the last records, and follow",
		Long: `tail prints the last 10 records of a log, or of a range of it. With -f it then
waits for more and prints each record once its line is whole. It goes on when the
log rolls, and when a bare file is replaced or truncated: then it says so and begins
at the start of what is there now. Where records are dropped before it has read them
it says which, and goes on behind them.

With --where they are the last 10 records that the filter is true of, wherever they
are; -f looks for them before it waits, unless -n 0 says that none are wanted.

Of a topic they are the last by time (--order). -f then prints the records of all
partitions as they come, also of those that are added.

-o with -f prints everything from there on instead of the last records.
Interrupt it to end it: the exit code is then 130. With --idle-timeout it ends by
itself when the log got no record for that long, and with -e where the log ended when it
began; the exit code is then 0, and 1 where --where chose nothing. With --retry it
waits for a log that is not there yet.`,
		Example: `  jlq tail -n 3 orders
  jlq tail -f app.jsonl
  jlq tail -f --retry --idle-timeout 1m --where '.level == "error"' -B 5 app.jsonl
  jlq tail -f -o 184467 orders | consumer`,
		Args: wantArgs(1, 1, "one LOG"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return t.run(cmd, args[0])
		},
	}
	t.add(cmd, "the last records of this range; with -f, all from its start on: "+offsetsHelp, "print N records (default 10)")
	t.expr.add(cmd)
	t.context.add(cmd, "record that --where chooses")
	t.end.add(cmd)
	cmd.Flags().BoolVarP(&t.follow, "follow", "f", false, "wait for more at the end")
	return cmd
}

func (t *tailCommand) run(cmd *cobra.Command, path string) error {
	if t.follow && (t.ranged() && t.limit >= 0 || t.offsets.to.kind != atEnd || t.times.until.text != "") {
		return &usageError{
			err:  errors.New("tail: -f takes -n, or --since, or -o with a range that has no end"),
			hint: seeHelp(cmd),
		}
	}
	if err := t.end.check(cmd, t.follow); err != nil {
		return err
	}
	if t.limit < 0 {
		t.limit = shownRecords
	}
	if t.end.retry {
		if err := t.await(cmd.Context(), path); err != nil {
			return err
		}
	}
	return t.show(cmd, &t.viewFlags, path, t)
}

func (t *tailCommand) fromTopic(v *view, whole *topicView) error {
	v.limit = -1 // -n says how far back
	return whole.tail(t, v)
}

func (t *tailCommand) fromLog(v *view, r *resolver) error {
	v.limit = -1 // -n says how far back
	switch {
	case t.follow && t.end.atEnd && t.ranged():
		return v.forward(r)
	case t.follow && !t.end.atEnd:
		return t.live(r, v)
	case v.where != nil:
		defer v.showReading(v.name, &t.pickFlags, r.size, false)()
		return t.chosen(v, r)
	}
	records, err := t.last(r, v.numbered())
	if err != nil {
		return err
	}
	return v.print(r.ctx, v.rows(records))
}

// last is the last records of the range. Where they are numbered, a file without
// index is read through.
func (t *tailCommand) last(r *resolver, numbered bool) (iter.Seq2[reader.Record, error], error) {
	n := uint64(t.limit)
	if !t.ranged() && !numbered {
		return r.log.Tail(n).Records(), nil
	}
	if !numbered {
		if parts, placed, err := r.placed(t.offsets.offsets); placed || err != nil {
			if err == nil {
				parts, err = r.log.LastAt(parts, n)
			}
			return joined(parts, r.log.RecordsAt), err
		}
	}
	spans, err := r.clamped(t.offsets.offsets)
	if err != nil {
		return nil, err
	}
	return joined(lastOf(spans, n), func(s span) iter.Seq2[reader.Record, error] { return r.log.Range(s.from, s.to) }), nil
}

// live prints records as they come, until a signal or until nobody reads
// stdout any more.
func (t *tailCommand) live(r *resolver, v *view) error {
	ctx, cancel := context.WithCancelCause(r.ctx)
	defer cancel(nil)
	t.out.follow(cancel)
	watchHangup(t.out.raw, func() { cancel(&outputError{syscall.EPIPE}) })
	live := *r
	live.ctx = ctx
	records, err := t.following(&live, v)
	if err != nil {
		return err
	}
	return unlessIdle(v.print(ctx, t.end.untilIdle(timely(r.want, v.rows(t.onward(ctx, r.log, records))), cancel)))
}

func (t *tailCommand) following(r *resolver, v *view) (iter.Seq2[reader.Record, error], error) {
	ctx, log, from := r.ctx, r.log, t.offsets.from
	switch {
	case r.want != nil:
		offset, err := r.firstWanted(t.offsets.offsets)
		return log.Follow(ctx, offset), err
	case !t.offsets.given && v.where != nil:
		return t.followChosen(ctx, v, log)
	case !t.offsets.given:
		return t.fromEnd(r, v, uint64(t.limit))
	case from.kind == atLast:
		return t.fromEnd(r, v, from.n)
	case from.kind == atEnd:
		return t.fromEnd(r, v, 0)
	}
	offset, err := r.offset(from)
	return log.Follow(ctx, offset), err
}

// fromEnd follows from the n-th record before the end. Where offsets are shown, a
// file without index is read through.
func (t *tailCommand) fromEnd(r *resolver, v *view, n uint64) (iter.Seq2[reader.Record, error], error) {
	if !v.numbered() {
		return r.log.FollowTail(r.ctx, n), nil
	}
	offset, err := r.offset(bound{kind: atLast, n: n})
	return r.log.Follow(r.ctx, offset), err
}

// ranged reports whether it is about a part of the log.
func (t *tailCommand) ranged() bool { return t.offsets.given || t.times.given() }
