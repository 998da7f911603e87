package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"example.com/jlq/internal/grep"
)

// grepCommand prints the records that patterns match.
type grepCommand struct {
	*app
	viewFlags
	grepFlags
	matcher *grep.Matcher
	colors  grepColors // of what is printed as it is stored
	visible bool       // as a terminal may have it
	any     bool       // something was selected
}

func (a *app) grepCmd() *cobra.Command {
	g := &grepCommand{app: a, viewFlags: viewFlags{limit: -1}}
	cmd := &cobra.Command{
		Use:        "grep PATTERN LOG…",
		SuggestFor: []string{"search", "find", "rg", "egrep", "fgrep"},
		Short:      "print the records whose line a pattern matches",
		Long: `grep prints the records that PATTERN matches, as they are stored and in their order; on
all cores. PATTERN is a regular expression of RE2 (Perl's, without look-around and
back-references), or with -F a text. It sees the line as it is stored: ^ and $ are its
ends, a carriage return at the end belongs to it, and "é" does not match "\u00e9". The
value of a field is asked for better with --where, which goes with it.

Flags are those of grep, but for -o, which is a RANGE as everywhere here (grep's own is
--only-matching), -n (--offsets; -m N stops after N) and -r (backwards). So -f reads
patterns from a file and does not follow, for which there is jlq tail -f; and -F is
about texts: how records are printed says --format.

With --offsets or --ids each line begins with the offset of its record, which counts from
0, or its id, as always in a topic, and ":", or "-" where it is context. Of several LOGs
each line begins with the path. --order, --where, --jq and ranges are as in jlq cat.

Exit code 0 says that something was selected, 1 that nothing was, 2 that PATTERN was
wrong or a LOG could not be read, even if there were matches; others as in jlq help.`,
		Example: `  jlq grep timeout app.jsonl
  jlq grep -i -C 2 --offsets 'conn(ection)? refused' orders
  jlq grep -c -F '"level":"error"' -o @-3h: orders
  jlq grep -l -e panic -e fatal *.jsonl`,
		RunE: g.run,
	}
	g.add(cmd)
	cmd.SetFlagErrorFunc(g.flagError)
	return cmd
}

// patternHint is what to do about a pattern that is refused.
func (g *grepCommand) patternHint() string {
	if g.Fixed {
		return "LC_ALL=C grep -a PATTERN FILE looks for other bytes"
	}
	return "-F takes it as a text; patterns are RE2: https://github.com/google/re2/wiki/Syntax"
}

func (g *grepCommand) run(cmd *cobra.Command, logs []string) error {
	if err := g.refused(cmd); err != nil {
		return err
	}
	patterns, logs, err := g.split(cmd, logs)
	if err == nil {
		g.matcher, err = grep.Compile(patterns, &g.Options)
	}
	if wrong, ok := errors.AsType[*grep.Error](err); ok {
		return &usageError{errors.New(wrong.String()), g.patternHint()}
	}
	if err != nil {
		return err
	}
	if g.begin(len(logs) > 1); g.before > mostBefore {
		return &usageError{fmt.Errorf("grep: -B %d: these records are held in memory; want at most %d", g.before, mostBefore), "jlq cat -o RANGE prints any range"}
	}
	if len(logs) == 1 {
		return g.outcome(g.advise(patterns, logs[0], g.one(cmd, logs[0])))
	}
	return g.several(cmd, logs)
}

// split tells patterns and logs apart.
func (g *grepCommand) split(cmd *cobra.Command, args []string) (patterns, logs []string, err error) {
	patterns = g.patterns.texts
	if !g.patterns.given {
		if len(args) > 0 {
			patterns, args = args[:1], args[1:]
		}
	}
	if len(args) == 0 {
		return nil, nil, &usageError{errors.New("grep: want a PATTERN and a LOG, or -e PATTERN and a LOG"), seeHelp(cmd)}
	}
	return patterns, args, nil
}

// several searches one log after the other. What is wrong with one does not keep
// it from the next.
func (g *grepCommand) several(cmd *cobra.Command, logs []string) error {
	worst := exitOK
	for _, path := range logs {
		err := g.one(cmd, path)
		code := exitCode(err)
		if cmd.Context().Err() != nil || code >= exitSignal {
			return err
		}
		g.complain(err)
		worst = max(worst, code)
		if g.quiet && g.any {
			break
		}
	}
	if worst != exitOK && !(g.quiet && g.any) {
		return silent(worst)
	}
	return g.outcome(nil)
}

// one searches one log.
func (g *grepCommand) one(cmd *cobra.Command, path string) error {
	r := &grepRun{grepCommand: g, name: path}
	err := g.show(cmd, &g.viewFlags, path, r)
	g.any = g.any || r.selected > 0
	if err != nil && !quiet(err) || exitCode(err) >= exitSignal {
		return err
	}
	if told := r.summary(); told != nil {
		return told
	}
	if exitCode(err) == exitMissing {
		return nil // whether that is the outcome depends on the other logs
	}
	return err
}

// outcome is the exit code, unless something went wrong.
func (g *grepCommand) outcome(err error) error {
	if err == nil && !g.any {
		return silent(exitMissing)
	}
	return err
}

// advise adds to the error that there is no such log that it may be the pattern.
func (g *grepCommand) advise(patterns []string, path string, err error) error {
	if !errors.Is(err, os.ErrNotExist) || g.patterns.given {
		return err
	}
	if _, wrong := os.Lstat(patterns[0]); wrong == nil && strings.Trim(patterns[0], ".") != "" {
		return &usageError{err, fmt.Sprintf("the PATTERN comes before the LOG: jlq grep %s %s", path, patterns[0])}
	}
	return err
}
