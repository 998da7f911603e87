package partition

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"example.com/jlq/internal/jsonl"
	"example.com/jlq/internal/segment"
	"example.com/jlq/internal/vfs"
	"example.com/jlq/reader"
	"example.com/jlq/writer"
)

var errClosed = fmt.Errorf("partition: %w", fs.ErrClosed)

// bareExts are the endings under which a log that does not exist is made as
// a bare file and not as a directory.
var bareExts = []string{".jsonl", ".ndjson", ".records"}

// Open opens a log for appending and reading: a partition directory, or any
// JSON-lines file. What does not exist is created, as a bare file where path
// ends in .jsonl, .ndjson or .records, else as a directory.
//
// Opening takes the writer's lock ([ErrLocked] when another has it; see
// Options.Shared for waiting) and recovers what a crash left; [Partition.Recovery] reports it.
func Open(path string, opts *Options) (*Partition, error) {
	o := opts.withDefaults()
	if err := errors.Join(o.writer().Check(), o.Retention.check(), o.checkShared()); err != nil {
		return nil, err
	}
	p := &Partition{opts: o, turn: newTurn(o.LockWait, func(err error) {
		o.Logger.Info("waiting for a turn to append", "log", path, "error", err)
	})}
	if err := p.open(path); err != nil {
		return nil, errors.Join(err, p.locks.Release())
	}
	if lines := p.recovery.Lines(); len(lines) > 0 {
		o.Logger.Info(strings.Join(lines, "; "), "log", path)
	}
	if o.Retention.any() && !o.rollsAlone() {
		o.Logger.Warn("retention drops sealed segments only, and nothing says when a segment is sealed: "+
			"set SegmentBytes, SegmentRecords or SegmentAge, or call Roll", "log", path)
	}
	return p, nil
}

// OpenReader opens a log for reading, in any process, beside its writer. It
// takes no lock and writes nothing; a damaged log opens too. Methods that
// append return [ErrReadOnly].
func OpenReader(path string, opts *Options) (*Partition, error) {
	o := opts.withDefaults()
	log, err := reader.Open(path, o.reader())
	if err != nil {
		return nil, err
	}
	return &Partition{opts: o, place: log.Place(), log: log}, nil
}

// open finds or makes the log, locks it, recovers it and starts the writer.
// Locks that were taken when it fails are given up by the caller.
func (p *Partition) open(path string) error {
	if err := p.find(path); err != nil {
		return err
	}
	active, next, err := p.recoverFirst()
	if err != nil {
		return err
	}
	p.live = segment.NewLive(active.Base, next, active.End())
	if p.log, err = p.attach(); err != nil {
		return errors.Join(err, active.Close())
	}
	p.pairs = nil
	p.retain = p.newRetainer()
	p.write = writer.New(active, p.live, p.owner(), p.opts.writer())
	if p.opts.Shared {
		p.leave()
	}
	p.retain.start()
	return nil
}

// attach opens the log for reading. Where others append to it too, the files
// know more than this process.
func (p *Partition) attach() (*reader.Log, error) {
	live, pairs := p.live, p.pairs
	if p.opts.Shared {
		live, pairs = nil, nil
	}
	return reader.Attach(p.place, live, pairs, p.opts.reader())
}

// recoverFirst is recover at opening.
func (p *Partition) recoverFirst() (a *segment.Active, next uint64, err error) {
	var report RecoveryReport
	try := func() (err error) {
		a, next, report, err = p.recover()
		return err
	}
	if p.opts.Shared {
		err = p.turn.wait(p.locking(try))
	} else {
		err = try()
	}
	if p.place.Bare {
		report.Created = p.recovery.Created
	}
	p.recovery = report
	return a, next, err
}

// find locates the log, or makes an empty one.
func (p *Partition) find(path string) error {
	place, err := segment.Locate(p.opts.FS, path)
	if errors.Is(err, fs.ErrNotExist) && !p.opts.NoCreate {
		return p.make(path)
	}
	if err != nil {
		return err
	}
	p.place = place
	if err := p.refuseLimits(); err != nil {
		return err
	}
	if err := p.refuseNetwork(); err != nil {
		return err
	}
	return p.refuseSegment()
}

