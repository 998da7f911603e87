package segment

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

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

// maxMetaBytes bounds what is read of a partition.json.
const maxMetaBytes = 1 << 20

// Meta is the content of partition.json: what the writer that has the
// partition open, or had it last, promised. On disk it is one line of JSON:
//
//	{"format":1,"sync":"always","validate":"strict","batch":16777217,"start":0,"synced":{"base":0,"position":8192}}
//
// It changes only under the writer's lock and only by replacement, so a
// reader sees the old or the new one, whole.
type Meta struct {
	Format   int    `json:"format"`
	Sync     string `json:"sync"`     // durability mode: always, interval, os, buffered
	Validate string `json:"validate"` // strict or frame
	Batch    int64  `json:"batch"`    // most bytes of one batch under always
	Start    uint64 `json:"start"`    // first offset kept
	Synced   Mark   `json:"synced"`   // how far the records are known to be on the disk
}

// Mark is a line end in the records file of the segment that begins at Base.
type Mark struct {
	Base     uint64 `json:"base"`
	Position int64  `json:"position"`
}

// ReadMeta reads the partition.json of dir. ok is false where there is none.
// One that does not parse is a [*CorruptError]; a newer format matches
// [ErrNewerFormat].
func ReadMeta(fsys vfs.FS, dir string) (m Meta, ok bool, err error) {
	path := filepath.Join(dir, MetaName)
	data, err := vfs.ReadFile(fsys, path, maxMetaBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return Meta{}, false, nil
	}
	if err != nil {
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

func parseMeta(data []byte) (Meta, error) {
	var m Meta
	// A newer version may have changed the type of any other field, so the
	// format is read on its own first.
	var version struct {
		Format int `json:"format"`
	}
	if err := json.Unmarshal(data, &version); err != nil {
		return m, err
	}
	if version.Format > Format {
		return m, fmt.Errorf("%w: format %d, known are up to %d", ErrNewerFormat, version.Format, Format)
	}
	if version.Format < 1 {
		return m, fmt.Errorf("format %d is none", version.Format)
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
	if m.Batch < 0 || m.Synced.Position < 0 {
		return m, errors.New("negative batch or position")
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
	return vfs.ReplaceFile(fsys, path, append(data, '\n'), keepPerm(fsys, path, perm))
}

// keepPerm is the mode of the file that is replaced, or perm where there is
// none: what an operator has set stays.
func keepPerm(fsys vfs.FS, path string, perm fs.FileMode) fs.FileMode {
	if info, err := fsys.Lstat(path); err == nil && info.Mode.IsRegular() {
		return info.Mode.Perm()
	}
	return perm
}

// Names of modes in partition.json.
const (
	SyncAlwaysName     = "always"
	ValidateStrictName = "strict"
)
