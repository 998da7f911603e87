package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"example.com/jlq/group"
)

// groupFlag is -g.
type groupFlag struct{ name string }

func (f *groupFlag) add(cmd *cobra.Command, usage string) {
	cmd.Flags().StringVarP(&f.name, "group", "g", "", usage)
}

// subscription says which records a consumer wants.
type subscription struct {
	where whereFlag
	field fieldFlag
	tags  []string
	read  func(bytes int) // told of each record that the filter is asked of
}

func (s *subscription) add(cmd *cobra.Command) {
	f := cmd.Flags()
	s.where.add(cmd)
	f.StringArrayVar(&s.tags, "tag", nil, "consume only the records whose --tag-field is `VALUE`; give it again for more values")
	s.field = "tag"
	s.field.add(cmd, "tag-field", "the `FIELD` that --tag looks at")
}

// apply sets what a group delivers. bad is told of a record that the filter
// cannot be asked of, which becomes a dead letter.
func (s *subscription) apply(cmd *cobra.Command, opts *group.Options, bad func()) error {
	opts.Tags, opts.TagField = s.tags, string(s.field)
	if s.where == "" {
		return nil
	}
	f, err := compileFilterAt(string(s.where), zoneOf(cmd).now())
	if err != nil {
		return err
	}
	opts.Where = func(data []byte) (bool, error) {
		s.read(len(data) + 1)
		ok, err := f.Match(data)
		if err != nil {
			bad()
		}
		return ok, err
	}
	return nil
}

// execFlags say how --exec runs its command.
type execFlags struct {
	text     string
	parallel int
	attempts int
	delay    ageFlag
}

func (f *execFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.text, "exec", "", "run `CMD` for each record instead of printing it; exit code 0 takes it")
	flags.IntVar(&f.parallel, "parallel", 1, "with --exec: run up to `N` commands at once, in any order")
	flags.IntVar(&f.attempts, "max-attempts", 5, "try a record `N` times before it goes to the dead letters; -1: for ever")
	flags.Var(&f.delay, "retry-delay", "with --exec: wait this long before the second attempt, twice as long before each next one (default 200ms)")
	flags.Lookup("retry-delay").DefValue = ""
}

// unused refuses flags that do nothing without --exec.
func (f *execFlags) unused(cmd *cobra.Command) error {
	for _, name := range []string{"parallel", "retry-delay"} {
		if cmd.Flags().Changed(name) {
			return fmt.Errorf("--%s goes with --exec", name)
		}
	}
	return nil
}

func (f *execFlags) check() error {
	switch {
	case f.parallel < 1:
		return fmt.Errorf("--parallel %d: want at least 1", f.parallel)
	case f.attempts == 0 || f.attempts < -1:
		return fmt.Errorf("--max-attempts %d: want at least 1, or -1 for any number", f.attempts)
	}
	return nil
}
