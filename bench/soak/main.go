// Soak lets a log live for a while, the way a service would have it, and looks
// whether anything is lost and anything grows.
//
//	go run ./bench/soak
//	go run ./bench/soak -records 1000000 -kills 2 -seed 7
//
// One process appends small records, rolls and drops old segments, with two
// followers beside it in the process. A follower and a random reader are
// processes of their own. The first is killed (kill -9) again and again, at
// random moments, and started anew; the others live through it. One follower
// rests for a while, until retention has overtaken it.
//
// Every record carries its number and a checksum, so that each reader knows by
// itself whether one is lost, doubled, out of order or altered. The parent,
// which touches no file, keeps the account: what was acknowledged is there
// after each kill, and each follower comes by each record once, but for those
// that retention dropped before, which are counted. It also samples memory and
// descriptors of the processes, and fails where they grow.
//
// The figures go to standard output as a section of bench/RESULTS.md
// (go run ./bench/cmd/results -soak puts it there), what happens meanwhile to
// standard error. The exit code is 1 where anything is wrong.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"time"

	"example.com/jlq/partition"
)

// config is what the command line says.
type config struct {
	Dir          string
	Records      uint64
	Duration     time.Duration
	SegmentBytes int64
	KeepBytes    int64
	Kills        int
	Rate         int
	Seed         uint64
	Sync         string
	Fault        string
}

func main() {
	if text := os.Getenv(roleEnv); text != "" {
		os.Exit(runRole(text))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := soak(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

func parseFlags(args []string) (config, error) {
	c := config{}
	flags := flag.NewFlagSet("soak", flag.ContinueOnError)
	flags.StringVar(&c.Dir, "dir", os.TempDir(), "`directory` in which the log is made, and removed in the end")
	flags.Uint64Var(&c.Records, "records", 50_000_000, "`records` to append")
	flags.DurationVar(&c.Duration, "duration", 8*time.Minute, "append no longer than this")
	flags.Int64Var(&c.SegmentBytes, "segment-bytes", 32<<20, "roll before a segment grows beyond this; 0: never")
	flags.Int64Var(&c.KeepBytes, "keep-bytes", 768<<20, "drop old segments while this much remains; 0: never")
	flags.IntVar(&c.Kills, "kills", 10, "`times` that the writer is killed")
	flags.IntVar(&c.Rate, "rate", 400_000, "`records` a second, each second's in one go; 0: as fast as it goes")
	flags.Uint64Var(&c.Seed, "seed", rand.Uint64(), "of the records and of the moments of the kills")
	flags.StringVar(&c.Sync, "sync", "os", "`mode`: os, interval or always")
	flags.StringVar(&c.Fault, "fault", "", "write one record wrong, as a control of the whole: lost, doubled or altered; the run must `fail`")
	if err := flags.Parse(args); err != nil {
		return c, err
	}
	mode, err := partition.ParseSync(c.Sync)
	if err == nil && mode == partition.SyncBuffered {
		err = errors.New("buffered acknowledges what a kill takes away")
	}
	return c, err
}

func soak(ctx context.Context, args []string) (err error) {
	c, err := parseFlags(args)
	if err != nil {
		return err
	}
	if c.Dir, err = os.MkdirTemp(c.Dir, "jlq-soak-"); err != nil {
		return err
	}
	r := newRun(c)
	if err := r.run(ctx); ctx.Err() != nil {
		return errors.Join(context.Cause(ctx), os.RemoveAll(c.Dir))
	} else if err != nil {
		text, _ := json.Marshal(c)
		return fmt.Errorf("%w\nthe log is left in %s; %s", err, c.Dir, text)
	}
	if err := os.RemoveAll(c.Dir); err != nil {
		return err
	}
	return r.render(os.Stdout)
}
