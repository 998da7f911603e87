// Mutants takes the lines that keep the log's promises out of the code, one at
// a time in a scratch copy, and checks that the test named for each fails.
//
//	go run ./internal/faulttest/cmd/mutants              a sample that takes some minutes
//	go run ./internal/faulttest/cmd/mutants -all
//	go run ./internal/faulttest/cmd/mutants -run ^segment-
//
// The sample depends on -seed, which is the day unless set, so that all
// mutants have their turn. It prints a line for each mutant and exits with 1
// where one survives, or where it or its test is out of order. The list, and
// how a mutant is written, is in package internal/faulttest/mutants.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"golang.org/x/term"

	"example.com/jlq/internal/faulttest/mutants"
)

// sample is how many mutants are tried unless the command line says otherwise:
// about three minutes on two cores.
const sample = 40

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("mutants", flag.ContinueOnError)
	all := flags.Bool("all", false, "try all mutants")
	n := flags.Int("n", sample, "try a sample of `n` mutants")
	seed := flags.Uint64("seed", uint64(time.Now().YearDay()), "`number` that the sample depends on")
	only := flags.String("run", ".", "only mutants whose name matches this `regexp`")
	workers := flags.Int("workers", 0, "`copies` that are worked on at once (default one a core)")
	if err := flags.Parse(args); err != nil {
		return err
	}
	pattern, err := regexp.Compile(*only)
	if err != nil {
		return err
	}
	list, err := choose(pattern)
	if err != nil {
		return err
	}
	if !*all && *n < len(list) {
		fmt.Fprintf(out, "%d of %d mutants, with -seed %d\n", *n, len(list), *seed)
		list = mutants.Sample(list, *n, *seed)
	}
	root, err := moduleRoot(ctx)
	if err != nil {
		return err
	}
	tally := newTally(out, len(list), term.IsTerminal(int(os.Stderr.Fd())))
	r := mutants.Runner{Root: root, Workers: *workers, Report: tally.report}
	if err := r.Run(ctx, list); err != nil {
		return err
	}
	return tally.end()
}

// choose returns the mutants whose name matches.
func choose(pattern *regexp.Regexp) ([]mutants.Mutant, error) {
	all, err := mutants.List()
	if err != nil {
		return nil, err
	}
	var list []mutants.Mutant
	for _, m := range all {
		if pattern.MatchString(m.Name) {
			list = append(list, m)
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("no mutant matches %s", pattern)
	}
	return list, nil
}

// moduleRoot is the directory of the module that the command was started in.
func moduleRoot(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "env", "GOMOD").Output()
	if err != nil {
		return "", err
	}
	mod := strings.TrimSpace(string(out))
	if filepath.Base(mod) != "go.mod" {
		return "", errors.New("start it in the module")
	}
	return filepath.Dir(mod), nil
}
