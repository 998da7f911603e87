package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"example.com/jlq/group"
	"example.com/jlq/internal/vfs"
	"example.com/jlq/topic"

	consumed "example.com/jlq/internal/offsets"
)

const deadLong = `dead tells about the dead letters of the consumer groups of a log: the records that a
group could not deal with, each with the reason and the number of attempts. They lie in
a partition of their own, dead/GROUP/PARTITION (beside a bare file, FILE.dead/GROUP/0),
which jlq cat reads; the records themselves stay where they are, too.`

func (a *app) deadCmd() *cobra.Command {
	return a.withCommands(&cobra.Command{
		Use:   "dead COMMAND LOG",
		Short: "list dead letters, deliver them again or skip them",
		Long:  deadLong,
		Example: `  jlq dead list orders
  jlq dead redrive -g billing --all orders`,
	}, a.deadListCmd(), a.deadRedriveCmd(), a.deadSkipCmd())
}

func (a *app) deadListCmd() *cobra.Command {
	var name groupFlag
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list LOG",
		Short: "list the dead letters that wait for somebody to decide",
		Long: `list prints the dead letters of a group, or of all groups of a log, oldest first: which
record it is, how often it was tried, when it was given up, the record and the last
error. Those that were redriven with success, and those that were skipped, are not
listed; they can be read with jlq cat in the partition of dead letters.`,
		Example: `  jlq dead list -g billing orders
  jlq dead list --json orders | jq -c '[.offset, .error]'`,
		Args: wantArgs(1, 1, "one LOG"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.listDead(cmd.Context(), args[0], name.name, asJSON)
		},
	}
	name.add(cmd, "only those of this `GROUP` (default all)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a line")
	return cmd
}

func (a *app) listDead(ctx context.Context, path, name string, asJSON bool) error {
	names := []string{name}
	var err error
	if name == "" {
		names, err = deadGroups(path)
	} else {
		err = a.wantDeadGroup(path, name)
	}
	if err != nil {
		return err
	}
	var rows []group.DeadLetter
	lines := json.NewEncoder(a.out)
	lines.SetEscapeHTML(false) // records are shown as they are
	for _, name := range names {
		g, err := a.openGroup(path, name)
		if err != nil {
			return err
		}
		for l, err := range g.DeadLetters(ctx) {
			if err == nil && asJSON {
				err = lines.Encode(&l)
			} else {
				rows = append(rows, l)
			}
			if err != nil {
				return err
			}
		}
	}
	return printRows(a.out, false, rows, deadTable)
}

// deadGroups are the groups that have dead letters, also those that are not
// registered any more.
func deadGroups(path string) (names []string, err error) {
	place, err := consumed.Locate(vfs.OS, path)
	if err != nil {
		return nil, noLog(path, err)
	}
	entries, err := os.ReadDir(place.Dead)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		if consumed.CheckName(e.Name()) == nil {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// wantDeadGroup refuses a group that is neither registered nor has dead letters:
// its name is misspelled, and an empty list would look like good news.
func (a *app) wantDeadGroup(path, name string) error {
	names, err := deadGroups(path)
	if err != nil || slices.Contains(names, name) {
		return err
	}
	names, err = a.groupNames(path)
	if err != nil || slices.Contains(names, name) {
		return err
	}
	return missing("%s: there is no group %s", path, name)
}

// deadChoice says which dead letters are meant.
type deadChoice struct {
	*app
	groupFlag
	all       bool
	partition int
	found     map[string]bool // the records that were named, and whether they are there
}

func (a *app) deadRedriveCmd() *cobra.Command {
	return a.deadChoiceCmd("will be delivered to group %s again", (*group.Group).Redrive, &cobra.Command{
		Use:   "redrive LOG -g GROUP {OFFSET… | --all}",
		Short: "have dead letters delivered to their group again",
		Long: `redrive has dead letters delivered to the consumers of their group again, those that run
now or the next ones, with the offset that the record has in its partition, and as many
attempts as a new record. One that fails again is a dead letter again. OFFSET is that of
the record, or its id such as orders-0@42. Nothing is appended to the log.`,
		Example: `  jlq dead redrive -g billing --all orders
  jlq dead redrive -g billing orders orders-0@42`,
	})
}

func (a *app) deadSkipCmd() *cobra.Command {
	return a.deadChoiceCmd("will not be listed for group %s any more", (*group.Group).DropDead, &cobra.Command{
		Use:   "skip LOG -g GROUP {OFFSET… | --all}",
		Short: "settle dead letters without delivering them",
		Long: `skip settles dead letters that nobody will deal with any more: they are not listed and
not redriven. OFFSET is that of the record, or its id such as orders-0@42. Their lines
stay in the partition of dead letters, and the records in the log.`,
		Example: `  jlq dead skip -g billing orders 42
  jlq dead skip -g billing --all orders`,
	})
}

// deadChoiceCmd makes a command that does something with the dead letters that
// are named; done is what is said of them then.
func (a *app) deadChoiceCmd(done string, do func(*group.Group, context.Context, func(group.DeadLetter) bool) (int, error), cmd *cobra.Command) *cobra.Command {
	c := &deadChoice{app: a, found: map[string]bool{}}
	cmd.Args = wantArgs(1, -1, "a LOG, and OFFSETs or --all")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := c.check(args); err != nil {
			return &usageError{err: fmt.Errorf("dead %s: %w", cmd.Name(), err), hint: seeHelp(cmd)}
		}
		if err := c.wantDeadGroup(args[0], c.name); err != nil {
			return err
		}
		g, err := c.openGroup(args[0], c.name)
		if err != nil {
			return err
		}
		n, err := do(g, cmd.Context(), c.chosen)
		if n > 0 || err == nil {
			c.report("%s: %s "+done, args[0], recordsText(uint64(n)), c.name)
		}
		if err != nil {
			return namedFull(args[0], err)
		}
		return c.missing(args[0])
	}
	c.groupFlag.add(cmd, "the `GROUP` whose dead letters are meant")
	cmd.Flags().BoolVar(&c.all, "all", false, "all that are listed")
	cmd.Flags().IntVar(&c.partition, "partition", -1, "only those of partition `N`")
	cmd.Flags().Lookup("partition").DefValue = "0" // none is shown
	return cmd
}

func (c *deadChoice) check(args []string) error {
	switch {
	case c.name == "":
		return errors.New("want a GROUP: -g GROUP")
	case c.all == (len(args) > 1):
		return errors.New("want OFFSETs or --all, and not both")
	}
	for _, arg := range args[1:] {
		_, err := strconv.ParseUint(arg, 10, 64)
		if _, id := topic.ParseID(arg); err != nil && id != nil {
			return fmt.Errorf("%q is not an offset or the id of a record", arg)
		}
		c.found[arg] = false
	}
	return nil
}

// chosen reports whether a letter is meant.
func (c *deadChoice) chosen(l group.DeadLetter) bool {
	if c.partition >= 0 && l.From != c.partition {
		return false
	}
	named := c.all
	for _, name := range []string{uintText(l.Offset), l.Partition + "@" + uintText(l.Offset)} {
		if _, ok := c.found[name]; ok {
			c.found[name], named = true, true
		}
	}
	return named
}

// missing says which of those that were named are not there.
func (c *deadChoice) missing(path string) error {
	code := exitOK
	for name, found := range c.found {
		if !found {
			c.report("%s: %s is not a dead letter of group %s", path, name, c.name)
			code = exitMissing
		}
	}
	if code != exitOK {
		return silent(code)
	}
	return nil
}
