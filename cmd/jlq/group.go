package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"syscall"
	"time"

	"github.com/spf13/cobra"
)

const groupLong = `group tells about the consumer groups of a log, and moves or removes them. How far a
group is lies in offsets.json in a topic or partition, in FILE.offsets.json beside a bare
file: for each partition the next offset that the group reads. Retention drops nothing
that a group has not consumed, so a group that nobody uses any more should be deleted.`

func (a *app) groupCmd() *cobra.Command {
	return a.withCommands(&cobra.Command{
		Use:   "group COMMAND LOG",
		Short: "tell about consumer groups, move and remove them",
		Long:  groupLong,
		Example: `  jlq group show orders
  jlq group reset orders billing @-1h`,
	}, a.groupListCmd(), a.groupShowCmd(), a.groupWatchCmd(), a.groupCommitCmd(), a.groupResetCmd(), a.groupDeleteCmd(), a.groupExportCmd())
}

func (a *app) groupListCmd() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list LOG",
		Short: "list the groups of a log",
		Long: `list prints the consumer groups of a log: how many partitions each reads, how many
records it has not consumed yet, and how many consumers it has now.`,
		Example: `  jlq group list orders
  jlq group list --json app.jsonl | jq -r .group`,
		Args: wantArgs(1, 1, "one LOG"),
		RunE: func(cmd *cobra.Command, args []string) error {
			rows, err := a.lagOf(cmd.Context(), args)
			if err != nil {
				return err
			}
			return printRows(a.out, asJSON, summaries(rows), summaryTable)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a line")
	return cmd
}

// groupSummary is one group over all its partitions.
type groupSummary struct {
	Group      string `json:"group"`
	Partitions int    `json:"partitions"`
	Lag        uint64 `json:"lag"`
	Members    int    `json:"members"`
}

// summaries sums up rows, which are ordered by group.
func summaries(rows []groupRow) (out []groupSummary) {
	seen := map[int]bool{}
	for _, r := range rows {
		if len(out) == 0 || out[len(out)-1].Group != r.Group {
			out = append(out, groupSummary{Group: r.Group})
			clear(seen)
		}
		last := &out[len(out)-1]
		last.Partitions++
		last.Lag += r.Lag
		if pid := r.pid(); pid > 0 && !seen[pid] {
			seen[pid] = true
			last.Members++
		}
	}
	return out
}

func summaryTable(groups []groupSummary) string {
	t := table{right: []bool{false, true, true, true}}
	t.add("group", "partitions", "lag", "members")
	for _, g := range groups {
		t.add(g.Group, strconv.Itoa(g.Partitions), uintText(g.Lag), strconv.Itoa(g.Members))
	}
	return t.text("")
}

type groupShowCommand struct {
	*app
	json  bool
	watch time.Duration
	count int
}

func (a *app) groupShowCmd() *cobra.Command {
	c := &groupShowCommand{app: a}
	cmd := &cobra.Command{
		Use:   "show LOG [GROUP]",
		Short: "show how far groups are, partition by partition",
		Long: `show prints, for each partition that a group reads, the next offset that it reads
(committed), the next offset of the log, how many records lie between (lag), how old the
oldest of these is, by its time field or else by when its segment was last appended to,
and the process that consumes it. Without GROUP it shows all groups.

With --watch it prints that again each interval, until it is interrupted or -n.`,
		Example: `  jlq group show orders billing
  jlq group show --watch 10s --json orders | jq -c '[.group, .partition, .lag]'`,
		Args: wantArgs(1, 2, "a LOG and perhaps a GROUP"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.run(cmd, args)
		},
	}
	cmd.Flags().BoolVar(&c.json, "json", false, "print one JSON object a line")
	cmd.Flags().DurationVar(&c.watch, "watch", 0, "print it again, each `INTERVAL` (such as 1s)")
	cmd.Flags().Lookup("watch").DefValue = "0s" // none is shown
	cmd.Flags().IntVarP(&c.count, "number", "n", 0, "with --watch: end after `N` times")
	return cmd
}

func (c *groupShowCommand) run(cmd *cobra.Command, args []string) error {
	watching, counted := cmd.Flags().Changed("watch"), cmd.Flags().Changed("number")
	switch {
	case watching && c.watch < minWatch:
		return &usageError{err: fmt.Errorf("group show: --watch %v: want at least %v", c.watch, minWatch), hint: seeHelp(cmd)}
	case counted && (!watching || c.count < 1):
		return &usageError{err: errors.New("group show: -n counts the times of --watch, and is at least 1"), hint: seeHelp(cmd)}
	case !watching:
		return c.show(cmd.Context(), args)
	}
	return c.every(cmd.Context(), c.watch, c.count, func(ctx context.Context) error { return c.show(ctx, args) })
}

func (c *groupShowCommand) show(ctx context.Context, args []string) error {
	rows, err := c.lagOf(ctx, args)
	if err != nil {
		return err
	}
	return printRows(c.out, c.json, rows, groupTable)
}

// every calls look at once and then each interval, n times or for ever, until a
// signal, or until nobody reads stdout any more.
func (a *app) every(ctx context.Context, interval time.Duration, n int, look func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	a.out.follow(cancel)
	watchHangup(a.out.raw, func() { cancel(&outputError{syscall.EPIPE}) })
	ticks := time.NewTicker(interval)
	defer ticks.Stop()
	for i := 1; ; i++ {
		if err := look(ctx); err != nil {
			return err
		}
		if i == n {
			return nil
		}
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
