package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"example.com/jlq/group"
)

const groupCommitLong = `commit says that a group has consumed everything before OFFSET, which is of the usual
kinds (end, N, -N, @TIME), or a record's id, which names its partition as well: for who
reads the log by other means than consume and wants its place kept here, and retention to
wait for it. A new group is registered. One that is further already stays there: to go
back, or to pass over records, is what reset is for. It prints what changed, and changes
nothing where a consumer of the group lives (exit code 6).`

type groupCommitCommand struct {
	*app
	partition int
	json      bool
}

func (a *app) groupCommitCmd() *cobra.Command {
	c := &groupCommitCommand{app: a}
	cmd := &cobra.Command{
		Use:   "commit LOG GROUP OFFSET",
		Short: "say that a group has consumed what is before an offset",
		Long:  groupCommitLong,
		Example: `  jlq group commit app.jsonl nightly 8000
  jlq group commit --partition 3 orders etl end`,
		Args: wantArgs(3, 3, "a LOG, a GROUP and an OFFSET"),
		RunE: func(cmd *cobra.Command, args []string) error {
			to, err := placeIn(cmd, args[0], args[2], &c.partition)
			if err != nil {
				return &usageError{err: fmt.Errorf("group commit: %w", err), hint: seeHelp(cmd)}
			}
			return c.run(cmd.Context(), args[0], args[1], to)
		},
	}
	partitionFlag(cmd, &c.partition)
	addTimePlace(cmd)
	cmd.Flags().BoolVar(&c.json, "json", false, "print one JSON object a line")
	return cmd
}

func (c *groupCommitCommand) run(ctx context.Context, path, name string, to group.To) error {
	g, err := c.openGroup(path, name)
	if err != nil {
		return err
	}
	moved, err := g.Commit(ctx, to, onePartition(c.partition)...)
	if err != nil {
		return namedFull(path, err)
	}
	return printRows(c.out, c.json, resetRows(name, moved), commitTable)
}

func commitTable(rows []resetRow) string {
	t := table{right: []bool{false, true, true, true}}
	t.add("group", "partition", "from", "to")
	for _, r := range rows {
		t.add(r.Group, uintText(uint64(r.Partition)), uintText(r.From), uintText(r.To))
	}
	return t.text("")
}
