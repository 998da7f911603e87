package segment

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"example.com/jlq/internal/vfs"
)

// Format is the version of the files that this package writes.
const Format = 1

// The modes that partition.json may name, in the order of the values that
// package writer has for them.
var (
	SyncNames     = [...]string{SyncAlwaysName, "interval", "os", "buffered"}
	ValidateNames = [...]string{ValidateStrictName, "frame"}
)

// defaultBatch is the bound on a batch where none is written.
const defaultBatch = 16<<20 + 1

// MaxBatch is the largest bound on a batch, and with it on a record and on the
// memory that one takes.
const MaxBatch = 1<<31 + 1

// maxMetaBytes bounds what is read of a partition.json.
const maxMetaBytes = 1 << 20

// Meta is the content of partition.json: what the writer that has the
// partition open, or had it last, promised. On disk it is one line of JSON:
//
//	{"format":1,"sync":"always","validate":"strict","batch":16777217,"start":0,"synced":{"base":0,"position":8192}}
//
// A partition that was rolled has "created":"2026-01-02T03:04:05.678Z" as well,
// and one that is being trimmed "dropping":{"from":0,"to":5}.
// It changes only under the writer's lock and only by replacement, so a
// reader sees the old or the new one, whole.
type Meta struct {
	Format   int    `json:"format"`
	Sync     string `json:"sync"`     // durability mode: always, interval, os, buffered
	Validate string `json:"validate"` // strict or frame
	Batch    int64  `json:"batch"`    // most bytes of one batch under always
	Start    uint64 `json:"start"`    // first offset kept
	Synced   Mark   `json:"synced"`   // how far the records are known to be on the disk

	// Created is since when the active segment holds records, or was there to
	// hold them, where a writer rolls by age or has rolled.
	Created time.Time `json:"created,omitzero"`

	// Unchecked is where the lines end that a writer took over from one that
	// checked less than Validate says, or from nobody knows whom.
	Unchecked Mark `json:"unchecked,omitzero"`

	// Dropping is where the segments begin that a trim is removing, or was
	// when it was broken off. It comes with Start, before the first file goes,
	// and is taken back once the last one has: a segment below Start that it
	// does not cover is none that was left over, but one that somebody put
	// there, and stays.
	Dropping Span `json:"dropping,omitzero"`
}

// Span is a half-open range of offsets.
type Span struct {
	From uint64 `json:"from"`
	To   uint64 `json:"to"`
}

// Begins reports whether a segment that begins at base begins within s.
func (s Span) Begins(base uint64) bool { return s.From <= base && base < s.To }

// Drops is m when a trim is about to remove the segments from the one that
// begins at from up to start, which is the first offset kept from now on. What
// an earlier trim could not remove is still to go.
func (m Meta) Drops(from, start uint64) Meta {
	if m.Dropping != (Span{}) {
		from = min(from, m.Dropping.From)
	}
	m.Start, m.Dropping = start, Span{from, start}
	return m
}

// Mark is a line end in the records file of the segment that begins at Base.
type Mark struct {
	Base     uint64 `json:"base"`
	Position int64  `json:"position"`
}

// Strict reports whether the line at position of the segment at base was
// checked strictly when it was written.
func (m *Meta) Strict(base uint64, position int64) bool {
	if m.Validate != ValidateStrictName || base < m.Unchecked.Base {
		return false
	}
	return base > m.Unchecked.Base || position >= m.Unchecked.Position
}

// Following is what a writer with the modes of m promises where it takes over
// from old, nil where there is none, the records end at end, and are synced.
// Where there is none, the log begins where m says.
func (m Meta) Following(old *Meta, end Mark) Meta {
	m.Format, m.Synced, m.Unchecked, m.Created = Format, end, Mark{}, time.Time{}
	if m.Validate == ValidateStrictName {
		m.Unchecked = end
	}
	if old == nil {
		return m
	}
	m.Start, m.Dropping = old.Start, old.Dropping
	if old.Synced.Base == end.Base {
		m.Created = old.Created
	}
	// Records as large as the last writer's may be there, and must stay
	// readable; a wider bound on a batch promises less, never too much.
	m.Batch = max(m.Batch, old.Batch)
	if m.Validate == ValidateStrictName && old.Validate == ValidateStrictName {
		m.Unchecked = old.Unchecked.UpTo(end)
	}
	return m
}

