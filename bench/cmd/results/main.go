// Results runs the benchmarks of jlq and of its peers, compares them round by
// round, and writes what came out as a page.
//
//	go run ./bench/cmd/results
//	go run ./bench/cmd/results -rounds 9 -big -soak
//	go run ./bench/cmd/results -only Scan -o -
//
// In each round every workload is run once, all its contestants one after the
// other, and ratios are taken within the round: what disturbs a machine for
// seconds disturbs both sides. The page has the medians over the rounds, with
// the least and the greatest beside them.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "results:", err)
		os.Exit(1)
	}
}

// config is what the command line says.
type config struct {
	rounds, iterations int
	out, dir           string
	only               *regexp.Regexp
	big, peers, soak   bool
	command            string
}

func parseFlags(args []string) (config, error) {
	c := config{command: strings.Join(append([]string{"go run ./bench/cmd/results"}, args...), " ")}
	flags := flag.NewFlagSet("results", flag.ContinueOnError)
	flags.IntVar(&c.rounds, "rounds", 5, "`rounds`, of each of which ratios are taken")
	flags.IntVar(&c.iterations, "iterations", 3, "`iterations` of each benchmark in a round, of which the median counts")
	flags.StringVar(&c.out, "o", "", "`file` to write; - is standard output (default bench/RESULTS.md of the module)")
	flags.StringVar(&c.dir, "dir", os.TempDir(), "`directory` on the file system to measure")
	flags.BoolVar(&c.big, "big", false, "also measure logs of 10,000,000 records (2.6 GB)")
	flags.BoolVar(&c.soak, "soak", false, "also let a log of 50,000,000 records live for some minutes, see bench/soak")
	flags.BoolVar(&c.peers, "peers", true, "also run the peers")
	only := flags.String("only", ".", "run only the workloads whose name matches this `regexp`")
	err := flags.Parse(args)
	if err != nil {
		return c, err
	}
	if c.rounds < 1 || c.iterations < 1 {
		return c, fmt.Errorf("rounds and iterations must be 1 or more")
	}
	c.only, err = regexp.Compile(*only)
	return c, err
}

func run(ctx context.Context, args []string) error {
	c, err := parseFlags(args)
	if err != nil {
		return err
	}
	root, err := moduleRoot(ctx)
	if err != nil {
		return err
	}
	page := page{config: c, machine: describe(ctx, root, c.dir), start: time.Now()}
	if page.samples, err = measure(ctx, root, c); err != nil {
		return err
	}
	if c.soak {
		if page.soak, err = soak(ctx, root, c.dir); err != nil {
			return err
		}
	}
	page.loadEnd = loadAverage()
	return write(root, c.out, page.render)
}

// write gives render the place that the page goes to.
func write(root, out string, render func(io.Writer) error) error {
	switch out {
	case "-":
		return render(os.Stdout)
	case "":
		out = filepath.Join(root, "bench", "RESULTS.md")
	}
	var b strings.Builder
	if err := render(&b); err != nil {
		return err
	}
	return os.WriteFile(out, []byte(b.String()), 0o644)
}
