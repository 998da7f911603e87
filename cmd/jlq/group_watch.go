package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"
)

const groupWatchLong = `watch looks each interval how far a group is behind, over all partitions, and prints a
line when more than --max-lag records are not consumed, or the oldest of them is older
than --max-age; and another when that is over, which is when both are down to --below
percent of their limits, so that a group that hovers about a limit is told once.

With --exec a command is run each time (sh -c; cmd /c on Windows), with JLQ_STATE (over or
ok), JLQ_LOG, JLQ_GROUP, JLQ_LAG and JLQ_AGE (in seconds) in its environment. The next look
is when it has ended; where it fails, that is told and the watch goes on, as it does while
the log cannot be read.

It ends when it is interrupted (exit code 130). With -n it looks N times; the exit code is
then 1 where the last look was over: "-n 1" is a check for scripts.`

type groupWatchCommand struct {
	*app
	alarm
	maxLag   countFlag
	maxAge   ageFlag
	exec     string
	interval ageFlag
	count    int
	failed   bool // the last look did, and that was told
}

func (a *app) groupWatchCmd() *cobra.Command {
	c := &groupWatchCommand{app: a, maxLag: -1, interval: ageFlag(5 * time.Second)}
	c.below = 80
	cmd := &cobra.Command{
		Use:   "watch LOG GROUP",
		Short: "tell, or run a command, when a group is too far behind",
		Long:  groupWatchLong,
		Example: `  jlq group watch --max-lag 10000 --max-age 5m --exec 'mail -s "billing: $JLQ_STATE" ops' orders billing
  jlq group watch -n 1 --max-lag 1000 orders billing || echo behind`,
		Args: wantArgs(2, 2, "a LOG and a GROUP"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := c.check(cmd); err != nil {
				return &usageError{err: fmt.Errorf("group watch: %w", err), hint: seeHelp(cmd)}
			}
			return c.run(cmd.Context(), args)
		},
	}
	f := cmd.Flags()
	f.Var(&c.maxLag, "max-lag", "alarm when more than `N` records are not consumed")
	f.Var(&c.maxAge, "max-age", "alarm when the oldest record that is not consumed is older than `AGE`")
	f.Uint64Var(&c.below, "below", c.below, "it is over when lag and age are at most `PERCENT` of their limits")
	f.StringVar(&c.exec, "exec", "", "run `CMD` when the alarm begins and when it is over")
	f.Var(&c.interval, "every", "how often to look")
	f.IntVarP(&c.count, "number", "n", 0, "look `N` times, then end; exit code 1 where the last look was over")
	return cmd
}

func (c *groupWatchCommand) check(cmd *cobra.Command) error {
	switch {
	case c.maxLag < 0 && c.maxAge == 0:
		return errors.New("want --max-lag N or --max-age AGE")
	case c.maxLag == 0:
		return errors.New("--max-lag 0: want at least 1; a record takes a moment to be consumed")
	case c.below > 100:
		return fmt.Errorf("--below %d: want a percentage, at most 100", c.below)
	case time.Duration(c.interval) < minWatch:
		return fmt.Errorf("--every %v: want at least %v", time.Duration(c.interval), minWatch)
	case cmd.Flags().Changed("number") && c.count < 1:
		return fmt.Errorf("-n %d: want at least 1", c.count)
	}
	c.lag, c.age = uint64(max(c.maxLag, 0)), time.Duration(c.maxAge)
	return nil
}

func (c *groupWatchCommand) run(ctx context.Context, args []string) error {
	// What is not there is told before the watch begins.
	if _, err := c.lagOf(ctx, args); err != nil {
		return err
	}
	err := c.every(ctx, time.Duration(c.interval), c.count, func(ctx context.Context) error { return c.look(ctx, args) })
	if err == nil && c.over {
		return silent(exitMissing)
	}
	return err
}

// look looks once. Only what stdout says ends the watch.
func (c *groupWatchCommand) look(ctx context.Context, args []string) error {
	rows, err := c.lagOf(ctx, args)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		if !c.failed {
			c.report("%v", err)
		}
		c.failed = true
		return nil
	}
	c.failed = false
	b := backlogOf(rows)
	if !c.alarm.look(b) {
		return nil
	}
	if err := c.print(args, b); err != nil {
		return err
	}
	c.command(args, b)
	return nil
}

func (c *groupWatchCommand) print(args []string, b backlog) error {
	text := fmt.Sprintf("%s %s %s: %s: lag %d, oldest %s\n", time.Now().Format(time.RFC3339), args[0], args[1], c.state(), b.lag, durationText(b.age))
	if err := c.out.WriteText(text); err != nil {
		return err
	}
	return c.out.Flush()
}

func (c *groupWatchCommand) command(args []string, b backlog) {
	if c.exec == "" {
		return
	}
	err := c.newRunner(c.exec).run(nil,
		"JLQ_STATE="+c.state(), "JLQ_LOG="+args[0], "JLQ_GROUP="+args[1],
		"JLQ_LAG="+uintText(b.lag), "JLQ_AGE="+strconv.FormatInt(int64(b.age/time.Second), 10))
	if err != nil {
		c.report("--exec: %v", err)
	}
}
