package main

import (
	"errors"
	"strconv"

	"github.com/spf13/cobra"

	"example.com/jlq/topic"
)

const topicDeleteLong = `delete deletes partitions by number, or without any the topic as a whole, with the
offsets of its groups and their dead letters. It first shows what would be lost and
what speaks against it; --execute does it.

A partition must be hidden from producers and from consumers, and every registered
group must have consumed all of it. --force goes over that, and over files in its
directory that jlq did not make, but not over a writer or a member of a group that is
at work: exit code 6. Nothing else is touched: deleting the last partition leaves the
topic, its offsets and dead letters. The number of a deleted partition is never used
again.

The exit code is 1 when something speaks against it and --force was not given.`

func (a *app) topicDeleteCmd() *cobra.Command {
	var (
		what            topic.Deletion
		execute, asJSON bool
	)
	cmd := &cobra.Command{
		Use:   "delete TOPIC [PARTITION…]",
		Short: "delete partitions or a topic: show what is lost, then do it",
		Long:  topicDeleteLong,
		Example: `  jlq topic delete orders 2
  jlq topic delete --execute orders 2
  jlq topic delete --execute --force orders`,
		Args: wantArgs(1, -1, "a TOPIC"),
		RunE: func(_ *cobra.Command, args []string) (err error) {
			if len(args) > 1 {
				if what.Partitions, err = partitionArgs(args[1:]); err != nil {
					return err
				}
			}
			return a.topicDelete(args[0], what, execute, asJSON)
		},
	}
	cmd.Flags().BoolVar(&execute, "execute", false, "do it; without it nothing is changed")
	cmd.Flags().BoolVar(&what.Force, "force", false, "delete also what is visible, or not consumed")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func (a *app) topicDelete(path string, what topic.Deletion, execute, asJSON bool) error {
	plan, err := topic.PlanDelete(path, what, nil)
	if err != nil {
		return topicError(path, err)
	}
	allowed := len(plan.Against()) == 0 || what.Force
	if execute && allowed {
		// What is lost is said first; it is decided again under the locks.
		a.tellLoss(path, &plan, "will be lost")
		done, err := topic.Delete(path, what, nil)
		if refused, ok := errors.AsType[*topic.RefusedError](err); ok {
			plan, allowed = refused.Plan, false // it changed meanwhile
		} else if err != nil {
			if done.Done {
				a.report("%s: deleted, but files are left; the next change of the topic removes them", path)
			}
			return err
		} else {
			plan = done
		}
	}
	if err := a.showDeletion(&plan, asJSON); err != nil {
		return err
	}
	return a.deletionVerdict(path, &plan, allowed, what.Force)
}

// showDeletion prints the plan on stdout.
func (a *app) showDeletion(plan *topic.DeletePlan, asJSON bool) error {
	if asJSON {
		return a.out.WriteJSON(plan)
	}
	t := table{right: []bool{true, true, true, true, true}}
	t.add("partition", "start", "next", "records", "bytes")
	for i := range plan.Partitions {
		p := &plan.Partitions[i]
		t.add(strconv.Itoa(p.Partition), uintText(p.Start), uintText(p.Next), uintText(p.Records), bytesText(p.Bytes))
	}
	if err := a.out.WriteText(t.text("")); err != nil {
		return err
	}
	return a.out.Flush()
}

func (a *app) tellLoss(path string, plan *topic.DeletePlan, verb string) {
	records, bytes := plan.Lost()
	what := countText(uint64(len(plan.Partitions)), "partition")
	if plan.Whole {
		what = "the topic, " + what
	}
	a.report("%s: %s with %s (%s) %s", path, what, recordsText(records), bytesText(bytes), verb)
	for _, why := range plan.Against() {
		a.report("%s: %s", path, why)
	}
}

// deletionVerdict says on stderr what it comes to.
func (a *app) deletionVerdict(path string, plan *topic.DeletePlan, allowed, force bool) error {
	switch {
	case plan.Done:
		a.report("%s: deleted", path)
		return nil
	case allowed && force:
		a.tellLoss(path, plan, "would be lost; nothing was changed yet: --execute does it")
		return nil
	case allowed:
		a.tellLoss(path, plan, "would be deleted; nothing was changed yet: --execute does it")
		return nil
	}
	a.tellLoss(path, plan, "would be lost; nothing was changed")
	a.hint("hide it with jlq topic hide, let the groups consume it, or give --force")
	return silent(exitMissing)
}