// refuseSegment: the files of a partition are written through its directory
// only, which is where its promise and its lock are.
func (p *Partition) refuseSegment() error {
	if !p.place.Bare {
		return nil
	}
	if !segment.InPartition(filepath.Base(p.place.Path)) {
		return nil
	}
	return &fs.PathError{Op: "open", Path: p.place.Path,
		Err: errors.New("is a file of a partition; name the directory it lies in")}
}

// make creates what Locate did not find, durably.
func (p *Partition) make(path string) error {
	if filepath.Ext(path) == ".index" {
		return &fs.PathError{Op: "append", Path: path, Err: fmt.Errorf("%w: it is the name of an index", ErrNotLog)}
	}
	p.recovery.Created = true
	p.place = segment.Place{Path: path, Bare: slices.Contains(bareExts, filepath.Ext(path))}
	if err := p.refuseLimits(); err != nil {
		return err
	}
	if err := p.refuseNetworkIn(vfs.Parent(path)); err != nil {
		return err
	}
	if !p.place.Bare {
		if err := p.opts.FS.Mkdir(path, p.opts.dirPerm()); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		return nil // recovery makes its name durable
	}
	if err := p.refuseSegment(); err != nil {
		return err
	}
	f, err := p.opts.FS.Open(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, p.opts.filePerm())
	switch {
	case err == nil:
		err = f.Close()
	case errors.Is(err, fs.ErrExist):
		err = nil // another process made it first; the lock decides
	default:
		return err
	}
	return errors.Join(err, p.opts.FS.SyncDir(filepath.Dir(path)))
}

func (p *Partition) refuseNetwork() error {
	if p.place.Bare {
		return p.refuseNetworkIn(filepath.Dir(p.place.Path))
	}
	return p.refuseNetworkIn(p.place.Path)
}

// refuseNetworkIn is asked before anything is made in dir.
func (p *Partition) refuseNetworkIn(dir string) error {
	n, ok := p.opts.FS.(vfs.Networker)
	if !ok || p.opts.AllowNetwork {
		return nil
	}
	kind, err := n.Network(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // whoever makes the log there says so in better words
	}
	if err == nil && kind != "" {
		err = &fs.PathError{Op: "append", Path: p.place.Path, Err: fmt.Errorf("%w (%s)", ErrNetwork, kind)}
	}
	return err
}

// recover locks and recovers the log.
func (p *Partition) recover() (a *segment.Active, next uint64, report RecoveryReport, err error) {
	if p.place.Bare {
		return p.recoverBare()
	}
	return p.recoverDir()
}

func (p *Partition) recoverBare() (*segment.Active, uint64, RecoveryReport, error) {
	pair := segment.BarePair(p.place.Path)
	// The index is locked as well: a writer that came to it from another
	// records file holds it, and it must not be rebuilt under him.
	if err := p.locks.Take(p.opts.FS, pair.Records); err != nil {
		return nil, 0, RecoveryReport{}, err
	}
	err := ignoreMissing(p.locks.Take(p.opts.FS, pair.Index))
	if err != nil {
		return nil, 0, RecoveryReport{}, err
	}
	a, next, report, err := segment.RecoverBare(p.opts.FS, pair, segment.BareOptions{
		Complete: p.complete, MaxLine: p.lineLimit(nil), Perm: p.opts.Mode.Perm(), Progress: p.opts.Progress,
	})
	if err != nil {
		return nil, 0, RecoveryReport{}, err
	}
	if a.IndexLockedBy(&p.locks) != nil { // it was made just now
		err = p.locks.Take(p.opts.FS, pair.Index)
	}
	if err := errors.Join(err, a.LockedBy(&p.locks), a.IndexLockedBy(&p.locks)); err != nil {
		return nil, 0, RecoveryReport{}, errors.Join(err, a.Close())
	}
	return a, next, report, nil
}

func (p *Partition) complete(rec []byte) bool { return jsonl.CheckStrict(rec, p.lineLimit(nil)) == nil }

// lineLimit is the longest line that is looked into: what this writer may
// store, or the one of partition.json could.
func (p *Partition) lineLimit(meta *segment.Meta) int {
	batch := p.opts.writer().BatchBytes()
	if meta != nil {
		batch = max(batch, meta.Batch)
	}
	return int(min(batch-1, math.MaxInt))
}
