package index

import (
	"errors"
	"io/fs"

	"example.com/jlq/internal/vfs"
)

// pair is a records file and its index, open for reading, with what they were
// when they were opened.
type pair struct {
	fs         vfs.FS
	recs       vfs.File
	recsInfo   vfs.Info
	idx        vfs.File // nil where there is none
	idxInfo    vfs.Info
	missing    error // why idx is nil
	recordPath string
	indexPath  string
}

// openPair opens both files, the index first: entries that are seen then
// belong to lines that are seen.
func openPair(fsys vfs.FS, records, indexPath string) (*pair, error) {
	p := &pair{fs: fsys, recordPath: records, indexPath: indexPath}
	if err := p.open(); err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

func (p *pair) open() error {
	var err error
	p.idx, p.idxInfo, err = vfs.OpenRegular(p.fs, p.indexPath)
	if errors.Is(err, fs.ErrNotExist) {
		p.missing = err
	} else if err != nil {
		return err
	}
	p.recs, p.recsInfo, err = vfs.OpenRegular(p.fs, p.recordPath)
	if err != nil {
		return err
	}
	if p.idx != nil && p.idxInfo.Same(p.recsInfo) {
		return p.indexError(errors.New("is the records file itself"))
	}
	return nil
}

// close closes what is open; nothing was written, so nothing can be lost.
func (p *pair) close() {
	for _, f := range []vfs.File{p.recs, p.idx} {
		if f != nil {
			f.Close()
		}
	}
}

// report returns what can be said before the records are read.
func (p *pair) report() Report {
	return Report{Size: p.recsInfo.Size}
}

// count returns the number of records in the index.
func (p *pair) count() uint64 { return Count(p.idxInfo.Size) }

// end returns the last entry of the index, which is 0 for an empty one.
func (p *pair) end() (int64, error) {
	if p.idxInfo.Size < EntrySize {
		return 0, nil
	}
	return Entry(p.idx, p.count())
}

// stands returns an error where the records file is no longer the file that
// was opened, or has become shorter: what was derived from it is then of no use
// to the next reader of that name.
func (p *pair) stands() error {
	now, err := p.fs.Stat(p.recordPath)
	if err != nil {
		return err
	}
	if !now.Same(p.recsInfo) {
		return p.recordsError(errReplaced)
	}
	if now.Size < p.recsInfo.Size {
		return p.recordsError(errCut)
	}
	return nil
}

func (p *pair) recordsError(err error) error {
	return &fs.PathError{Op: "read", Path: p.recordPath, Err: err}
}

func (p *pair) indexError(err error) error {
	return &fs.PathError{Op: "write", Path: p.indexPath, Err: err}
}

var errReplaced = errors.New("the file was replaced while it was read")
