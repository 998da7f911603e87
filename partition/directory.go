package partition

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"example.com/jlq/index"
	"example.com/jlq/internal/jsonl"
	"example.com/jlq/internal/segment"
)

// recoverDir locks a partition directory and recovers its active segment.
func (p *Partition) recoverDir() (*segment.Active, uint64, func(int64) error, error) {
	fsys, dir := p.opts.FS, p.place.Path
	if err := p.locks.Take(fsys, dir); err != nil {
		return nil, 0, nil, err
	}
	meta, err := p.readMeta()
	if err != nil {
		return nil, 0, nil, err
	}
	pair, err := p.activePair(meta)
	if err != nil {
		return nil, 0, nil, err
	}
	locked, err := p.lockRecords(pair)
	if err != nil {
		return nil, 0, nil, err
	}
	a, next, report, err := segment.Recover(fsys, dir, pair, p.recoverOptions(meta))
	if err != nil {
		return nil, 0, nil, err
	}
	if report.Created {
		// The directory may have been made by whoever named it, and just now.
		err = fsys.SyncDir(filepath.Dir(dir))
	}
	report.Created = report.Created && meta == nil
	p.recovery = report
	if err == nil && !locked {
		err = p.locks.Take(fsys, pair.Records)
	}
	if err := errors.Join(err, a.LockedBy(&p.locks)); err != nil {
		return nil, 0, nil, errors.Join(err, a.Close())
	}
	return a, next, p.saver(meta, pair.Base), nil
}

func (p *Partition) readMeta() (*segment.Meta, error) {
	meta, ok, err := segment.ReadMeta(p.opts.FS, p.place.Path)
	if err != nil || !ok {
		return nil, err
	}
	return &meta, nil
}

// activePair is the last segment, or the first of a new partition.
func (p *Partition) activePair(meta *segment.Meta) (segment.Pair, error) {
	pairs, err := p.place.Pairs(p.opts.FS)
	if err != nil {
		return segment.Pair{}, err
	}
	if len(pairs) == 0 && meta == nil {
		if err := p.refuseForeign(); err != nil {
			return segment.Pair{}, err
		}
		return segment.PairAt(p.place.Path, 0), nil
	}
	last := len(pairs) - 1
	if meta != nil && (last < 0 || pairs[last].Base < meta.Synced.Base) {
		// Recovery tells a pair that was never finished from a lost one.
		return segment.PairAt(p.place.Path, meta.Synced.Base), p.joins(pairs, meta.Synced.Base)
	}
	if meta != nil && !slices.ContainsFunc(pairs, func(s segment.Pair) bool { return s.Base == meta.Synced.Base }) {
		return segment.Pair{}, &SegmentAwayError{Path: segment.PairAt(p.place.Path, meta.Synced.Base).Records, Base: meta.Synced.Base}
	}
	return pairs[last], p.joins(pairs[:last], pairs[last].Base)
}

// joins refuses a segment that does not begin where the last one that is there
// ends: its offsets would be given out twice, or never.
func (p *Partition) joins(pairs []segment.Pair, base uint64) error {
	if len(pairs) == 0 {
		return nil
	}
	last := pairs[len(pairs)-1]
	info, err := p.opts.FS.Stat(last.Index)
	if err != nil {
		return err
	}
	if next := last.Base + index.Count(info.Size); next != base {
		return &CorruptError{Path: segment.PairAt(p.place.Path, base).Records, Offset: base,
			Err: fmt.Errorf("the segment begins with offset %d where %d should follow", base, next)}
	}
	return nil
}

// refuseForeign keeps a slip of the keyboard from scattering files in a
// directory that is something else.
func (p *Partition) refuseForeign() error {
	names, err := p.opts.FS.List(p.place.Path)
	if err != nil {
		return err
	}
	for _, name := range names {
		if _, _, ours := segment.ParseName(name); ours || name == "lock" || name == "lost+found" || strings.HasPrefix(name, segment.MetaName) {
			continue
		}
		return &fs.PathError{Op: "append", Path: p.place.Path,
			Err: fmt.Errorf("%w: the directory holds other files (%s); name an empty or a new one", ErrNotLog, name)}
	}
	return nil
}

// lockRecords locks the records file where there is one already, before
// recovery changes it.
func (p *Partition) lockRecords(pair segment.Pair) (locked bool, err error) {
	err = p.locks.Take(p.opts.FS, pair.Records)
	return err == nil, ignoreMissing(err)
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// mode is what this writer promises.
func (p *Partition) mode() segment.Meta {
	w := p.opts.writer()
	return segment.Meta{
		Format: segment.Format, Sync: w.Sync.String(), Validate: w.Validate.String(), Batch: w.BatchBytes(),
	}
}

func (p *Partition) recoverOptions(meta *segment.Meta) segment.RecoverOptions {
	limit := p.lineLimit(meta)
	return segment.RecoverOptions{
		Meta: meta, Mode: p.mode(), MaxLine: limit, Perm: p.opts.filePerm(),
		Strict: func(rec []byte) error { return jsonl.CheckStrict(rec, limit) },
	}
}

// saver returns what makes it durable how far the log is synced.
func (p *Partition) saver(meta *segment.Meta, base uint64) func(int64) error {
	m := p.mode()
	if meta != nil {
		m.Start, m.Batch = meta.Start, max(m.Batch, meta.Batch)
	}
	return func(position int64) error {
		m.Synced = segment.Mark{Base: base, Position: position}
		return segment.WriteMeta(p.opts.FS, p.place.Path, m, p.opts.filePerm())
	}
}

// metaPath names partition.json in messages.
func (p *Partition) metaPath() string { return filepath.Join(p.place.Path, segment.MetaName) }
