package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// helpCmd shows the help of a command or of a topic.
func (a *app) helpCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND|TOPIC]",
		Short: "tell about a command or a topic",
		Long: `help tells about a command, its flags and their defaults, or about what several commands
have in common: jlq help offsets, time, formats, filter, exit-codes, environment. Without
a name it tells about jlq. -h after a command shows its examples and flags only.`,
		Example: `  jlq help append
  jlq help offsets`,
		RunE: func(cmd *cobra.Command, args []string) error {
			about, rest, err := cmd.Root().Find(args)
			if err == nil && len(rest) == 0 {
				return about.Help()
			}
			unguard(args)
			if text := helpTopic(cmd.Root(), args[0]); text != "" && len(args) == 1 {
				return a.page(text)
			}
			return a.unknownCommand(about, rest)
		},
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			return helpNames(cmd.Root(), args), cobra.ShellCompDirectiveNoFileComp
		},
	}
}

// helpNames are what help can be asked about behind args.
func helpNames(root *cobra.Command, args []string) []string {
	names := commandNames(root, args)
	if len(args) == 0 {
		for _, topic := range helpTopics {
			names = append(names, topic.name+"\t"+topic.short)
		}
	}
	return names
}

// commandNames are the commands below the one that args name.
func commandNames(root *cobra.Command, args []string) (names []string) {
	about, rest, err := root.Find(args)
	if err != nil || len(rest) > 0 {
		return nil
	}
	for _, sub := range about.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name()+"\t"+sub.Short)
		}
	}
	return names
}

// showHelp is the help of a command: -h shows its examples and flags, --help all
// there is to say.
func (a *app) showHelp(cmd *cobra.Command, _ []string) {
	cmd.InitDefaultHelpFlag()
	// Errors of stdout are sticky.
	_ = a.page(helpText(cmd, a.helpWidth(), slices.Contains(a.args, "-h")))
}

// helpWidth is how long lines of help may be; on paper, as they were written.
func (a *app) helpWidth() int {
	if !a.out.tty {
		return longestHelp
	}
	return min(max(40, columns(a.out.raw)), longestHelp)
}

// longestHelp is the most letters of a line of help.
const longestHelp = 96

// page prints text, through the pager where there is one.
func (a *app) page(text string) error {
	a.paginate(os.Getenv(variableName("pager")))
	return a.out.WriteText(text)
}

// helpText writes the help of a command.
func helpText(cmd *cobra.Command, width int, brief bool) string {
	var b strings.Builder
	long := strings.TrimSpace(cmd.Long)
	if brief {
		long, _, _ = strings.Cut(long, "\n\n")
	}
	b.WriteString(reflow(long, width) + "\n\nUsage:\n  " + usageLine(cmd) + "\n")
	if cmd.Example != "" {
		b.WriteString("\nExamples:\n" + cmd.Example + "\n")
	}
	commandTable(&b, cmd)
	for _, section := range flagSections(cmd) {
		b.WriteString("\n" + section.title + ":\n" + section.flags.FlagUsagesWrapped(width))
	}
	switch {
	case cmd.Parent() == nil:
		b.WriteString(helpEnd)
	case brief:
		fmt.Fprintf(&b, "\n%s --help says more.\n", cmd.CommandPath())
	}
	return b.String()
}

const helpEnd = `
jlq help COMMAND tells about one of them, jlq COMMAND -h shows its examples and flags.
A variable stands for each flag that changes how jlq behaves, such as JLQ_COLOR for
--color: jlq help environment.
`

func usageLine(cmd *cobra.Command) string {
	switch {
	case cmd.Parent() == nil:
		return "jlq COMMAND [flags]"
	case cmd.HasAvailableLocalFlags():
		return cmd.UseLine()
	}
	return cmd.CommandPath() + strings.TrimPrefix(cmd.Use, cmd.Name())
}

// commandGroups are the parts that the commands are listed in. What is not named
// comes last.
var commandGroups = []struct{ title, names string }{
	{"Reading", " get cat head tail filter grep seek sample count stat "},
	{"Writing", " append import roll topic "},
	{"Consumer groups", " consume group dead "},
	{"Care", " index verify repair trim "},
	{"Other", ""},
}

// commandTable lists the commands below cmd, and at the top what else there is
// to read.
func commandTable(b *strings.Builder, cmd *cobra.Command) {
	if !cmd.HasAvailableSubCommands() {
		return
	}
	if cmd.Parent() != nil {
		b.WriteString("\nCommands:\n")
		commandRows(b, cmd, func(string) bool { return true })
		return
	}
	named := ""
	for _, group := range commandGroups {
		named += group.names
		b.WriteString("\n" + group.title + ":\n")
		commandRows(b, cmd, func(name string) bool {
			if group.names == "" {
				return !strings.Contains(named, " "+name+" ")
			}
			return strings.Contains(group.names, " "+name+" ")
		})
	}
	b.WriteString("\nTopics:\n")
	for _, topic := range helpTopics {
		fmt.Fprintf(b, "  %-17s %s\n", "help "+topic.name, topic.short)
	}
}

