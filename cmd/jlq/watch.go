package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"syscall"
	"time"

	"example.com/jlq/internal/vfs"
	"example.com/jlq/topic"
)

const (
	// minWatch is the shortest interval of --watch.
	minWatch = 10 * time.Millisecond
	// headingEvery is how many lines a terminal shows under one heading.
	headingEvery = 20
)

// watchLog prints rates until a signal, or until nobody reads stdout any more.
func (c *statCommand) watchLog(ctx context.Context, path string) error {
	// What cannot be read is told before anything is printed.
	whole, err := c.watchable(path)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	c.out.follow(cancel)
	watchHangup(c.out.raw, func() { cancel(&outputError{syscall.EPIPE}) })
	if whole {
		return c.watchTopic(ctx, &topicWatcher{fs: vfs.OS, path: path})
	}
	return c.watchFiles(ctx, &watcher{fs: vfs.OS, path: path})
}

// watchable opens what path is, and closes it again.
func (c *statCommand) watchable(path string) (isTopic bool, err error) {
	if topic.IsTopic(path, nil) {
		_, err := topic.ReadMeta(vfs.OS, path)
		return true, err
	}
	p, err := c.openReadOnly(path, c.readFlags, nil)
	if err != nil {
		return false, err
	}
	return false, p.Close()
}

// watchFiles prints what grew, interval by interval.
func (c *statCommand) watchFiles(ctx context.Context, w *watcher) error {
	if _, err := w.look(time.Now()); err != nil {
		return err
	}
	return c.eachInterval(ctx, "segment", func(now time.Time) ([]growth, error) {
		grown, err := w.look(now)
		return grown, c.tell(w, err)
	})
}

// eachInterval prints what look finds, interval by interval; what is the name of
// the things that grow.
func (c *statCommand) eachInterval(ctx context.Context, what string, look func(time.Time) ([]growth, error)) error {
	out := rates{statCommand: c, what: what}
	ticks := time.NewTicker(c.watch)
	defer ticks.Stop()
	for n := 0; c.number == 0 || n < c.number; n++ {
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		grown, err := look(time.Now())
		if err == nil {
			err = out.print(grown)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// tell says what happened to the log. Only what will not pass is an error.
func (c *statCommand) tell(w *watcher, err error) error {
	was := w.gone
	if err := c.tellGone(w.path, &w.gone, err); err != nil {
		return err
	}
	if w.replaced && w.gone == was {
		c.report("%s: was replaced or cut; counting anew", w.path)
	}
	w.replaced = false
	return nil
}

// tellGone says that what was at path is gone, or back, where gone, which it sets,
// says otherwise. An error that is about something else is returned.
func (c *statCommand) tellGone(path string, gone *bool, err error) error {
	away := errors.Is(err, fs.ErrNotExist)
	switch {
	case err != nil && !away:
		return err
	case away && !*gone:
		c.report("%s: is gone; waiting for it", path)
	case !away && *gone:
		c.report("%s: is back", path)
	}
	*gone = away
	return nil
}

// growth is what one segment, or all of them, grew by in one interval; its
// JSON names are those of --json.
type growth struct {
	Time     time.Time `json:"time"`
	Part     *int      `json:"partition,omitempty"`  // of a topic; not in a total
	Parts    int       `json:"partitions,omitempty"` // of its total: how many grew
	Segment  *uint64   `json:"segment,omitempty"`    // base offset; not in a total
	Segments int       `json:"segments,omitempty"`   // of a total: how many grew
	Records  *uint64   `json:"records,omitempty"`    // none where there is no index that tells
	Bytes    int64     `json:"bytes"`
	Next     *uint64   `json:"next,omitempty"` // offset behind the last record
	Size     int64     `json:"size"`           // of the records file; of a total, of those that grew

	RecordsPerSecond *float64 `json:"records_per_second,omitempty"`
	BytesPerSecond   float64  `json:"bytes_per_second"`
	Age              float64  `json:"age_seconds"` // since the last append
}

// rates prints growth.
type rates struct {
	*statCommand
	what  string // grows: a segment or a partition
	lines int
}

func (r *rates) print(grown []growth) error {
	for _, g := range grown {
		if err := r.line(g); err != nil {
			return err
		}
	}
	return nil
}

func (r *rates) line(g growth) error {
	if r.json {
		return r.out.WriteJSON(g)
	}
	if r.out.tty && r.lines%headingEvery == 0 {
		heading := fmt.Sprintf(lineFormat, "time", r.what, "records/s", "bytes/s", "next", "size", "age")
		if err := r.out.WriteLine([]byte(heading), "\n"); err != nil {
			return err
		}
	}
	r.lines++
	return r.out.WriteLine([]byte(g.text(r.out.tty)), "\n")
}

const lineFormat = "%-8s %12s %12s %12s %14s %12s %8s"

// text is one line: for people, or plain numbers in the same columns.
func (g growth) text(people bool) string {
	segment, records, next := "total", "-", "-"
	switch {
	case g.Part != nil:
		segment = strconv.Itoa(*g.Part)
	case g.Segment != nil:
		segment = uintText(*g.Segment)
	}
	if g.RecordsPerSecond != nil {
		records = fmt.Sprintf("%.1f", *g.RecordsPerSecond)
	}
	if g.Next != nil {
		next = uintText(*g.Next)
	}
	if !people {
		return fmt.Sprintf(lineFormat, g.Time.Format(time.RFC3339), segment, records,
			fmt.Sprintf("%.1f", g.BytesPerSecond), next, fmt.Sprint(g.Size), fmt.Sprintf("%.1f", g.Age))
	}
	return fmt.Sprintf(lineFormat, g.Time.Local().Format(time.TimeOnly), segment, records,
		bytesText(int64(g.BytesPerSecond)), next, bytesText(g.Size), ageText(g.Age))
}

// ageText says how long ago something was: 0.3s, 12m0s.
func ageText(seconds float64) string {
	age := time.Duration(seconds * float64(time.Second))
	if age < time.Minute {
		return fmt.Sprintf("%.1fs", age.Seconds())
	}
	return age.Round(time.Second).String()
}
