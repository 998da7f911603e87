package main

import (
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// firstSteps is what the bare command shows.
const firstSteps = `jlq keeps logs whose files people can read. Five things to try:

  echo '{"hello":"world"}' | jlq append demo    store a record in the log "demo"
  jlq get demo 0                                print record 0
  jlq tail -f demo                              print records as they come
  jlq index app.jsonl && jlq get app.jsonl -1   jump about in any JSON-lines file
  jlq filter app.jsonl '.level == "error"'      the lines that matter, on all cores

"jlq help" lists the commands, "jlq help append" tells about one.
`

const rootLong = `jlq appends to, reads, follows and checks logs whose files people can read:
a log is JSON lines, and beside them an index of positions.

LOG is a partition directory, a topic directory (jlq help topic), a record's id such as
orders-0@42 or any JSON-lines file. Records are numbered from 0. An OFFSET or RANGE is
start, end, N, -N (the last N), A:B, @TIME or @T1:T2 (jlq help offsets).

Sizes are bytes, or have a unit K, M, G, T: powers of 1,024. The kB, MB and GB of
what is printed are powers of 1,000. Data goes to stdout, everything else to stderr.

Exit codes: 0 done, 1 not there, 2 usage or I/O, 3 a filter that does not compile,
4 invalid or corrupt records, 5 an index that does not fit, 6 locked or timed out
(jlq help exit-codes).`

// root builds the command tree.
func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:               "jlq",
		Short:             "logs whose files people can read",
		Long:              rootLong,
		Args:              a.unknownCommand,
		SilenceErrors:     true,
		SilenceUsage:      true,
		DisableAutoGenTag: true,
		PersistentPreRunE: func(cmd *cobra.Command, args []string) error { unguard(args); return settleZone(cmd) },
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		RunE: func(*cobra.Command, []string) error {
			_, err := a.out.Write([]byte(firstSteps))
			return err
		},
	}
	root.SetOut(a.out)
	root.SetErr(a.stderr)
	root.SetIn(a.stdin)
	root.SetFlagErrorFunc(flagError)
	root.SetHelpCommand(a.helpCmd())
	root.Version = versionText(debug.ReadBuildInfo())
	root.SetVersionTemplate("{{.Version}}\n")
	root.AddCommand(a.appendCmd(), a.getCmd(), a.catCmd(), a.filterCmd(), a.grepCmd(), a.headCmd(), a.tailCmd(), a.sampleCmd(), a.countCmd(),
		a.seekCmd(), a.statCmd(), a.indexCmd(), a.rollCmd(), a.trimCmd(), a.verifyCmd(), a.repairCmd(),
		a.importCmd(), a.topicCmd(),
		a.consumeCmd(), a.groupCmd(), a.deadCmd(), a.completionCmd(), a.manCmd(), a.versionCmd())
	root.SetHelpFunc(a.showHelp)
	eachCommand(root, completeCommand)
	eachCommand(root, a.withEnvironment)
	return root
}

// unknownCommand refuses what is no command and looks for what was meant.
func (a *app) unknownCommand(root *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	unguard(args)
	err := &usageError{err: fmt.Errorf("unknown command %q", args[0]), hint: "jlq help lists the commands"}
	root.SuggestionsMinimumDistance = 2
	near := root.SuggestionsFor(args[0])
	if topic := nearest(args[0], topicNames()); topic != "" && root.Parent() == nil && len(near) == 0 {
		near = []string{"help " + topic}
	}
	for _, cmd := range root.Commands() {
		if slices.Contains(cmd.SuggestFor, args[0]) {
			near = []string{cmd.Name()} // rather than what is only spelt alike
		}
	}
	if other, known := otherCommands[args[0]]; known && root.Parent() == nil {
		near = slices.DeleteFunc([]string{other}, func(name string) bool { return name == "" })
	}
	if guess := guessCommand(args[0]); guess != "" && root.Parent() == nil && len(near) == 0 {
		err.hint = guess
	}
	if len(near) > 0 {
		err.hint = "did you mean " + strings.Join(near, " or ") + "?"
	}
	return err
}

// flagError adds what would have been right to an error about a flag.
func flagError(cmd *cobra.Command, err error) error {
	usage := &usageError{err: fmt.Errorf("%s: %w", cmd.Name(), err), hint: seeHelp(cmd)}
	if cmd.Parent() == nil {
		usage.err = err
	}
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok {
		return usage
	}
	if guess := guessFlag(cmd, unknown); guess != "" {
		usage.hint = guess
		return usage
	}
	if unknown.GetSpecifiedShortnames() != "" {
		return usage
	}
	if name := nearestFlag(cmd, unknown.GetSpecifiedName()); name != "" {
		usage.hint = "did you mean --" + name + "?"
	}
	return usage
}

func seeHelp(cmd *cobra.Command) string { return cmd.CommandPath() + " --help" }

// otherNames are what else flags are called elsewhere.
var otherNames = map[string]string{
	"segment-size": "segment-bytes", "max-bytes": "keep-bytes", "max-records": "keep-records", "max-segments": "keep-segments",
	"retention": "max-age", "lines": "number", "limit": "number", "max-count": "number", "query": "where", "select": "fields",
}

// nearestFlag finds the flag that name begins, or that differs from it in two
// letters, or in half of a longer name.
func nearestFlag(cmd *cobra.Command, name string) (nearest string) {
	if meant := otherNames[name]; cmd.Flags().Lookup(meant) != nil {
		return meant
	}
	best := max(2, len(name)/2) + 1
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		d := distance(name, f.Name)
		if len(name) > 2 && strings.HasPrefix(f.Name, name) {
			d = 0
		}
		if d < best && d < len(name) {
			best, nearest = d, f.Name
		}
	})
	return nearest
}

// distance is the number of letters to change, add or drop to make b of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}

// wantArgs checks the number of arguments and says what they are.
func wantArgs(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) >= least && (most < 0 || len(args) <= most) {
			return nil
		}
		return &usageError{
			err:  fmt.Errorf("%s: want %s, got %s", cmd.Name(), what, countText(uint64(len(args)), "argument")),
			hint: argsHint(cmd, args),
		}
	}
}