func commandRows(b *strings.Builder, cmd *cobra.Command, listed func(name string) bool) {
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() && listed(sub.Name()) {
			fmt.Fprintf(b, "  %-17s %s\n", sub.Name(), sub.Short)
		}
	}
}

// section is a part of the list of flags.
type section struct {
	title string
	names []string
	flags *pflag.FlagSet
}

// sections are the parts that the flags of a command with many are shown in.
// What is not named comes last.
func sections() []section {
	return []section{
		{title: "Which records", names: []string{"offset", "number", "where", "since", "until", "slack", "time-field", "zone", "reverse", "step", "order",
			"tag", "tag-field", "before-context", "after-context", "context", "ignore-case", "fixed-strings", "invert-match", "max-count", "seed", "share", "shuffle"}},
		{title: "What is printed", names: []string{"format", "jq", "raw-output", "fields", "offsets", "ids", "color", "pager", "no-newline", "json", "count", "line-offsets", "ack", "check"}},
		{title: "Following", names: []string{"follow", "timeout", "idle-timeout", "exit-at-end", "retry", "from", "wait"}},
		{title: "The group", names: []string{"group", "commit-every", "no-commit", "no-wait"}},
		{title: "Running a command", names: []string{"exec", "parallel", "max-attempts", "retry-delay"}},
		{title: "What is stored", names: []string{"sync", "validate", "compact", "expect-offset", "shared", "key"}},
		{title: "Segments and retention", names: []string{"segment-bytes", "segment-records", "segment-age",
			"keep-bytes", "keep-records", "keep-segments", "max-age", "max-held-bytes", "max-held-age"}},
		{title: "Bad records", names: []string{"on-bad", "max-record"}},
	}
}

// manyFlags is how many a command has when a list of them wants headings.
const manyFlags = 9

// flagSections sorts the flags of a command into sections, and leaves out those
// without any.
func flagSections(cmd *cobra.Command) (used []section) {
	rest := section{title: "Flags", flags: newSet()}
	all, n, at := sections(), 0, map[string]int{}
	for i := range all {
		all[i].flags = newSet()
		for _, name := range all[i].names {
			at[name] = i + 1
		}
	}
	cmd.Flags().VisitAll(func(*pflag.Flag) { n++ })
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if i := at[f.Name]; i > 0 && n >= manyFlags {
			all[i-1].flags.AddFlag(f)
			return
		}
		rest.flags.AddFlag(f)
	})
	for _, s := range all {
		if s.flags.HasAvailableFlags() {
			used = append(used, s)
		}
	}
	if len(used) > 0 {
		rest.title = "Other"
	}
	return append(used, rest)
}

func newSet() *pflag.FlagSet { return pflag.NewFlagSet("", pflag.ContinueOnError) }

// reflow breaks the paragraphs of text anew where a line is longer than width.
// Lines that begin with a space are tables and examples, and stay.
func reflow(text string, width int) string {
	var out []string
	var paragraph []string
	flush := func() {
		if len(paragraph) > 0 {
			out = append(out, fill(paragraph, width)...)
			paragraph = nil
		}
	}
	for line := range strings.SplitSeq(text, "\n") {
		if line == "" || line[0] == ' ' {
			flush()
			out = append(out, line)
			continue
		}
		paragraph = append(paragraph, line)
	}
	flush()
	return strings.Join(out, "\n")
}

// fill fits lines of one paragraph to width; those that fit stay as they are.
func fill(lines []string, width int) (out []string) {
	fits := func(line string) bool { return len([]rune(line)) <= width }
	if !slices.ContainsFunc(lines, func(line string) bool { return !fits(line) }) {
		return lines
	}
	line := ""
	for _, word := range strings.Fields(strings.Join(lines, " ")) {
		switch {
		case line == "":
			line = word
		case fits(line + " " + word):
			line += " " + word
		default:
			out, line = append(out, line), word
		}
	}
	return append(out, line)
}

// helpTopic is the text about a topic; "" where there is none of that name.
func helpTopic(root *cobra.Command, name string) string {
	for _, topic := range helpTopics {
		if topic.name == name && name == "environment" {
			return topic.text + environmentText(root, os.Environ())
		}
		if topic.name == name {
			return topic.text
		}
	}
	return ""
}
