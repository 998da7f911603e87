package topic

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"sync/atomic"

	"example.com/jlq/internal/segment"
	"example.com/jlq/internal/vfs"
	"example.com/jlq/partition"
)

var errClosed = fmt.Errorf("topic: %w", fs.ErrClosed)

// Topic is a topic that is open: by [Open] for appending and reading, or by
// [OpenReader] for reading. It is safe for concurrent use and must be closed.
type Topic struct {
	dir    string
	opts   Options
	writes bool

	now  atomic.Pointer[view]
	turn atomic.Uint64 // whose turn it is among those that records without a key go to

	mu    sync.Mutex // opening, closing and reading topic.json
	info  vfs.Info   // of the topic.json that was read
	ended bool
	writers
	stop  chan struct{}
	watch sync.WaitGroup // the goroutine that looks for changes
}

// view is what the topic is, as far as this process knows. It does not change.
type view struct {
	meta    Meta
	visible []bool // to producers, by number
	targets []int  // those that are
	parts   []*partition.Partition
	writes  []bool // which of parts are open for appending
	gone    error  // why the topic cannot be used any more
}

func newView(m Meta) *view {
	v := &view{meta: m, visible: make([]bool, m.Partitions), targets: m.Produced(),
		parts: make([]*partition.Partition, m.Partitions), writes: make([]bool, m.Partitions)}
	for _, i := range v.targets {
		v.visible[i] = true
	}
	return v
}

// with is v with one partition that was opened since.
func (v *view) with(i int, p *partition.Partition, writes bool) *view {
	c := newView(v.meta)
	copy(c.parts, v.parts)
	copy(c.writes, v.writes)
	c.parts[i], c.writes[i] = p, writes
	return c
}

// Open opens a topic for appending and reading. It opens for appending each
// partition that producers see: it recovers what a crash left there, and takes
// the writer's lock ([partition.ErrLocked] when another process has it) unless
// Options.Partition is Shared. A topic that is Shared and has more partitions than
// this process may have open is opened a partition at a time, as records come, and
// what was open longest is closed again; one that is not Shared is then a
// [*CrowdedError].
func Open(dir string, opts *Options) (*Topic, error) { return openFor(dir, opts, vfs.OpenLimit()) }

// openFor is Open where the system allows so many files.
func openFor(dir string, opts *Options, files int) (*Topic, error) {
	t, err := open(dir, opts, true)
	if err != nil {
		return nil, err
	}
	targets := t.now.Load().targets
	t.writers = newWriters(t.opts.Partition.Shared, len(targets), files)
	if t.most > 0 {
		t.turn.Store(rand.Uint64()) // to know which is the shortest takes opening all
		t.watch.Go(t.lookOut)
		return t, nil
	}
	for k, i := range targets {
		if _, err := t.writer(i); err != nil {
			return nil, errors.Join(t.tooMany(k, err), t.Close())
		}
	}
	t.turn.Store(t.shortest())
	t.watch.Go(t.lookOut)
	return t, nil
}

// OpenReader opens a topic for reading, in any process. It takes no lock and
// writes nothing; partitions are opened when they are asked for.
func OpenReader(dir string, opts *Options) (*Topic, error) { return open(dir, opts, false) }

func open(dir string, opts *Options, writes bool) (*Topic, error) {
	t := &Topic{dir: dir, opts: opts.withDefaults(), writes: writes, stop: make(chan struct{})}
	info, m, err := t.read()
	if err != nil {
		return nil, err
	}
	t.info = info
	t.now.Store(newView(m))
	return t, nil
}

