package main

import (
	"strconv"

	"github.com/spf13/cobra"

	"example.com/jlq/topic"
)

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
			if err := a.out.WriteJSON(out); err != nil {
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
