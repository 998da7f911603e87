package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strconv"

	"github.com/spf13/cobra"

	"example.com/jlq/partition"
	"example.com/jlq/topic"
)

const topicLong = `A topic is a directory of several partitions, each a log of its own, numbered from 0:

  orders/topic.json   name and number of partitions, who sees them
  orders/0/ …         the partitions

jlq append --key FIELD puts all records with the same value of a field into the same
partition, in order; without --key they go to the partitions in turn. cat, head, tail,
filter and count read a topic as one log; verify, stat, trim, roll and repair look at
each partition. A record's id names partition and offset: orders-0@42.

Any partition is a LOG, too: jlq cat orders/0.`

// topicCmd is the parent of the commands about topics as such.
func (a *app) topicCmd() *cobra.Command {
	return a.withCommands(&cobra.Command{
		Use:   "topic COMMAND",
		Short: "logs of several partitions: create, list, show, hide, delete",
		Long:  topicLong,
		Example: `  jlq topic create orders --partitions 4
  jlq append orders --key customer input.jsonl
  jlq topic show orders`,
	}, a.topicCreateCmd(), a.topicListCmd(), a.topicShowCmd(), a.topicAddCmd(),
		a.topicHideCmd(false), a.topicHideCmd(true), a.topicDeleteCmd())
}

func (a *app) topicCreateCmd() *cobra.Command {
	var (
		n       int
		name    string
		mode    string
		network bool
	)
	cmd := &cobra.Command{
		Use:   "create TOPIC",
		Short: "make a topic",
		Long: `create makes a topic: a directory with so many empty partitions. Its name, which is a
part of every record's id, is that of the directory unless --name says another: 1 to
63 of a-z, 0-9, dot, underscore and hyphen, the first a letter or digit.

Where there is a topic already, or a directory with other files, nothing is changed
and the exit code is 2. A create that was interrupted is done by the next one.`,
		Example: `  jlq topic create orders --partitions 4
  jlq topic create /var/log/shop --name orders -p 8`,
		Args: wantArgs(1, 1, "one TOPIC"),
		RunE: func(_ *cobra.Command, args []string) error {
			perm, err := parseMode("topic create", mode)
			if err != nil {
				return err
			}
			opts := &topic.Options{Name: name, Partition: partition.Options{Mode: perm, AllowNetwork: network, Logger: a.logger()}}
			if err := topic.Create(args[0], n, opts); err != nil {
				return topicNameError(args[0], err)
			}
			a.report("%s: created with %s", args[0], countText(uint64(n), "partition"))
			return nil
		},
	}
	cmd.Flags().IntVarP(&n, "partitions", "p", 1, "how many `N` partitions")
	cmd.Flags().StringVar(&name, "name", "", "the `NAME` of the topic (default: that of its directory)")
	cmd.Flags().StringVar(&mode, "mode", "", "permission of new files, `OCTAL` (default 0600); directories get the search bits that go with it")
	cmd.Flags().BoolVar(&network, "allow-network", false, "make it on a network file system, where locks and fsync may not hold what they promise")
	return cmd
}

// topicNameError says what to do about a directory that is a topic already, or
// whose name is none for a topic.
func topicNameError(path string, err error) error {
	if errors.Is(err, topic.ErrName) {
		return &usageError{err: err, hint: "jlq topic create " + path + " --name NAME"}
	}
	if errors.Is(err, topic.ErrExists) {
		return &usageError{err: err, hint: "jlq topic show " + path + " tells about it, jlq topic add-partition " + path + " gives it more partitions"}
	}
	return err
}

func (a *app) topicListCmd() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "list [DIR]",
		Short:   "list the topics in a directory",
		Long:    "list prints the topics that lie in DIR (default: the current directory), not those further down.\nThe exit code is 1 when there is none, and 4 when a topic.json is damaged.",
		Example: "  jlq topic list /var/lib/jlq\n  jlq topic list --json | jq -r .name",
		Args:    wantArgs(0, 1, "at most one DIR"),
		RunE: func(_ *cobra.Command, args []string) error {
			root := "."
			if len(args) > 0 {
				root = args[0]
			}
			return a.topicList(root, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a line")
	return cmd
}

// listedTopic is one topic of list --json.
type listedTopic struct {
	Path string `json:"path"`
	topic.Meta
	Error string `json:"error,omitempty"`
}

func (a *app) topicList(root string, asJSON bool) error {
	found, err := topic.List(root, nil)
	if err != nil {
		return err
	}
	t := table{right: []bool{false, true, true, true, false}}
	t.add("topic", "partitions", "hidden", "deleted", "path")
	failed := exitOK
	for i := range found {
		l := &found[i]
		if l.Err != nil {
			a.complain(l.Err)
			failed = max(failed, exitCode(l.Err))
		}
		if asJSON {
			out := listedTopic{Path: l.Dir, Meta: l.Meta}
			if l.Err != nil {
				out.Error = l.Err.Error()
			}
			if err := a.jsonLine(out); err != nil {
				return err
			}
		} else if l.Err == nil {
			all := len(l.Meta.All())
			t.add(l.Meta.Name, strconv.Itoa(all), strconv.Itoa(all-min(len(l.Meta.Produced()), len(l.Meta.Consumed()))), strconv.Itoa(len(l.Meta.Deleted)), l.Dir)
		}
	}
	switch {
	case len(found) == 0:
		return missing("%s: no topics", root)
	case !asJSON && len(t.rows) > 1:
		if err := a.out.WriteText(t.text("")); err != nil {
			return err
		}
	}
	if failed != exitOK {
		return silent(failed)
	}
	return nil
}

// jsonLine prints one JSON value on a line.
func (a *app) jsonLine(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return a.out.WriteLine(line, "\n")
}

func (a *app) topicAddCmd() *cobra.Command {
	n := 1
	cmd := &cobra.Command{
		Use:   "add-partition TOPIC",
		Short: "add partitions to a topic",
		Long: `add-partition adds empty partitions. Their numbers follow the highest that there ever
was. Processes that have the topic open use them within a second.

Most keys change their partition with the number of partitions: records that are
appended from then on may overtake older ones of the same key.`,
		Example: "  jlq topic add-partition orders\n  jlq topic add-partition orders -n 4",
		Args:    wantArgs(1, 1, "one TOPIC"),
		RunE: func(_ *cobra.Command, args []string) error {
			m, err := topic.AddPartitions(args[0], n, &topic.Options{Partition: partition.Options{Logger: a.logger()}})
			if err != nil {
				return topicError(args[0], err)
			}
			a.report("%s: added %s, from number %d on; the topic has %d now", args[0], countText(uint64(n), "partition"), m.Partitions-n, len(m.All()))
			return nil
		},
	}
	cmd.Flags().IntVarP(&n, "number", "n", 1, "add `N` partitions")
	return cmd
}

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
		return a.jsonLine(plan)
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

// parseMode reads --mode; "" is 0, the default.
func parseMode(command, text string) (fs.FileMode, error) {
	if text == "" {
		return 0, nil
	}
	mode, err := strconv.ParseUint(text, 8, 32)
	if err != nil || mode == 0 || mode > 0o777 || mode&0o600 != 0o600 {
		return 0, usagef("%s: --mode %q: want an octal mode of files that the owner can read and write, such as 0640", command, text)
	}
	return fs.FileMode(mode), nil
}
