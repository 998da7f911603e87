package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.com/jlq/internal/grep"
)

// grepFlags are those that grep has besides the ones of all commands that print
// records.
type grepFlags struct {
	grep.Options
	patterns              patternsFlag
	count, quiet          bool
	with, without         bool // -l and -L: paths of the logs that have matches, and of those that have none
	only                  bool
	names, noNames        bool
	reverse               bool
	most                  countFlag
	before, after, around countFlag
	ignored               bool
}

func (g *grepCommand) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.Bool("help", false, "tell about grep") // without -h, which is grep's own
	flags.VarP(&g.patterns, "regexp", "e", "a `PATTERN`; of several, any may match, and all arguments are LOGs")
	flags.VarP(patternsFile{&g.patterns, g.app}, "file", "f", "read patterns from `FILE`, one a line; - is stdin")
	flags.BoolVarP(&g.Fixed, "fixed-strings", "F", false, "patterns are texts, not regular expressions")
	flags.BoolVarP(&g.IgnoreCase, "ignore-case", "i", false, "match letters in any case")
	flags.BoolVarP(&g.SmartCase, "smart-case", "S", false, "the same unless a pattern has a letter in upper case")
	flags.BoolVarP(&g.Word, "word-regexp", "w", false, "match whole words only")
	flags.BoolVarP(&g.Line, "line-regexp", "x", false, "match whole lines only")
	flags.BoolVarP(&g.Invert, "invert-match", "v", false, "select the records that do not match")
	flags.BoolVarP(&g.count, "count", "c", false, "print how many records are selected")
	flags.BoolVarP(&g.with, "files-with-matches", "l", false, "print the paths of the LOGs in which something is selected")
	flags.BoolVarP(&g.without, "files-without-match", "L", false, "print the paths of the others")
	flags.BoolVarP(&g.quiet, "quiet", "q", false, "print nothing and end with the first match; the exit code tells")
	flags.BoolVar(&g.only, "only-matching", false, "print what matches, each match on a line of its own")
	flags.BoolVarP(&g.names, "with-filename", "H", false, "begin each line with the path of its LOG, as of several")
	flags.BoolVarP(&g.noNames, "no-filename", "h", false, "begin no line with a path")
	flags.BoolVarP(&g.reverse, "reverse", "r", false, "print backwards, the last record first")
	g.most, g.before, g.after, g.around = -1, -1, -1, -1
	flags.VarP(&g.most, "max-count", "m", "stop after N selected records of each LOG")
	flags.VarP(&g.after, "after-context", "A", "print N records behind each selected one")
	flags.VarP(&g.before, "before-context", "B", "print N records before each selected one")
	flags.VarP(&g.around, "context", "C", "print N records before and behind")
	g.addShared(cmd)
	g.addForeign(flags)
}

// addShared adds the flags of all commands that print records, but for letters
// that mean something else to who knows grep.
func (g *grepCommand) addShared(cmd *cobra.Command) {
	all := &cobra.Command{Use: "grep"}
	g.viewFlags.add(all, "the records to look at: "+offsetsHelp, "")
	g.expr.add(all)
	all.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Name == "number" || cmd.Flags().Lookup(f.Name) != nil {
			return
		}
		if f.Shorthand != "" && cmd.Flags().ShorthandLookup(f.Shorthand) != nil {
			f.Shorthand = ""
		}
		cmd.Flags().AddFlag(f)
	})
}

// foreignFlags are what grep has and jlq has not, and what there is instead. An
// empty hint says that it makes no difference.
var foreignFlags = []struct{ short, long, hint string }{
	{"E", "extended-regexp", ""},
	{"a", "text", ""},
	{"n", "line-number", "--offsets prints offsets, which count from 0; -m N stops after N records"},
	{"P", "perl-regexp", "patterns are RE2: all of Perl's but look-around and back-references"},
	{"G", "basic-regexp", "patterns are RE2, in which ( ) { } | + ? need no backslash"},
	{"z", "null-data", "a record ends with a newline; \\x00 is in none"},
	{"Z", "null", "paths end with a newline"},
	{"R", "dereference-recursive", "a topic is searched as a whole; name several LOGs to search them all"},
	{"b", "byte-offset", "--offsets prints offsets, which jlq get takes"},
	{"U", "multiline", "a record is one line"},
	{"", "json", "jlq has records, not events; --format json prints them compactly"},
}

// addForeign adds flags that are understood but not shown.
func (g *grepCommand) addForeign(flags *pflag.FlagSet) {
	for _, f := range foreignFlags {
		flags.BoolVarP(&g.ignored, f.long, f.short, false, f.hint)
		flags.Lookup(f.long).Hidden = true
	}
}

// refused tells of a flag of grep that jlq has not.
func (g *grepCommand) refused(cmd *cobra.Command) error {
	for _, f := range foreignFlags {
		if f.hint == "" || !cmd.Flags().Changed(f.long) {
			continue
		}
		name := "-" + f.short
		if f.short == "" {
			name = "--" + f.long
		}
		return &usageError{fmt.Errorf("grep: there is no %s", name), f.hint}
	}
	return nil
}

// flagError says of -o, which takes a pattern's place in grep, what it is here.
func (g *grepCommand) flagError(cmd *cobra.Command, err error) error {
	if invalid, ok := errors.AsType[*pflag.InvalidValueError](err); ok && invalid.GetFlag().Shorthand == "o" {
		return &usageError{fmt.Errorf("grep: %w", err), "--only-matching prints what matches; -o takes a RANGE"}
	}
	return flagError(cmd, err)
}

// patternsFlag is -e.
type patternsFlag struct {
	texts []string
	given bool
}

func (f *patternsFlag) String() string { return strings.Join(f.texts, "\n") }
func (f *patternsFlag) Type() string   { return "PATTERN" }

func (f *patternsFlag) Set(text string) error {
	f.texts, f.given = append(f.texts, text), true
	return nil
}

// patternsFile is -f.
type patternsFile struct {
	*patternsFlag
	app *app
}

// mostPatterns bounds the size of a file of patterns.
const mostPatterns = 4 << 20

// Type implements [pflag.Value].
func (f patternsFile) Type() string { return "FILE" }

// String implements [pflag.Value]: there is no default.
func (f patternsFile) String() string { return "" }

// Set implements [pflag.Value].
func (f patternsFile) Set(path string) error {
	in := f.app.stdin
	if path != "-" {
		file, err := os.Open(path)
		if err != nil {
			return err
		}
		defer file.Close()
		in = file
	}
	data, err := io.ReadAll(io.LimitReader(in, mostPatterns+1))
	if err != nil {
		return err
	}
	if len(data) > mostPatterns {
		return fmt.Errorf("%s: more than %s of patterns", path, sizeText(mostPatterns))
	}
	f.given = true
	if data = bytes.TrimSuffix(data, []byte("\n")); len(data) > 0 {
		f.texts = append(f.texts, strings.Split(string(data), "\n")...)
	}
	return nil
}
