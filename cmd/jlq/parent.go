package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// withCommands makes cmd a command that consists of others: alone it is a
// usage error that names them.
func (a *app) withCommands(cmd *cobra.Command, subs ...*cobra.Command) *cobra.Command {
	cmd.AddCommand(subs...)
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return a.unknownCommand(cmd, args)
		}
		names := make([]string, len(subs))
		for i, sub := range subs {
			names[i] = sub.Name()
		}
		return &usageError{err: fmt.Errorf("%s: want a command: %s", cmd.Name(), strings.Join(names, ", ")), hint: seeHelp(cmd)}
	}
	// Never called, but without it the command would print its help and be content.
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return cmd.Args(cmd, args) }
	return cmd
}

// eachCommand calls do for cmd and all commands below it.
func eachCommand(cmd *cobra.Command, do func(*cobra.Command)) {
	do(cmd)
	for _, sub := range cmd.Commands() {
		eachCommand(sub, do)
	}
}
