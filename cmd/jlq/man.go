package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

func (a *app) manCmd() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "man [COMMAND]",
		Short: "print a manual page, or write them all",
		Long: `man prints the manual page of a command, or of jlq, as man reads it. With --dir it
writes the pages of all commands into a directory, for one that MANPATH names:
jlq.1, jlq-append.1 and so on. They are the same each time: they have no date but
that of SOURCE_DATE_EPOCH.`,
		Example: `  jlq man append | man -l -
  jlq man --dir ~/.local/share/man/man1`,
		RunE: func(cmd *cobra.Command, args []string) error {
			date, err := manDate(os.Getenv("SOURCE_DATE_EPOCH"))
			switch {
			case err != nil:
				return err
			case dir != "" && len(args) > 0:
				return &usageError{err: errors.New("man: --dir writes the pages of all commands"), hint: seeHelp(cmd)}
			case dir != "":
				return writeMan(cmd.Root(), dir, date)
			}
			about, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return a.unknownCommand(about, rest)
			}
			_, err = a.out.Write([]byte(manPage(about, date)))
			return err
		},
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			return commandNames(cmd.Root(), args), noFiles
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "write all pages into the directory `DIR`, which is made where it is not there")
	return cmd
}

// manDate is the date of pages: SOURCE_DATE_EPOCH, or none.
func manDate(epoch string) (string, error) {
	if epoch == "" {
		return "", nil
	}
	seconds, err := strconv.ParseInt(epoch, 10, 64)
	if err != nil {
		return "", usagef("man: SOURCE_DATE_EPOCH=%s: want seconds since 1970", epoch)
	}
	return time.Unix(seconds, 0).UTC().Format(time.DateOnly), nil
}

func writeMan(root *cobra.Command, dir, date string) (err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	eachCommand(root, func(cmd *cobra.Command) {
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, manName(cmd)+".1"), []byte(manPage(cmd, date)), 0o644)
		}
	})
	return err
}

func manName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// manPage writes the page of a command. The help of a command is plain text with
// indented tables, which a converter from Markdown would take apart; so the few
// requests that it takes are written here.
func manPage(cmd *cobra.Command, date string) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %s 1 \"%s\" \"%s\" \"jlq manual\"\n", strings.ToUpper(manName(cmd)), date, manVersion())
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roff(manName(cmd)), roff(cmd.Short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.nf\n%s\n.fi\n.SH DESCRIPTION\n", roff(usageLine(cmd)))
	roffText(&b, cmd.Long)
	if cmd.HasAvailableSubCommands() {
		b.WriteString(".SH COMMANDS\n")
		for _, sub := range cmd.Commands() {
			if sub.IsAvailableCommand() {
				fmt.Fprintf(&b, ".TP\n.BR %s (1)\n%s\n", roff(manName(sub)), roff(sub.Short))
			}
		}
	}
	roffFlags(&b, cmd)
	if cmd.Example != "" {
		b.WriteString(".SH EXAMPLES\n")
		roffText(&b, cmd.Example)
	}
	if cmd.Parent() == nil {
		for _, topic := range helpTopics {
			b.WriteString(".SH " + strings.ToUpper(roff(topic.name)) + "\n")
			roffText(&b, topic.text)
		}
		return b.String()
	}
	fmt.Fprintf(&b, ".SH SEE ALSO\n.BR %s (1)\n", roff(manName(cmd.Parent())))
	return b.String()
}

// manVersion is the version of the program, where it was built from one.
func manVersion() string {
	if release != "" {
		return "jlq " + release
	}
	if info, ok := debug.ReadBuildInfo(); ok && strings.HasPrefix(info.Main.Version, "v") && !strings.Contains(info.Main.Version, "-") {
		return "jlq " + info.Main.Version
	}
	return "jlq"
}
