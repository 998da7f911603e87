package partition

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"example.com/jlq/internal/jsonl"
	"example.com/jlq/internal/segment"
	"example.com/jlq/internal/vfs"
)

// takenDir is what a partition directory holds, whose locks were taken.
type takenDir struct {
	meta  *segment.Meta   // nil where there is none
	found []segment.Files // of all segments
	chain []segment.Files // of those that recovery looks at
}

// takeDir takes the locks of a partition directory and finds what it holds.
func (p *Partition) takeDir() (d takenDir, err error) {
	if err = p.locks.Take(p.opts.FS, p.place.Path); err != nil {
		return d, err
	}
	if d.meta, err = p.readMeta(); err != nil {
		return d, err
	}
	if d.found, err = p.place.Files(p.opts.FS); err != nil {
		return d, err
	}
	if d.chain, err = p.chain(d.meta, d.found); err != nil {
		return d, err
	}
	return d, p.lockRecords(d.chain)
}

// recoverDir locks a partition directory and recovers its active segment.
func (p *Partition) recoverDir() (*segment.Active, uint64, RecoveryReport, error) {
	d, err := p.takeDir()
	if err != nil {
		return nil, 0, RecoveryReport{}, err
	}
	mode := p.mode()
	if d.meta == nil {
		mode.Start = firstBase(d.found, d.chain)
	}
	if err := p.syncName(d.meta); err != nil {
		return nil, 0, RecoveryReport{}, err
	}
	a, next, report, err := segment.RecoverChain(p.opts.FS, p.place.Path, d.chain, p.recoverOptions(d.meta, mode))
	if err != nil {
		return nil, 0, RecoveryReport{}, err
	}
	if err := p.lockRecovered(d.chain, a); err != nil {
		return nil, 0, RecoveryReport{}, errors.Join(err, a.Close())
	}
	report.Created = report.Created && d.meta == nil
	p.promise(d, mode.Following(d.meta, segment.Mark{Base: a.Base, Position: a.End()}), a)
	report.Trimmed = p.dropTrimmed(d.found)
	return a, next, report, nil
}

// lockRecovered locks the segment that recovery chose, which may be a new one.
func (p *Partition) lockRecovered(chain []segment.Files, a *segment.Active) error {
	if err := p.lockActive(chain, a); err != nil {
		return err
	}
	return a.LockedBy(&p.locks)
}

// promise notes the segments that are kept, up to the active one, and what
// partition.json will say of them.
func (p *Partition) promise(d takenDir, m segment.Meta, a *segment.Active) {
	kept := d.found
	if d.meta != nil {
		kept = kept[len(segment.FilesBelow(kept, d.meta.Start)):]
	}
	p.pairs = upTo(kept, a.Pair)
	if p.meta == nil {
		p.meta = &keeper{fs: p.opts.FS, dir: p.place.Path, perm: p.opts.filePerm()}
	}
	p.meta.restart(m)
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
	err := vfs.SyncParent(p.opts.FS, p.place.Path)
	if meta != nil && errors.Is(err, fs.ErrPermission) {
		return nil
	}
	return err
}
