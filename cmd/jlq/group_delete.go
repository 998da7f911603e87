package main

import (
	"context"

	"github.com/spf13/cobra"
)

func (a *app) groupDeleteCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "delete LOG GROUP",
		Short: "forget a group",
		Long: `delete forgets how far a group is, so that retention keeps nothing for it any more, and a
consumer with its name begins anew. It prints what is forgotten. Where a consumer of the
group lives it changes nothing (exit code 6, with its process). Its dead letters stay.`,
		Example: `  jlq group delete orders billing
  jlq group export orders >offsets-before.json; jlq group delete orders billing`,
		Args: wantArgs(2, 2, "a LOG and a GROUP"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.deleteGroup(cmd.Context(), args[0], args[1])
		},
	}
}

func (a *app) deleteGroup(ctx context.Context, path, name string) error {
	rows, err := a.lagOf(ctx, []string{path, name})
	if err != nil {
		return err
	}
	g, err := a.openGroup(path, name)
	if err != nil {
		return err
	}
	if err := g.Unregister(ctx); err != nil {
		return namedFull(path, noGroup(path, name, err))
	}
	if err := printRows(a.out, false, rows, groupTable); err != nil {
		return err
	}
	a.report("%s: group %s is forgotten", path, name)
	return nil
}
