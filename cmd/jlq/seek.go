package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/jlq/internal/jsonl"
	"example.com/jlq/reader"
	"example.com/jlq/topic"
)

type seekCommand struct {
	*app
	readFlags
	times          timeFlags // slack and zone
	field          fieldFlag
	check, verbose bool
	found          int // places that are not behind the last record
}

const seekLong = `seek prints the offset of the first record whose time is TIME or later; of a topic, an
id for each partition. For @T1:T2 it prints a range, which -o takes. Where all records
are earlier it prints the offset that the next one gets, and exits with 1. Few records
are read: the place is found by halving, and by looking at those that may be late.

TIME may stand there with or without the @; jlq help time tells how it is written. The
time of a record is that of --time-field.

-o @TIME begins at the offset that seek prints, and takes all that lie behind it. --since
and --until choose by the time of each record, also where some are late; those without
a time go with the one before. Both are exact as long as no record is later than --slack:
as a rule, 2048 places behind the first one that has a later time. --check reads the log
and says how late they are; its exit code is 4 where some are later than --slack.`

func (a *app) seekCmd() *cobra.Command {
	c := &seekCommand{app: a}
	cmd := &cobra.Command{
		Use:        "seek LOG @TIME…",
		SuggestFor: []string{"at", "time"},
		Short:      "find the first record at or after a time",
		Long:       seekLong,
		Example: `  jlq seek orders @-3h
  jlq cat -o $(jlq seek --zone Europe/Berlin app.jsonl "@2026-01-02 09:00:17:00") app.jsonl
  jlq seek --check --time-field event.created app.jsonl`,
		Args: c.wantTimes,
		RunE: func(cmd *cobra.Command, args []string) error {
			if c.check {
				return c.order(cmd, args[0])
			}
			return c.run(cmd, args[0], args[1:])
		},
	}
	c.readFlags.add(cmd)
	c.field.add(cmd, "time-field", timeFieldHelp)
	c.times.addSlack(cmd)
	c.times.zone.add(cmd)
	cmd.Flags().BoolVar(&c.check, "check", false, "read all records and say how far their times ascend")
	cmd.Flags().BoolVarP(&c.verbose, "verbose", "v", false, "say on stderr what TIME was read as, and the time of the record")
	return cmd
}

// wantTimes wants a TIME, or none where the order is checked.
func (c *seekCommand) wantTimes(cmd *cobra.Command, args []string) error {
	if c.check {
		return wantArgs(1, 1, "one LOG and no TIME with --check")(cmd, args)
	}
	if err := wantArgs(2, -1, "a LOG and at least one @TIME")(cmd, args); err != nil {
		return err
	}
	return turned(cmd, "@TIME", args[0], args[1:])
}

func (c *seekCommand) run(cmd *cobra.Command, path string, args []string) error {
	places := make([]offsets, len(args))
	for i, arg := range args {
		var err error
		if places[i], err = c.parse(arg); err != nil {
			return &usageError{err: fmt.Errorf("seek: %w", err), hint: seeHelp(cmd)}
		}
	}
	pick := &pickFlags{readFlags: c.readFlags, times: c.times}
	pick.order.field = c.field
	err := c.pick(cmd, pick, path, func(string) {}, func(v *topicView) error {
		return c.each(places, func(o offsets) error { return c.inTopic(v, o) })
	}, func(r *resolver) error {
		return c.each(places, func(o offsets) error { return c.in(r, o, nil) })
	})
	if err == nil && c.found == 0 {
		return silent(exitMissing)
	}
	return err
}

func (c *seekCommand) each(places []offsets, do func(offsets) error) error {
	for _, o := range places {
		if err := do(o); err != nil {
			return err
		}
	}
	return nil
}

// parse reads a TIME, or two, with or without the @ in front.
func (c *seekCommand) parse(text string) (offsets, error) {
	now := c.times.zone.now()
	o, err := parseOffsets("@"+strings.TrimPrefix(text, "@"), now)
	if err != nil && !strings.HasPrefix(text, "@") {
		_, err = jsonl.ParseMoment(text, now) // which does not tell of an @
	}
	return o, err
}

func (c *seekCommand) inTopic(v *topicView, o offsets) error {
	for _, i := range v.meta.Consumed() {
		log, err := v.log(i)
		if err == nil {
			err = c.in(v.resolver(log), o, &topic.ID{Topic: v.meta.Name, Partition: i})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// in prints where a place is in one log; id is that of its partition, where it is
// one of several.
func (c *seekCommand) in(r *resolver, o offsets, id *topic.ID) error {
	s, err := r.span(o)
	if err != nil {
		return err
	}
	_, next, err := r.bounds()
	if err != nil {
		return err
	}
	text := uintText(s.from)
	if id != nil {
		id.Offset = s.from
		text = string(id.Append(nil))
	}
	if !o.single {
		text += ":" + uintText(min(s.to, next))
	}
	if s.from < next {
		c.found++
	}
	c.explain(r, o, s, next)
	return c.out.WriteLine([]byte(text), "\n")
}

// explain says what a time was read as and what is there.
func (c *seekCommand) explain(r *resolver, o offsets, s span, next uint64) {
	path := r.log.Place().Path
	switch {
	case s.from >= next:
		c.report("%s: no record at or after %s", path, stamp(o.from.time))
	case c.verbose:
		c.report("%s: %s is %s; offset %d has %s", path, o.text, c.inZone(o.from.time), s.from, c.timeOf(r, s.from))
	}
	if c.verbose && !o.single && o.to.kind == atTime {
		c.report("%s: up to %s, offset %d", path, c.inZone(o.to.time), s.to)
	}
}

// inZone is a time in UTC and, where that is another, in --zone.
func (c *seekCommand) inZone(t time.Time) string {
	zone := c.times.zone.Location
	if zone == nil || t.In(zone).Format(time.RFC3339) == t.UTC().Format(time.RFC3339) {
		return stamp(t)
	}
	return fmt.Sprintf("%s (%s in %s)", stamp(t), t.In(zone).Format(time.RFC3339Nano), zone)
}

func (c *seekCommand) timeOf(r *resolver, offset uint64) string {
	data, err := r.log.Get(offset)
	if err != nil {
		return "no time that can be read: " + err.Error()
	}
	t, ok := jsonl.Time(data, string(c.field))
	if !ok {
		return "no time"
	}
	return stamp(t)
}

// hintTime adds a hint to an error that says that there are no times.
func hintTime(err error, hint func() string) error {
	if errors.Is(err, reader.ErrNoTime) {
		return &usageError{err: err, hint: hint()}
	}
	return err
}

// timeHint names the flag that says which field has the time, and the fields of
// the first record that look like it.
func timeHint(log *reader.Log) string {
	const hint = "--time-field FIELD names the field that has it"
	for rec, err := range log.Records(log.Info().Start) {
		if err != nil {
			break
		}
		names := jsonl.LikelyTimes(rec.Data)
		if len(names) == 0 {
			break
		}
		return "--time-field " + strings.Join(names, " or --time-field ")
	}
	return hint
}

// timeHint is that of the first partition.
func (v *topicView) timeHint() string {
	for _, i := range v.meta.Consumed() {
		if log, err := v.log(i); err == nil {
			return timeHint(log)
		}
	}
	return ""
}
