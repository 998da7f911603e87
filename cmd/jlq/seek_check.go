package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/jlq/reader"
)

// defaultSlack is that of the reader.
const defaultSlack = 2048

// order says how far the times of a log's records ascend.
func (c *seekCommand) order(cmd *cobra.Command, path string) error {
	return c.eachPartition(cmd.Context(), path, false, func(path string) error {
		return c.withLog(cmd.Context(), path, c.readFlags, func(log *reader.Log) error {
			bar, bytes := c.startProgress("check "+path), sizeOf(log)
			o, err := log.CheckOrder(cmd.Context(), string(c.field), func(done, total uint64) {
				bar.set(int64(float64(bytes)*float64(done)/float64(total)), bytes)
			})
			bar.finish()
			if err != nil {
				return err
			}
			if err := c.out.WriteText(orderText(path, &o)); err != nil {
				return err
			}
			return c.orderVerdict(path, &o)
		})
	})
}

// orderText is what --check prints.
func orderText(path string, o *reader.Order) string {
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-9s %s\n", name, fmt.Sprintf(format, args...))
	}
	line("log", "%s", path)
	line("records", "%d, %d without a time", o.Records, o.Timeless)
	if o.Records > o.Timeless {
		line("times", "%s to %s", stamp(o.First), stamp(o.Last))
	}
	line("late", "%d", o.Late)
	if o.Late > 0 {
		line("most", "%s behind the first that is later; %s before the latest", countText(o.MostRecords, "place"), o.MostTime)
	}
	for _, p := range o.Places {
		fmt.Fprintf(&b, "  offset %d has %s, %s behind the first that is later; %s before %s\n",
			p.Offset, stamp(p.Time), countText(p.Behind, "place"), p.Latest.Sub(p.Time).Round(time.Microsecond), stamp(p.Latest))
	}
	if more := o.Late - uint64(len(o.Places)); more > 0 {
		fmt.Fprintf(&b, "  and %d more\n", more)
	}
	return b.String()
}

// orderVerdict says whether times are found exactly with the slack that was given.
func (c *seekCommand) orderVerdict(path string, o *reader.Order) error {
	slack := c.times.slack
	if slack.records == 0 && slack.time == 0 {
		slack.records, slack.text = defaultSlack, uintText(defaultSlack)
	}
	exact := o.MostRecords <= slack.records
	if slack.time > 0 {
		exact = o.MostTime <= slack.time
	}
	if exact {
		c.report("%s: times are found exactly with --slack %s", path, slack.text)
		return nil
	}
	c.report("%s: some are later than --slack %s allows; --slack %d or --slack %s finds times exactly",
		path, slack.text, o.MostRecords, (o.MostTime + time.Second - 1).Truncate(time.Second))
	return silent(exitInvalid)
}
