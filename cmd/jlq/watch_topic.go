package main

import (
	"context"
	"slices"
	"time"

	"example.com/jlq/internal/vfs"
	"example.com/jlq/topic"
)

// topicWatcher looks at all partitions of a topic, also at those that are added.
type topicWatcher struct {
	fs   vfs.FS
	path string

	gone  bool // the topic was not there when last looked at
	parts map[int]*watcher
	sizes map[int]growth // the last that was seen of each
	last  time.Time
}

// watchTopic prints what the partitions of a topic grew by, interval by interval.
func (c *statCommand) watchTopic(ctx context.Context, w *topicWatcher) error {
	w.parts, w.sizes, w.last = map[int]*watcher{}, map[int]growth{}, time.Now()
	if _, err := c.lookAtAll(w, w.last); err != nil {
		return err
	}
	return c.eachInterval(ctx, "partition", func(now time.Time) ([]growth, error) { return c.lookAtAll(w, now) })
}

// lookAtAll returns what each partition grew by, and the total.
func (c *statCommand) lookAtAll(w *topicWatcher, now time.Time) ([]growth, error) {
	since := now.Sub(w.last)
	w.last = now
	if err := c.tellGone(w.path, &w.gone, w.find()); err != nil || w.gone {
		return nil, err
	}
	var grown []growth
	for i, part := range w.parts {
		g, err := part.look(now)
		if err := c.tell(part, err); err != nil {
			return nil, err
		}
		if len(g) == 0 {
			continue
		}
		own := g[len(g)-1] // the total, where several of its segments grew
		own.Segment, own.Segments, own.Part = nil, 0, &i
		w.sizes[i] = own
		if own.Bytes > 0 {
			grown = append(grown, own)
		}
	}
	if len(w.sizes) == 0 {
		return nil, nil // there is nothing to compare with
	}
	slices.SortFunc(grown, func(a, b growth) int { return *a.Part - *b.Part })
	return append(grown, w.total(grown, now, since)), nil
}

// find reads which partitions there are.
func (w *topicWatcher) find() error {
	meta, err := topic.ReadMeta(w.fs, w.path)
	if err != nil {
		return err
	}
	for i := range w.parts {
		if !meta.Has(i) {
			delete(w.parts, i)
			delete(w.sizes, i)
		}
	}
	for _, i := range meta.All() {
		if w.parts[i] == nil {
			w.parts[i] = &watcher{fs: w.fs, path: topic.PartitionPath(w.path, i)}
		}
	}
	return nil
}

// total adds up what grew. Its size is that of all partitions as they were last
// seen: of the segments that grow.
func (w *topicWatcher) total(grown []growth, now time.Time, since time.Duration) growth {
	sum := growth{Parts: len(grown), Records: new(uint64)}
	appended := time.Time{}
	for _, g := range w.sizes {
		sum.Size += g.Size
		if at := g.Time.Add(-time.Duration(g.Age * float64(time.Second))); at.After(appended) {
			appended = at
		}
	}
	for _, g := range grown {
		sum.Bytes += g.Bytes
		if g.Records != nil {
			*sum.Records += *g.Records
		}
	}
	sum.finish(now, since, appended)
	return sum
}
