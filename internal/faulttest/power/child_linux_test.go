package power

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync"
	"time"

	"example.com/jlq/partition"
)

// child is a process that uses a log until it is killed or its file system is
// gone. It prints what it learned, each line with one write(2).
type child struct {
	Job      string // append, store, naive, follow or consume
	Path     string
	Sync     partition.SyncMode
	Epoch    int
	Givers   int           // goroutines that append
	Batch    int           // records of one call
	Limit    int           // calls of each goroutine; then it closes the log
	Pause    time.Duration // between the calls
	Interval time.Duration
	Segment  uint64   // records of a segment; 0: it is not rolled
	Keep     uint64   // records that retention keeps; 0: all
	Records  []string // to store
}

func (c *child) run() error {
	c.mark("ready")
	switch c.Job {
	case "append":
		return c.append()
	case "store":
		return c.store()
	case "naive":
		return c.naive()
	case "follow":
		return c.follow()
	case "consume":
		return c.consume()
	}
	return fmt.Errorf("%q: no such job", c.Job)
}

// say prints a fact, with the time.
func (c *child) say(format string, args ...any) {
	c.mark(strconv.FormatInt(now(), 10) + " " + fmt.Sprintf(format, args...))
}

// mark prints a line.
func (c *child) mark(line string) {
	if _, err := os.Stdout.WriteString(line + "\n"); err != nil {
		os.Exit(1) // the test is gone
	}
}

// append appends from several goroutines.
func (c *child) append() error {
	p, err := partition.Open(c.Path, &partition.Options{
		Sync: c.Sync, Interval: c.Interval, SegmentRecords: c.Segment, Retention: partition.Retention{MaxRecords: c.Keep},
	})
	if err != nil {
		return err
	}
	c.mark("open")
	var givers sync.WaitGroup
	errs := make(chan error, c.Givers)
	for g := range c.Givers {
		givers.Go(func() {
			if err := c.give(p, g); err != nil {
				errs <- err
			}
		})
	}
	go c.tellDurable(p)
	givers.Wait()
	close(errs)
	if err := <-errs; err != nil {
		return err
	}
	_, next := p.Bounds()
	c.mark("closing")
	if err := p.Close(); err != nil {
		return err
	}
	c.say("durable %d", next)
	return nil
}

// give is one goroutine that appends and tells what was acknowledged.
func (c *child) give(p *partition.Partition, g int) error {
	n := 0
	for call := 0; c.Limit < 0 || call < c.Limit; call++ {
		var batch [][]byte
		for range c.Batch {
			batch = append(batch, []byte(record{c.Epoch, g, n}.line()))
			n++
		}
		first, err := p.AppendBatch(batch)
		if err != nil {
			return err
		}
		for i, rec := range batch {
			c.say("ack %d %s", first+uint64(i), rec)
		}
		time.Sleep(c.Pause)
	}
	return nil
}

// tellDurable tells what the log calls durable, and syncs it now and then.
func (c *child) tellDurable(p *partition.Partition) {
	told := uint64(0)
	for i := 1; ; i++ {
		time.Sleep(500 * time.Microsecond)
		if i%40 == 0 && p.Sync() != nil {
			return // whoever appends is told as well
		}
		if next := p.Durable(); next > told {
			told = next
			c.say("durable %d", next)
		}
	}
}

// store appends records and waits to be killed.
func (c *child) store() error {
	p, err := partition.Open(c.Path, &partition.Options{Sync: c.Sync})
	if err != nil {
		return err
	}
	for _, rec := range c.Records {
		if _, err := p.Append([]byte(rec)); err != nil {
			return err
		}
	}
	c.mark("closing")
	select {}
}

// naive is a log as one would write it without much thought: a line, and it is
// acknowledged.
func (c *child) naive() error {
	f, err := os.OpenFile(c.Path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	for n := 0; ; n++ {
		rec := record{c.Epoch, 0, n}.line()
		if _, err := f.WriteString(rec + "\n"); err != nil {
			return err
		}
		c.say("ack %d %s", n, rec)
		time.Sleep(c.Pause)
	}
}

// follow reads a log from its beginning and waits for more. Where retention
// overtakes it, it goes on with what is left.
func (c *child) follow() error {
	p, err := c.openReader()
	next := uint64(0)
	for err == nil {
		next, err = c.followFrom(p, next)
		if gone, is := errors.AsType[*partition.RangeError](err); is && gone.Start > next {
			next, err = gone.Start, nil
		}
	}
	return err
}

func (c *child) followFrom(p *partition.Partition, next uint64) (uint64, error) {
	for rec, err := range p.Follow(context.Background(), next) {
		if err != nil {
			return next, err
		}
		c.say("saw %d %s", rec.Offset, rec.Data)
		next = rec.Offset + 1
	}
	return next, nil
}

// openReader waits until the log is there.
func (c *child) openReader() (*partition.Partition, error) {
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		p, err := partition.OpenReader(c.Path, &partition.Options{Poll: time.Millisecond})
		if err == nil || time.Now().After(deadline) {
			return p, err
		}
	}
}
