package topic

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"example.com/jlq/internal/segment"
	"example.com/jlq/internal/vfs"
	"example.com/jlq/partition"
)

// lookOut looks for changes of topic.json until the topic is closed. A
// producer that appends nothing must give up, too, what is to be deleted.
func (t *Topic) lookOut() {
	tick := time.NewTicker(t.opts.Reload)
	defer tick.Stop()
	for {
		select {
		case <-t.stop:
			return
		case <-tick.C:
			if err := t.Refresh(); err != nil && !errors.Is(err, fs.ErrClosed) {
				t.opts.Partition.Logger.Warn("topic.json cannot be read; going on as before", "topic", t.dir, "error", err)
			}
		}
	}
}

// Refresh takes in what topic.json says by now. Partitions that were deleted,
// or hidden from everyone, are closed. Where the topic is gone, every use of it
// returns an error from then on. Topics that are open for appending do this
// by themselves.
func (t *Topic) Refresh() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	v := t.now.Load()
	if v.gone != nil {
		return v.gone
	}
	info, err := t.opts.fs().Stat(filepath.Join(t.dir, segment.TopicName))
	if err == nil && sameFile(info, t.info) {
		return nil
	}
	info, m, err := t.read()
	if err != nil {
		return t.vanished(v, err)
	}
	t.info = info
	return t.become(v, m)
}

// sameFile reports whether a file was neither replaced nor written to.
func sameFile(a, b vfs.Info) bool {
	return a.Same(b) && a.Size == b.Size && a.ModTime.Equal(b.ModTime)
}

// become goes over to another topic.json.
func (t *Topic) become(v *view, m Meta) error {
	c := newView(m)
	var over []*partition.Partition
	for i, p := range v.parts {
		switch {
		case p == nil:
		case !m.Has(i) || v.writes[i] && t.unseen(&m, i):
			over = append(over, p)
		default:
			c.parts[i], c.writes[i] = p, v.writes[i]
		}
	}
	t.now.Store(c)
	return closeAll(over)
}

// unseen reports whether nobody sees partition i: then it may be deleted, which
// a writer that has it would keep from being done.
func (t *Topic) unseen(m *Meta, i int) bool {
	return slices.Contains(m.Hidden.Producers, i) && slices.Contains(m.Hidden.Consumers, i)
}

// vanished ends the use of a topic that was deleted. Any other error leaves
// things as they are.
func (t *Topic) vanished(v *view, err error) error {
	if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, ErrNotTopic) {
		return err
	}
	c := newView(v.meta)
	c.gone = &GoneError{Path: t.dir, Err: err}
	t.now.Store(c)
	return errors.Join(c.gone, closeAll(v.parts))
}
