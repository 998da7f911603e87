package segment

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"

	"example.com/jlq/index"
	"example.com/jlq/internal/vfs"
)

// BareOptions say how a bare file is opened for appending.
type BareOptions struct {
	Complete func([]byte) bool       // a record is complete JSON
	MaxLine  int                     // bytes of the longest line that is looked at
	Perm     fs.FileMode             // of files that are made; 0 for the index: that of the records
	Progress func(done, total int64) // of building a missing index; may be nil
}

// RecoverBare makes a bare file ready for appending. Nothing was promised of
// it, so every line stays and nothing is cut: bytes behind the last newline
// get a newline, else the next record would be glued to them. A missing or
// foreign index is built, one that is behind is extended.
//
// The caller holds the lock of the records file.
func RecoverBare(fsys vfs.FS, pair Pair, opts BareOptions) (*Active, uint64, Report, error) {
	var report Report
	end, from, err := endLine(fsys, pair, opts, &report)
	if err != nil {
		return nil, 0, report, err
	}
	built, err := buildIndex(fsys, pair, end-from, opts, &report)
	if err != nil {
		return nil, 0, report, err
	}
	if built.End != end {
		// It grew or shrank while the index was built.
		return nil, 0, report, &fs.PathError{Op: "append", Path: pair.Records, Err: ErrForeignWrite}
	}
	if err := settleEntries(fsys, pair.Index, built.Records, from, opts.Perm); err != nil {
		return nil, 0, report, err
	}
	// An editor's save may have put another file in the place of this one, and
	// what is appended to it would be lost with its name.
	if err := fsys.SyncDir(filepath.Dir(pair.Records)); err != nil {
		return nil, 0, report, err
	}
	a, err := openActive(fsys, pair, built.End, built.Records)
	if err == nil {
		a.Vouch(built.End)
	}
	return a, built.Records, report, err
}

// settleEntries makes sure that the disk holds the entries of a bare file's
// index whose records lie behind position from.
func settleEntries(fsys vfs.FS, name string, n uint64, from int64, perm fs.FileMode) error {
	first, err := firstEntry(fsys, name, n, from)
	if err != nil {
		return err
	}
	return settleIndex(fsys, name, int64(first)*index.EntrySize, perm)
}

// endLine gives the last line its newline, and returns the end of the file and
// from where on it was made sure that the disk holds it.
func endLine(fsys vfs.FS, pair Pair, opts BareOptions, report *Report) (end, from int64, err error) {
	f, info, err := openAppend(fsys, pair.Records)
	if err != nil {
		return 0, 0, err
	}
	defer f.Close()
	from = vouched(fsys, f, pair.Index)
	last, err := lastLine(f, info.Size, opts.MaxLine)
	if err != nil {
		return 0, 0, err
	}
	end = info.Size
	if last != nil {
		report.IncompleteTail = !opts.Complete(last)
		if _, err := f.Write([]byte{'\n'}); err != nil {
			return 0, 0, err
		}
		report.NewlineAdded = true
		end++
	}
	// Whoever wrote the lines may not have synced them, and the index that is
	// about to describe them must not be on the disk before they are.
	if err := f.Sync(); err != nil {
		return 0, 0, err
	}
	from = unvouched(from, end, opts.MaxLine)
	return end, from, settle(fsys, f, from, end)
}

// lastLine returns the bytes behind the last newline, at most limit of them;
// nil where there are none.
func lastLine(f vfs.File, size int64, limit int) ([]byte, error) {
	if size == 0 {
		return nil, nil
	}
	start, err := lastLineStart(f, size, size-int64(limit))
	if err != nil || start == size {
		return nil, err
	}
	line := make([]byte, size-start)
	return line, readFull(f, line, start)
}

// lastLineStart searches backwards for the position behind the last newline,
// not further than to lowest.
func lastLineStart(f vfs.File, size, lowest int64) (int64, error) {
	buf := make([]byte, 4096)
	for end := size; end > max(0, lowest); {
		n := min(int64(len(buf)), end)
		if err := readFull(f, buf[:n], end-n); err != nil {
			return 0, err
		}
		for i := n - 1; i >= 0; i-- {
			if buf[i] == '\n' {
				return end - n + i + 1, nil
			}
		}
		end -= n
	}
	return max(0, lowest), nil
}

// buildIndex makes the index of a bare file, or extends it. The entries of the
// last unproven bytes may never have been synced.
func buildIndex(fsys vfs.FS, pair Pair, unproven int64, opts BareOptions, report *Report) (index.Report, error) {
	_, err := fsys.Lstat(pair.Index)
	existed := err == nil
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return index.Report{}, err
	}
	if existed {
		if err := plain(fsys, pair.Index); err != nil {
			return index.Report{}, err
		}
	}
	built, err := index.BuildFile(context.Background(), pair.Records, pair.Index, &index.Options{
		FS: fsys, Progress: opts.Progress, Perm: opts.Perm, Locked: true, Unproven: unproven,
	})
	if err != nil {
		return built, err
	}
	if existed && built.Rebuilt {
		report.IndexRebuilt, report.IndexReason = true, built.Reason
	}
	if built.Extended && !report.NewlineAdded {
		report.Adopted, report.AdoptedFrom = built.Added, built.Records-built.Added
	}
	return built, nil
}