// read reads topic.json, and which file that was. It is asked before, so that a
// change between the two is read again the next time.
func (t *Topic) read() (vfs.Info, Meta, error) {
	info, err := t.opts.fs().Stat(filepath.Join(t.dir, segment.TopicName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return info, Meta{}, err
	}
	m, err := ReadMeta(t.opts.fs(), t.dir)
	return info, m, err
}

// Path is the directory of the topic.
func (t *Topic) Path() string { return t.dir }

// Meta is what topic.json said when it was read last, see [Topic.Refresh].
func (t *Topic) Meta() Meta { return t.now.Load().meta.clone() }

// Partition returns a partition: open for appending where the topic is and
// producers see it, else for reading. It is closed with the topic, and earlier
// where the partition is deleted, or hidden from everyone so that it can be, or
// where [Open] says that it makes way for others.
func (t *Topic) Partition(i int) (*partition.Partition, error) {
	v := t.now.Load()
	if err := t.usable(v, i); err != nil {
		return nil, err
	}
	if p := v.parts[i]; p != nil {
		return p, nil
	}
	return t.open(i, t.writes && v.visible[i])
}

// usable returns nil where v has partition i, else the error that says why not.
func (t *Topic) usable(v *view, i int) error {
	if v.gone != nil {
		return v.gone
	}
	return v.meta.need(t.dir, i)
}

// writer is partition i, open for appending.
func (t *Topic) writer(i int) (*partition.Partition, error) {
	v := t.now.Load()
	if err := t.usable(v, i); err != nil {
		return nil, err
	}
	if v.parts[i] != nil && v.writes[i] {
		return v.parts[i], nil
	}
	return t.open(i, true)
}

// open opens a partition, unless another goroutine has done so by now. One
// that was open for reading, when it was hidden from producers, stays open
// for those who have it.
func (t *Topic) open(i int, writes bool) (*partition.Partition, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	v := t.now.Load()
	if err := t.usable(v, i); err != nil {
		return nil, err
	}
	if p := v.parts[i]; p != nil && (v.writes[i] || !writes) {
		return p, nil
	}
	do := partition.OpenReader
	if writes {
		do = partition.Open
	}
	opts := t.opts.Partition
	if skip := t.opts.Skip; skip != nil {
		opts.Skip = func(d partition.Damage) error { return skip(i, d) }
	}
	p, err := do(PartitionPath(t.dir, i), &opts)
	if err != nil {
		return nil, t.lost(i, err)
	}
	if old := v.parts[i]; old != nil {
		err = old.Close() // it was only read
	}
	t.now.Store(v.with(i, p, writes))
	if writes {
		t.makeWay(i)
	}
	return p, err
}

// lost says of a partition that is not there that it should be.
func (t *Topic) lost(i int, err error) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if m, read := ReadMeta(t.opts.fs(), t.dir); read == nil && !m.Has(i) {
		return m.need(t.dir, i) // it was deleted a moment ago
	}
	return fmt.Errorf("partition %d is away (moved or lost), and is not begun anew: %w", i, err)
}

// Sync returns when every record that was acknowledged before the call
// survives a power loss.
func (t *Topic) Sync() error {
	errs := []error{t.closingErr()}
	v := t.now.Load()
	for i, p := range v.parts {
		if p != nil && v.writes[i] {
			errs = append(errs, p.Sync())
		}
	}
	return errors.Join(errs...)
}

// Close makes everything durable, closes all partitions and gives up their
// locks. A second call returns an error that matches [fs.ErrClosed].
func (t *Topic) Close() error {
	t.mu.Lock()
	if t.ended {
		t.mu.Unlock()
		return errClosed
	}
	t.ended = true
	v := t.now.Load()
	c := newView(v.meta)
	c.gone = errClosed
	t.now.Store(c)
	t.mu.Unlock()
	close(t.stop)
	t.watch.Wait()
	return errors.Join(t.closingErr(), closeAll(v.parts))
}

// closeAll closes partitions at the same time: each syncs.
func closeAll(parts []*partition.Partition) error {
	errs := make([]error, len(parts))
	var wg sync.WaitGroup
	for i, p := range parts {
		if p != nil {
			wg.Go(func() { errs[i] = p.Close() })
		}
	}
	wg.Wait()
	return errors.Join(errs...)
}
