package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"example.com/jlq/group"
	"example.com/jlq/topic"
)

const groupResetLong = `reset says where a group goes on: at an OFFSET of the usual kinds (start, end, N, -N for
the last N, @TIME), or --by so many records from where it is, back where negative. It
does so for all partitions, or for the one of --partition or of a record's id (orders-0@42),
and prints what it changed: the last column is what that means for the group. Nothing is
changed where a consumer of the group lives (exit code 6, with its process): its place is
its own.`

type groupResetCommand struct {
	*app
	by        int64
	partition int
	dry       bool
	json      bool
}

func (a *app) groupResetCmd() *cobra.Command {
	c := &groupResetCommand{app: a}
	cmd := &cobra.Command{
		Use:   "reset LOG GROUP {OFFSET | --by N}",
		Short: "say where a group goes on",
		Long:  groupResetLong,
		Example: `  jlq group reset orders billing @-1h
  jlq group reset orders billing orders-3@89055
  jlq group reset --partition 3 --by -100 orders billing
  jlq group reset --dry-run orders billing end`,
		Args: wantArgs(2, 3, "a LOG, a GROUP and an OFFSET (or --by N)"),
		RunE: func(cmd *cobra.Command, args []string) error {
			to, err := c.to(cmd, args)
			if err != nil {
				return &usageError{err: fmt.Errorf("group reset: %w", err), hint: seeHelp(cmd)}
			}
			return c.run(cmd.Context(), args[0], args[1], to)
		},
	}
	f := cmd.Flags()
	f.Int64Var(&c.by, "by", 0, "go on `N` records from where it is; -N goes back")
	partitionFlag(cmd, &c.partition)
	addTimePlace(cmd)
	f.BoolVar(&c.dry, "dry-run", false, "say what would change and change nothing")
	f.BoolVar(&c.json, "json", false, "print one JSON object a line")
	return cmd
}

// to is the place that was asked for.
func (c *groupResetCommand) to(cmd *cobra.Command, args []string) (group.To, error) {
	by := cmd.Flags().Changed("by")
	if by == (len(args) == 3) {
		return group.To{}, errors.New("want an OFFSET or --by N, and not both")
	}
	if by {
		return group.ToBy(c.by), nil
	}
	return placeIn(cmd, args[0], args[2], &c.partition)
}

// placeIn is the place that text names in the log at path. A record's id names
// its partition as well. A time is looked for in the field of --time-field.
func placeIn(cmd *cobra.Command, path, text string, partition *int) (group.To, error) {
	o, err := parseLocation(text, zoneOf(cmd).now())
	if err == nil && o.in != nil {
		err = choosePartition(path, o.in, partition)
	}
	if err != nil {
		return group.To{}, err
	}
	return placeOf(cmd, o)
}

// choosePartition takes the partition that a record's id names.
func choosePartition(path string, in *topic.ID, partition *int) error {
	if _, _, err := within(path, in); err != nil {
		return err
	}
	if *partition >= 0 && *partition != in.Partition {
		return fmt.Errorf("--partition %d, and an id of partition %d", *partition, in.Partition)
	}
	*partition = in.Partition
	return nil
}

// placeOf is one place that was written, as a group takes it.
func placeOf(cmd *cobra.Command, o offsets) (group.To, error) {
	if !o.single {
		return group.To{}, fmt.Errorf("%s is a range; want one place", o.text)
	}
	switch o.from.kind {
	case atEnd:
		return group.ToEnd(), nil
	case atOffset:
		return group.ToOffset(o.from.n), nil
	case atLast:
		return group.ToLast(o.from.n), nil
	case atTime:
		return group.ToTime(o.from.time, timeFieldOf(cmd)), nil
	}
	return group.ToStart(), nil
}

// partitionFlag is --partition; -1 stands for all.
func partitionFlag(cmd *cobra.Command, partition *int) {
	f := cmd.Flags()
	f.IntVar(partition, "partition", -1, "only in partition `N` (default all)")
	f.Lookup("partition").DefValue = "0" // none is shown
}

func onePartition(partition int) []int {
	if partition < 0 {
		return nil
	}
	return []int{partition}
}

func (c *groupResetCommand) run(ctx context.Context, path, name string, to group.To) error {
	g, err := c.openGroup(path, name)
	if err != nil {
		return err
	}
	do := g.Reset
	if c.dry {
		do = g.PlanReset
	}
	moved, err := do(ctx, to, onePartition(c.partition)...)
	if err != nil {
		return namedFull(path, noGroup(path, name, err))
	}
	if err := printRows(c.out, c.json, resetRows(name, moved), resetTable); err != nil {
		return err
	}
	if c.dry {
		c.report("%s: nothing was changed", path)
	}
	return nil
}

// resetRow is what became of a group in one partition.
type resetRow struct {
	Group string `json:"group"`
	group.Moved
}

func resetRows(name string, moved []group.Moved) []resetRow {
	rows := make([]resetRow, len(moved))
	for i, m := range moved {
		rows[i] = resetRow{name, m}
	}
	return rows
}

func resetTable(rows []resetRow) string {
	t := table{right: []bool{false, true, true, true, false}}
	t.add("group", "partition", "from", "to", "")
	for _, r := range rows {
		t.add(r.Group, strconv.Itoa(r.Partition), uintText(r.From), uintText(r.To), r.means())
	}
	return t.text("")
}

func (r *resetRow) means() string {
	switch {
	case r.To < r.From:
		return recordsText(r.From-r.To) + " again"
	case r.To > r.From:
		return recordsText(r.To-r.From) + " passed over"
	}
	return "as it was"
}
