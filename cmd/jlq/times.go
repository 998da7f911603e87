package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // --zone means the same on machines that have no time zones

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.com/jlq/internal/jsonl"
	"example.com/jlq/reader"
)

// zoned is a flag whose value holds times: it is read again once it is known in
// which zone those are that state none.
type zoned interface{ inZone(now time.Time) error }

// momentFlag is a TIME, with or without the @ that stands before times among
// offsets.
type momentFlag struct {
	text string
	time time.Time // zero while it was not given
}

func (f *momentFlag) String() string { return f.text }
func (f *momentFlag) Type() string   { return "TIME" }

func (f *momentFlag) Set(text string) error {
	f.text = text
	return f.inZone(time.Now().UTC())
}

func (f *momentFlag) inZone(now time.Time) (err error) {
	f.time, err = jsonl.ParseMoment(strings.TrimPrefix(f.text, "@"), now)
	return err
}

// slackFlag is how late records may be: by a number of records or by a length of
// time.
type slackFlag struct {
	text    string
	records uint64
	time    time.Duration
}

func (f *slackFlag) String() string { return f.text }
func (f *slackFlag) Type() string   { return "N|DURATION" }

func (f *slackFlag) Set(text string) (err error) {
	*f = slackFlag{text: text}
	if f.records, err = strconv.ParseUint(text, 10, 32); err == nil && f.records > 0 {
		return nil
	}
	f.records = 0
	if f.time, err = jsonl.ParseAge(text); err != nil || f.time == 0 {
		return fmt.Errorf("%q is neither a number of records nor a duration, such as 10000 or 5m", text)
	}
	return nil
}

// zoneFlag is --zone.
type zoneFlag struct{ *time.Location }

func (f *zoneFlag) Type() string { return "ZONE" }

func (f *zoneFlag) String() string {
	if f.Location == nil {
		return ""
	}
	return f.Location.String()
}

func (f *zoneFlag) Set(text string) (err error) {
	if strings.EqualFold(text, "local") {
		f.Location = time.Local
		return nil
	}
	if f.Location, err = time.LoadLocation(text); err == nil && text != "" {
		return nil
	}
	if t, err := time.Parse("Z07:00", text); err == nil {
		_, ahead := t.Zone()
		f.Location = time.FixedZone(text, ahead)
		return nil
	}
	return fmt.Errorf("%q is not a zone; want UTC, local, a name such as Europe/Berlin or an offset such as +02:00", text)
}

// add adds --zone to a command whose arguments or flags may be times.
func (f *zoneFlag) add(cmd *cobra.Command) {
	cmd.Flags().Var(f, "zone", "the zone of a TIME that states none, of today, and of the times that -F log and %t print: UTC, local, Europe/Berlin, +02:00 (default UTC)")
}

// now is the time in the zone.
func (f *zoneFlag) now() time.Time {
	if f.Location == nil {
		return time.Now().UTC()
	}
	return time.Now().In(f.Location)
}

// settleZone reads the flags of a command again whose times --zone is about.
func settleZone(cmd *cobra.Command) (err error) {
	zone := cmd.Flags().Lookup("zone")
	if zone == nil || !zone.Changed {
		return nil
	}
	now := zoneOf(cmd).now()
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if z, ok := f.Value.(zoned); ok && err == nil {
			if err = z.inZone(now); err != nil {
				err = flagError(cmd, fmt.Errorf("invalid argument %q for %q flag: %w", f.Value, "--"+f.Name, err))
			}
		}
	})
	return err
}

// zoneOf is the zone that a command was given.
func zoneOf(cmd *cobra.Command) *zoneFlag {
	if f := cmd.Flags().Lookup("zone"); f != nil {
		if zone, ok := f.Value.(*zoneFlag); ok {
			return zone
		}
	}
	return &zoneFlag{}
}

// addTimePlace adds the flags of a command that takes one place, which may be a
// time.
func addTimePlace(cmd *cobra.Command) {
	new(fieldFlag).add(cmd, "time-field", timeFieldHelp)
	new(zoneFlag).add(cmd)
}

// timeFieldOf is the --time-field that a command was given.
func timeFieldOf(cmd *cobra.Command) string { return cmd.Flags().Lookup("time-field").Value.String() }

// timeFlags say which records a command is about by their times.
type timeFlags struct {
	since, until momentFlag
	slack        slackFlag
	zone         zoneFlag
}

func (f *timeFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.Var(&f.since, "since", "of these records, only those at or after TIME (jlq help time); one without a time goes with the one before it")
	flags.Var(&f.until, "until", "of these records, only those before TIME")
	f.addSlack(cmd)
	f.zone.add(cmd)
}

func (f *timeFlags) addSlack(cmd *cobra.Command) {
	cmd.Flags().Var(&f.slack, "slack", "how late a record may be: N places behind one that has a later time, or DURATION before it; jlq seek --check tells (default 2048)")
}

// given reports whether records are wanted by their times.
func (f *timeFlags) given() bool { return !f.since.time.IsZero() || !f.until.time.IsZero() }

// check refuses what no record can be.
func (f *timeFlags) check(cmd *cobra.Command) error {
	if f.until.text == "" || !f.until.time.Before(f.since.time) {
		return nil
	}
	return &usageError{err: fmt.Errorf("%s: --until (%s) is before --since (%s)", cmd.Name(), stamp(f.until.time), stamp(f.since.time)), hint: seeHelp(cmd)}
}

// want is what the reader has to find.
func (f *timeFlags) want(field fieldFlag) *reader.TimeRange {
	return &reader.TimeRange{
		Since: f.since.time, Until: f.until.time, Field: string(field),
		Slack: f.slack.records, SlackTime: f.slack.time,
	}
}

// stamp is a time as reports show it.
func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }
