package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"time"
)

// How often processes and files are sampled, and after how long without a word
// of progress the run is given up.
const (
	sampleEvery = 100 * time.Millisecond
	patience    = time.Minute
)

// run is the parent: it starts the others, kills the writer, and judges.
type run struct {
	config
	ledger   ledger
	tally    tally
	events   chan event
	rng      *rand.Rand
	began    time.Time
	progress time.Time

	writer    *proc
	others    []*proc
	finishing bool // all was read, and the children were told to end
	killAt    uint64
}

func newRun(c config) *run {
	return &run{config: c, events: make(chan event, 1024), rng: rand.New(rand.NewPCG(c.Seed, 0))}
}

// run returns what is wrong.
func (r *run) run(ctx context.Context) (err error) {
	r.began = time.Now()
	defer func() { err = errors.Join(err, r.endAll()) }()
	if err := r.startWriter(); err != nil {
		return err
	}
	for _, name := range []string{"follower", "random"} {
		p, err := start(role{config: r.config, Name: name}, r.events)
		if err != nil {
			return err
		}
		r.others = append(r.others, p)
	}
	if err := r.watch(ctx); err != nil {
		return err
	}
	r.tally.took = time.Since(r.began)
	return errors.Join(r.audit(ctx), r.steady())
}

// startWriter starts the next life of the writer, and chooses where it ends.
func (r *run) startWriter() (err error) {
	life := len(r.ledger.lives) + 1
	if r.writer != nil {
		fmt.Fprintf(os.Stderr, "soak: %v: killed, life %d begins behind %d records\n", time.Since(r.began).Round(time.Millisecond), life, r.ledger.acked)
	}
	c := r.config
	c.Duration -= time.Since(r.began)
	r.killAt = r.nextKill(life)
	r.writer, err = start(role{config: c, Name: "writer", Life: life, At: r.ledger.at}, r.events)
	return err
}

// nextKill returns the record at which a life ends. The lives share the first
// six tenths of the records; the last one has the rest, in which memory shows.
func (r *run) nextKill(life int) uint64 {
	if life > r.Kills {
		return r.Records + 1
	}
	share := r.Records * 6 / 10 / uint64(r.Kills)
	return share*uint64(life-1) + r.rng.Uint64N(share+1)
}

// watch takes in what the children say until all of them have ended.
func (r *run) watch(ctx context.Context) error {
	ticker := time.NewTicker(sampleEvery)
	defer ticker.Stop()
	r.progress = time.Now()
	for left := 1 + len(r.others); left > 0; {
		var err error
		select {
		case <-ctx.Done():
			err = context.Cause(ctx)
		case <-ticker.C:
			err = r.tick()
		case e := <-r.events:
			if e.ended {
				err = r.ended(e.from, &left)
			} else {
				err = r.hear(e)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// ended: a child has closed its output.
func (r *run) ended(p *proc, left *int) error {
	err := p.wait()
	switch {
	case err != nil:
		return err
	case p.killed:
		r.tally.kills++
		return r.startWriter()
	case !r.finishing:
		return fmt.Errorf("%s ended early: %s", p.name, &p.stderr)
	}
	*left--
	return nil
}

// tick samples, and ends the run when all is read.
func (r *run) tick() error {
	for _, p := range append(r.others, r.writer) {
		if s, ok := take(p.cmd.Process.Pid); ok && !p.killed && !r.finishing {
			p.trace = append(p.trace, s)
		}
	}
	if err := r.tally.look(r.log()); err != nil {
		return err
	}
	if time.Since(r.progress) > patience {
		return fmt.Errorf("nothing happens any more: %+v", r.ledger)
	}
	if r.ledger.complete() && !r.finishing {
		r.finishing = true
		r.tally.read = time.Since(r.began)
		for _, p := range append(r.others, r.writer) {
			_ = p.stdin.Close() // one that is gone has been noticed
		}
	}
	return nil
}

// hear takes in one line.
func (r *run) hear(e event) error {
	words := words{line: e.line}
	switch what := words.text(); what {
	case "open":
		start, next, took := words.number(), words.number(), time.Duration(words.number())
		r.tally.opened(len(r.ledger.lives)+1, took)
		return errors.Join(words.err, r.ledger.opened(start, next))
	case "recovery":
		r.tally.recovered++
		fmt.Fprintln(os.Stderr, "soak:", e.line)
	case "ack":
		first, next, busy := words.number(), words.number(), time.Duration(words.number())
		r.progress = time.Now()
		r.tally.appending(busy)
		if next >= r.killAt && !e.from.killed {
			if err := e.from.kill(); err != nil {
				return err
			}
		}
		return errors.Join(words.err, r.ledger.ack(first, next))
	case "end":
		return errors.Join(r.ledger.finished(words.number()), words.err)
	case "at":
		k, at := int(words.number()), position{words.number(), words.number(), int(words.number())}
		if k >= followers {
			return fmt.Errorf("%q", e.line)
		}
		if at.Next > r.ledger.at[k].Next {
			r.progress = time.Now()
		}
		return errors.Join(words.err, r.ledger.moved(k, at))
	case "random":
		r.tally.reads, r.tally.gone = words.number(), words.number()
		return words.err
	default:
		return fmt.Errorf("%s said %q", e.from.name, e.line)
	}
	return nil
}

func (r *run) log() string { return (&role{config: r.config}).log() }

// steady reports processes that grow, and a log that does. Of the writer the last life counts.
func (r *run) steady() error {
	var errs []error
	for _, p := range append(r.others, r.writer) {
		errs = append(errs, p.trace.steady(p.name))
	}
	if most := r.mostDisk(); r.KeepBytes > 0 && r.tally.maxDisk > most {
		errs = append(errs, fmt.Errorf("the log took %d bytes, %d is enough", r.tally.maxDisk, most))
	}
	return errors.Join(errs...)
}

// mostDisk is what a log may take: what is kept, segments that are rolled while
// others are dropped, and the index, which has 8 bytes for each record.
func (r *run) mostDisk() int64 { return (r.KeepBytes + 10*r.SegmentBytes) * (60 + 8) / 60 }

// endAll ends what still runs.
func (r *run) endAll() error {
	for _, p := range append(r.others, r.writer) {
		if p != nil && p.cmd.ProcessState == nil {
			_ = p.kill() // it may have ended by itself
			_ = p.stdin.Close()
			// Its lines are nobody's business any more.
			go func() {
				for range r.events {
				}
			}()
			_ = p.cmd.Wait()
		}
	}
	return nil
}
