package main

import (
	"context"

	"github.com/spf13/cobra"

	"example.com/jlq/partition"
)

const repairLong = `repair prints what it would do to a damaged log, and does it with --execute. It
takes the writer's lock. The exit code is 4 when there is something to do and it
was not done.

No damaged byte is deleted: all are first saved beside the records, in
BASE.torn-POSITION. A record that is lost in the middle becomes a blank line, so that
all behind it keep their positions, and their offsets as far as the index proves how
many records were lost. Where nothing proves that, or a line was added or removed by
hand, records change their offsets: repair says which and asks for --renumber.
Damage at the end is cut off. An index that is wrong or missing is derived from the
records. In a file that is no partition every line stays, whatever it says; only NUL
bytes and an unfinished last line are damage there.

Of a topic it repairs each partition by itself.

To bring a record back by hand, stop the writer and write its line over the blank one,
filled up with spaces to the same length (dd conv=notrunc seek=POSITION). The .torn
files are for that; without them verify takes the blank lines for damage.

Opening a log for appending recovers by itself what a crash can leave. repair is for
the rest: a failing disk, an edit by hand, a copy that was cut short.`

type repairCommand struct {
	*app
	readFlags
	how  partition.RepairOptions
	json bool
}

func (a *app) repairCmd() *cobra.Command {
	c := &repairCommand{app: a}
	cmd := &cobra.Command{
		Use:   "repair LOG",
		Short: "put a damaged log right: show how, then do it",
		Long:  repairLong,
		Example: `  jlq repair orders
  jlq repair --execute orders && jlq verify orders`,
		Args: wantArgs(1, 1, "one LOG"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := c.refuseSmall(c.app, cmd); err != nil {
				return err
			}
			return c.eachPartition(cmd.Context(), args[0], false, func(path string) error {
				return c.run(cmd.Context(), path)
			})
		},
	}
	c.readFlags.add(cmd)
	cmd.Flags().BoolVar(&c.how.Execute, "execute", false, "do it; without it nothing is changed")
	cmd.Flags().BoolVar(&c.how.Renumber, "renumber", false, "let records behind damage change their offsets where they cannot be proved")
	cmd.Flags().BoolVar(&c.json, "json", false, "print one JSON object a line")
	return cmd
}

func (c *repairCommand) run(ctx context.Context, path string) error {
	if err := checkPlain(path); err != nil {
		return err
	}
	bar := c.startProgress("repair " + path)
	report, err := partition.Repair(ctx, path, &partition.Options{
		MaxRecordBytes: int(c.max), Logger: c.logger(), Progress: bar.set,
	}, c.how)
	bar.finish()
	if err != nil && report.Begun {
		c.report("%s: broken off half-way; no record is lost by that, and repair goes on where it is called again", path)
	}
	if err != nil {
		return err
	}
	if err := c.show(report); err != nil {
		return err
	}
	return c.verdict(path, report)
}

// show prints what is done, or to be done, on stdout; with --json also what
// keeps it from being done.
func (c *repairCommand) show(r partition.RepairReport) error {
	for _, action := range r.Actions {
		if err := c.line(action, action.String()); err != nil {
			return err
		}
	}
	if c.json {
		for _, text := range r.Shifts {
			if err := c.line(repairObstacle{"renumber", text}, ""); err != nil {
				return err
			}
		}
		for _, text := range r.Left {
			if err := c.line(repairObstacle{"left", text}, ""); err != nil {
				return err
			}
		}
	}
	return c.out.Flush()
}

// repairObstacle is the JSON of what is not repaired, or not without
// --renumber.
type repairObstacle struct {
	Action string `json:"action"`
	Reason string `json:"reason"`
}

func (c *repairCommand) line(v any, text string) error {
	if !c.json {
		return c.out.WriteLine(appendVisible(nil, []byte(text)), "\n")
	}
	return c.out.WriteJSON(v)
}

// verdict says on stderr what was done, or what it takes.
func (c *repairCommand) verdict(path string, r partition.RepairReport) error {
	n := uint64(len(r.Actions))
	lost := uint64(0)
	for _, action := range r.Actions {
		lost += action.Lost
	}
	for _, text := range r.Shifts {
		c.report("%s", text)
	}
	for _, text := range r.Left {
		c.report("cannot be repaired: %s", text)
	}
	if len(r.Left) > 0 {
		c.hint(withoutAway(path))
	}
	c.hintEdited(path, r)
	switch {
	case n == 0 && len(r.Left) == 0 && len(r.Shifts) == 0:
		c.report("%s: nothing to repair", path)
		return nil
	case r.Done && n > 0:
		c.report("%s: %s done, %s lost", path, countText(n, "repair"), recordsText(lost))
	case len(r.Shifts) > 0 && !c.how.Renumber:
		c.report("%s: nothing was changed; jlq repair --renumber --execute %s accepts other offsets", path, path)
	case n > 0:
		renumber := ""
		if len(r.Shifts) > 0 {
			renumber = "--renumber "
		}
		c.report("%s: %s to make, %s lost; nothing was changed yet: jlq repair %s--execute %s", path, countText(n, "repair"), recordsText(lost), renumber, path)
	}
	if r.Done && len(r.Left) == 0 {
		return nil
	}
	return silent(exitInvalid)
}

// hintEdited tells of what an editor did, as long as it can be undone.
func (c *repairCommand) hintEdited(path string, r partition.RepairReport) {
	for _, a := range r.Actions {
		if a.Done || a.Action != partition.ActionFill && a.Action != partition.ActionIndex || a.Position != 0 {
			continue
		}
		if hint := editorHint(path, a.Offset); hint != "" {
			c.hint(hint)
			return
		}
	}
}
