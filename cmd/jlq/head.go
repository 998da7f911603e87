package main

import "github.com/spf13/cobra"

// shownRecords is how many records head and tail print unless told otherwise.
const shownRecords = 10

type headCommand struct {
	*app
	viewFlags
}

func (a *app) headCmd() *cobra.Command {
	c := &headCommand{app: a, viewFlags: viewFlags{limit: shownRecords}}
	cmd := &cobra.Command{
		Use:   "head LOG",
		Short: "print the first records",
		Long: `head prints the first 10 records of a log, or of a range of it; with --where, the
first 10 that the filter is true of. Of a topic they are the oldest (--order).`,
		Example: `  jlq head orders
  jlq head -n 3 -o @2026-01-02 app.jsonl`,
		Args: wantArgs(1, 1, "one LOG"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.show(cmd, &c.viewFlags, args[0], c)
		},
	}
	c.add(cmd, "the first records of this range: "+offsetsHelp, "print N records")
	c.expr.add(cmd)
	c.step.add(cmd)
	c.context.add(cmd, "record that --where chooses")
	return cmd
}

func (c *headCommand) fromLog(v *view, r *resolver) error {
	defer v.showReading(v.name, &c.pickFlags, r.size, false)()
	return v.forward(r)
}

func (c *headCommand) fromTopic(v *view, t *topicView) error {
	defer v.showReading(v.name, &c.pickFlags, t.size, false)()
	return t.print(v, false)
}
