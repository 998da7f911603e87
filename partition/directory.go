package partition

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"example.com/jlq/internal/jsonl"
	"example.com/jlq/internal/segment"
)

// recoverDir locks a partition directory and recovers its active segment.
func (p *Partition) recoverDir() (*segment.Active, uint64, RecoveryReport, error) {
	fsys, dir := p.opts.FS, p.place.Path
	if err := p.locks.Take(fsys, dir); err != nil {
		return nil, 0, RecoveryReport{}, err
	}
	meta, err := p.readMeta()
	if err != nil {
		return nil, 0, RecoveryReport{}, err
	}
	all, err := p.place.Files(fsys)
	if err != nil {
		return nil, 0, RecoveryReport{}, err
	}
	found := all
	chain, err := p.chain(meta, found)
	if err != nil {
		return nil, 0, RecoveryReport{}, err
	}
	if err := p.lockRecords(chain); err != nil {
		return nil, 0, RecoveryReport{}, err
	}
	mode := p.mode()
	if meta == nil {
		mode.Start = firstBase(found, chain)
	}
	if err := p.syncName(meta); err != nil {
		return nil, 0, RecoveryReport{}, err
	}
	a, next, report, err := segment.RecoverChain(fsys, dir, chain, p.recoverOptions(meta, mode))
	if err != nil {
		return nil, 0, RecoveryReport{}, err
	}
	report.Created = report.Created && meta == nil
	err = p.lockActive(chain, a)
	if err := errors.Join(err, a.LockedBy(&p.locks)); err != nil {
		return nil, 0, RecoveryReport{}, errors.Join(err, a.Close())
	}
	if meta != nil {
		found = found[len(segment.FilesBelow(found, meta.Start)):]
	}
	p.pairs = upTo(found, a.Pair)
	if p.meta == nil {
		p.meta = &keeper{fs: fsys, dir: dir, perm: p.opts.filePerm()}
	}
	p.meta.restart(mode.Following(meta, segment.Mark{Base: a.Base, Position: a.End()}))
	report.Trimmed = p.dropTrimmed(all)
	return a, next, report, nil
}

func (p *Partition) readMeta() (*segment.Meta, error) {
	meta, ok, err := segment.ReadMeta(p.opts.FS, p.place.Path)
	if err != nil || !ok {
		return nil, err
	}
	return &meta, nil
}

// away says that the segment which begins at base is missing.
func (p *Partition) away(base uint64) error {
	return &SegmentAwayError{Path: segment.PairAt(p.place.Path, base).Records, Base: base}
}

// firstBase is where a log begins of which no partition.json says so: with the
// first segment that has records, as it does to readers. Its segments may have
// been trimmed before that file was lost.
func firstBase(found, chain []segment.Files) uint64 {
	for _, f := range found {
		if f.HasRecords {
			return f.Base
		}
	}
	return chain[0].Base // recovery makes it
}

// refuseForeign keeps a slip of the keyboard from scattering files in a
// directory that is something else, and a topic that lost its topic.json from
// becoming a partition. Where there are segments, it is a partition.
func (p *Partition) refuseForeign(meta *segment.Meta) error {
	if meta != nil {
		return nil
	}
	if err := segment.RefuseLost(p.opts.FS, p.place.Path); err != nil {
		return err
	}
	names, err := p.opts.FS.List(p.place.Path)
	if err != nil {
		return err
	}
	for _, name := range names {
		if _, _, ours := segment.ParseName(name); ours || groupFile(name) || name == "lock" || name == "lost+found" || strings.HasPrefix(name, segment.MetaName) {
			continue
		}
		return &fs.PathError{Op: "append", Path: p.place.Path,
			Err: fmt.Errorf("%w: the directory holds other files (%s); name an empty or a new one", ErrNotLog, name)}
	}
	return nil
}

// groupFile: a group may have been registered with a log before it has records.
func groupFile(name string) bool {
	return strings.HasPrefix(name, "offsets.json") || name == "groups" || name == "dead"
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

func (p *Partition) recoverOptions(meta *segment.Meta, mode segment.Meta) segment.RecoverOptions {
	limit := p.lineLimit(meta)
	return segment.RecoverOptions{
		Meta: meta, Mode: mode, MaxLine: limit, Perm: p.opts.filePerm(),
		Strict: func(rec []byte) error { return jsonl.CheckStrict(rec, limit) },
	}
}

// metaPath names partition.json in messages.
func (p *Partition) metaPath() string { return filepath.Join(p.place.Path, segment.MetaName) }

// syncName makes the name of the log's directory durable before anything in it
// is promised. Whoever made it may not have synced it: a person, a copy, or a
// writer that was killed just then, and perhaps another one after it, so that
// the files being there says nothing. Where there is a partition.json, a writer
// has been through here; then a directory above that may not be read is none of
// its making, and no reason not to open.
func (p *Partition) syncName(meta *segment.Meta) error {
	err := p.opts.FS.SyncDir(filepath.Dir(p.place.Path))
	if meta != nil && errors.Is(err, fs.ErrPermission) {
		return nil
	}
	return err
}
