package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.com/jlq/internal/format"
)

// What people type first who know other tools, and where it is found here.

// otherCommands are what else commands are called elsewhere; what is not the
// name of a command alone cannot be in its SuggestFor.
var otherCommands = map[string]string{
	"ls": "topic list", "list": "topic list", "wc": "count", "length": "count",
	"fields": "stat --fields", "headers": "stat --fields", "schema": "stat --fields", "columns": "stat --fields",
	"produce": "append", "write": "append", "put": "append", "push": "append", "add": "append",
	"show": "cat", "view": "cat", "print": "cat", "read": "cat", "info": "stat", "describe": "stat", "sort": "",
}

// guessCommand finds what was meant by what is no command: a log to print, or
// a program of jq. It returns nothing where it is neither.
func guessCommand(given string) string {
	if strings.HasPrefix(given, ".") && !strings.ContainsAny(given, "/\\'") {
		return fmt.Sprintf("jlq cat LOG --jq '%s', or jlq filter LOG EXPR", given)
	}
	if _, err := os.Lstat(given); err == nil {
		return fmt.Sprintf("jlq cat %s prints it; jlq help lists the commands", given)
	}
	return ""
}

// throughPipe is the way out for who has no file.
const throughPipe = "what comes through a pipe is stored first: … | jlq append NEW.jsonl"

// argsHint is what a command whose arguments are too few or too many meant.
func argsHint(cmd *cobra.Command, args []string) string {
	switch {
	case cmd.Name() == "filter" && len(args) == 1 && !exists(args[0]):
		return "jlq filter LOG EXPR, where LOG is a file or directory; " + throughPipe
	case !strings.Contains(cmd.Use, " LOG") || len(args) < 2 || !takes(cmd, "offset"):
		return seeHelp(cmd)
	case !slices.ContainsFunc(args, func(arg string) bool { return !exists(arg) }):
		return fmt.Sprintf("jlq append NEW %s makes one log of them; jlq grep takes several", strings.Join(args, " "))
	case len(args) > 2:
		return seeHelp(cmd)
	case exists(args[1]) && strings.Trim(args[0], "0123456789") == "" && takes(cmd, "number"):
		return fmt.Sprintf("%s -n %s %s", cmd.CommandPath(), args[0], args[1])
	}
	if _, err := parseOffsets(args[1], time.Now()); err == nil && exists(args[0]) {
		return fmt.Sprintf("%s -o %s %s", cmd.CommandPath(), args[1], args[0])
	}
	return seeHelp(cmd)
}

// turned is the error of who gave a place before the log; nil where that is
// not so.
func turned(cmd *cobra.Command, what, log string, rest []string) error {
	if len(rest) != 1 || exists(log) || !exists(rest[0]) {
		return nil
	}
	return &usageError{
		err:  fmt.Errorf("%s: the LOG comes before the %s", cmd.Name(), what),
		hint: fmt.Sprintf("%s %s %s", cmd.CommandPath(), rest[0], log),
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func takes(cmd *cobra.Command, flag string) bool { return cmd.Flags().Lookup(flag) != nil }

// guessFlag says what does here what an unknown flag does elsewhere.
func guessFlag(cmd *cobra.Command, flag *pflag.NotExistError) string {
	name := flag.GetSpecifiedName()
	switch {
	case slices.Contains(format.Names, name) && takes(cmd, "format"):
		return "did you mean -F " + name + "?"
	case (name == "follow" || name == "f") && takes(cmd, "offset"):
		return "jlq tail -f waits for more at the end"
	case slices.Contains([]string{"by", "group", "group-by"}, name) && takes(cmd, "where"):
		return `jlq stat --fields LOG counts the values of each field; all of one: jlq cat -F '%{FIELD}\n' LOG | sort | uniq -c`
	}
	return ""
}

// logIn finds a log in a directory that is none: the first of its files whose
// name is one of a log.
func logIn(dir string) string {
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) > manyEntries {
		return ""
	}
	for _, entry := range entries {
		if !entry.IsDir() && looksLikeLog(entry) {
			return filepath.Join(dir, entry.Name())
		}
	}
	return ""
}

// boundWords are what start and end are called elsewhere.
var boundWords = map[string]string{
	"beginning": "start", "earliest": "start", "oldest": "start", "first": "start",
	"latest": "end", "newest": "end", "last": "end",
}

// fieldsFlag is --fields, which may be given several times.
type fieldsFlag string

func (f *fieldsFlag) String() string { return string(*f) }
func (f *fieldsFlag) Type() string   { return "FIELDS" }

func (f *fieldsFlag) Set(text string) error {
	if *f != "" && text == "" {
		return errors.New("want a field")
	}
	if *f != "" {
		text = string(*f) + "," + text
	}
	*f = fieldsFlag(text)
	return nil
}
