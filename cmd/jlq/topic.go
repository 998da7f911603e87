package main

import (
	"errors"

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
