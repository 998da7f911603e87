package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"example.com/jlq/topic"
)

func (a *app) topicHideCmd(undo bool) *cobra.Command {
	var from choice
	use, short, change := "hide", "hide partitions from producers or consumers", topic.Hide
	if undo {
		use, short, change = "unhide", "show partitions to producers or consumers again", topic.Unhide
	}
	cmd := &cobra.Command{
		Use:   use + " TOPIC PARTITION…",
		Short: short,
		Long: `hide takes partitions away from producers, from consumers or from both (--from). unhide
is the inverse. What is hidden from producers gets no new records: its keys go to the
other partitions. What is hidden from consumers is not claimed by members of groups,
and cat, tail and count of the topic leave it out. No record is lost by it. Processes
that have the topic open notice within a second.

To delete a partition: hide it from producers, let every group consume it, hide it
from consumers, delete it.`,
		Example: fmt.Sprintf("  jlq topic %s orders 2 --from producers\n  jlq topic %s orders 2 3", use, use),
		Args:    wantArgs(2, -1, "a TOPIC and at least one PARTITION"),
		RunE: func(_ *cobra.Command, args []string) error {
			numbers, err := partitionArgs(args[1:])
			if err != nil {
				return err
			}
			audience := map[string]topic.Audience{"both": topic.Producers | topic.Consumers, "producers": topic.Producers, "consumers": topic.Consumers}[from.value]
			for _, i := range numbers {
				m, err := change(args[0], i, audience, nil)
				if err != nil {
					return topicError(args[0], err)
				}
				a.report("%s: partition %d: hidden %s", args[0], i, hiddenText(&m, i))
			}
			return nil
		},
	}
	from = newChoice("both", "producers", "consumers")
	cmd.Flags().Var(&from, "from", "whom to hide them from, or show them to again")
	return cmd
}

// partitionArgs reads numbers of partitions.
func partitionArgs(args []string) ([]int, error) {
	var out []int
	for _, arg := range args {
		id, err := topic.ParseKey(arg)
		if err != nil || id.Topic != "" {
			return nil, usagef("topic: %q is not the number of a partition", arg)
		}
		out = append(out, id.Partition)
	}
	return out, nil
}