// Rolled is m for the segment that begins at base, when all records below it
// are synced.
func (m Meta) Rolled(base uint64, now time.Time) Meta {
	m.Synced, m.Created = Mark{Base: base}, Timestamp(now)
	return m
}

// Timestamp is t as partition.json has it: UTC, to the millisecond.
func Timestamp(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }

// UpTo is m, or end where that is less in the same segment.
func (m Mark) UpTo(end Mark) Mark {
	if m.Base == end.Base {
		m.Position = min(m.Position, end.Position)
	}
	return m
}

// ReadMeta reads the partition.json of dir. ok is false where there is none.
// One that does not parse is a [*CorruptError]; a newer format matches
// [ErrNewerFormat].
func ReadMeta(fsys vfs.FS, dir string) (m Meta, ok bool, err error) {
	path := filepath.Join(dir, MetaName)
	data, err := vfs.ReadFile(fsys, path, maxMetaBytes)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Meta{}, false, nil
	case errors.Is(err, vfs.ErrTooLarge):
		return Meta{}, false, &CorruptError{Path: path, Err: err}
	case err != nil:
		return Meta{}, false, err
	}
	m, err = parseMeta(data)
	if errors.Is(err, ErrNewerFormat) {
		return Meta{}, false, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	if err != nil {
		return Meta{}, false, &CorruptError{Path: path, Err: err}
	}
	return m, true, nil
}

// CheckFormat looks at the format of a JSON file of which versions up to known
// are understood; a newer one matches [ErrNewerFormat]. A newer version may have
// changed the type of any other field, so the format is read on its own first.
func CheckFormat(data []byte, known int) error {
	var version struct {
		Format int `json:"format"`
	}
	if err := json.Unmarshal(data, &version); err != nil {
		return err
	}
	if version.Format > known {
		return fmt.Errorf("%w: format %d, known are up to %d", ErrNewerFormat, version.Format, known)
	}
	if version.Format < 1 {
		return fmt.Errorf("format %d is none", version.Format)
	}
	return nil
}

func parseMeta(data []byte) (Meta, error) {
	var m Meta
	if err := CheckFormat(data, Format); err != nil {
		return m, err
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return m, err
	}
	// A mode that is not known would pass for one that promises less.
	if !slices.Contains(SyncNames[:], m.Sync) || !slices.Contains(ValidateNames[:], m.Validate) {
		return m, fmt.Errorf("sync %q, validate %q: not known", m.Sync, m.Validate)
	}
	if m.Batch == 0 {
		// A bound of nothing would make every torn tail one of promised bytes.
		m.Batch = defaultBatch
	}
	if m.Batch < 0 || m.Synced.Position < 0 || m.Unchecked.Position < 0 {
		return m, errors.New("negative batch or position")
	}
	if m.Batch > MaxBatch {
		return m, fmt.Errorf("batch %d: no writer has batches of more than %d bytes", m.Batch, int64(MaxBatch))
	}
	if m.Start > MaxOffset || m.Synced.Base > MaxOffset {
		return m, fmt.Errorf("start %d, base %d: beyond any offset", m.Start, m.Synced.Base)
	}
	return m, nil
}

// WriteMeta replaces the partition.json of dir durably. The caller holds the
// writer's lock.
func WriteMeta(fsys vfs.FS, dir string, m Meta, perm fs.FileMode) error {
	m.Format = Format
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	path := filepath.Join(dir, MetaName)
	perm, err = keepPerm(fsys, path, perm)
	if err != nil {
		return err
	}
	return vfs.ReplaceFile(fsys, path, append(data, '\n'), perm)
}

// keepPerm is the mode of the file that is replaced, or perm where there is
// none: what an operator has set stays.
func keepPerm(fsys vfs.FS, path string, perm fs.FileMode) (fs.FileMode, error) {
	info, err := fsys.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return perm, nil
	case err != nil:
		return 0, err
	case info.Mode.IsRegular():
		return info.Mode.Perm(), nil
	}
	return perm, nil
}

// Names of modes in partition.json.
const (
	SyncAlwaysName     = "always"
	ValidateStrictName = "strict"
)
