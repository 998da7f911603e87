package faulttest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"example.com/jlq/partition"
)

func init() {
	roles["append"] = appendUntilKilled
	roles["lie"] = lieUntilKilled
	roles["follow"] = followUntilKilled
}

// rolled is the name of a log whose writers roll every 30 records or so.
const rolled = "rolled"

// trimmed is one whose writers drop segments besides.
const trimmed = "trimmed"

// goroutines append at the same time in one process that is killed.
const goroutines = 4

// syncEvery is after how many records SyncBuffered promises anything.
const syncEvery = 20

// killedSource is what one goroutine of one round sends.
func killedSource(round string, g int) *source { return newSource("r" + round + "g" + strconv.Itoa(g)) }

// openKilled opens the log that arg names, MODE:ROUND:PATH.
func openKilled(arg string) (p *partition.Partition, mode partition.SyncMode, round string) {
	name, rest, _ := strings.Cut(arg, ":")
	round, path, _ := strings.Cut(rest, ":")
	mode, err := partition.ParseSync(name)
	if err != nil {
		panic(err)
	}
	opts := &partition.Options{Sync: mode, Interval: 5 * time.Millisecond}
	switch filepath.Base(path) {
	case rolled:
		opts.SegmentBytes = 2000
	case trimmed:
		opts.SegmentBytes, opts.Retention.MaxRecords = 2000, kept
	}
	p, err = partition.Open(path, opts)
	if err != nil {
		panic(err)
	}
	return p, mode, round
}

// say prints a line with one write, so that a kill cuts between lines.
func say(format string, args ...any) {
	if _, err := fmt.Fprintf(os.Stdout, format+"\n", args...); err != nil {
		panic(err)
	}
}

// appendUntilKilled appends from several goroutines and prints goroutine,
// number and offset of each record that is promised to survive.
func appendUntilKilled(arg string) {
	p, mode, round := openKilled(arg)
	for g := range goroutines {
		go func() {
			s := killedSource(round, g)
			if mode == partition.SyncBuffered {
				appendAndSync(p, s, g)
			}
			for n := 0; ; n++ {
				offset, err := p.Append([]byte(s.record(n)))
				if err != nil {
					panic(err)
				}
				say("%d %d %d", g, n, offset)
			}
		}()
	}
	select {}
}

// appendAndSync appends under a mode that promises nothing before a Sync.
func appendAndSync(p *partition.Partition, s *source, g int) {
	var offsets [syncEvery]uint64
	for n := 0; ; n += syncEvery {
		var err error
		for i := range offsets {
			if offsets[i], err = p.Append([]byte(s.record(n + i))); err != nil {
				panic(err)
			}
		}
		if err := p.Sync(); err != nil {
			panic(err)
		}
		for i, offset := range offsets {
			say("%d %d %d", g, n+i, offset)
		}
	}
}

// lieUntilKilled is the negative control: it acknowledges what it has not
// appended yet.
func lieUntilKilled(arg string) {
	p, _, round := openKilled(arg)
	s := killedSource(round, 0)
	_, next := p.Bounds()
	for n := 0; ; n++ {
		say("0 %d %d", n, next+uint64(n))
		time.Sleep(time.Millisecond) // a machine with more to do would be as slow
		if _, err := p.Append([]byte(s.record(n))); err != nil {
			panic(err)
		}
	}
}

// followUntilKilled prints offset and record of everything that it reads, and
// where it went on when retention had overtaken it.
func followUntilKilled(path string) {
	p, err := partition.OpenReader(path, &partition.Options{Poll: 5 * time.Millisecond})
	if err != nil {
		panic(err)
	}
	for next := uint64(0); ; {
		for rec, err := range p.Follow(noContext, next) {
			gone, is := errors.AsType[*partition.RangeError](err)
			if is && gone.Start > next {
				next = gone.Start
				say("gone %d", next)
				break
			}
			if err != nil {
				say("error %v", err)
				os.Exit(1)
			}
			next = rec.Offset + 1
			say("%d %s", rec.Offset, rec.Data)
		}
	}
}
