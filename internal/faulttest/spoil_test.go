package faulttest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"example.com/jlq/internal/segment"
	"example.com/jlq/internal/vfs"
	"example.com/jlq/partition"
)

const tornTail = `{"s":"torn","n":`

// left makes what a crash left of a log: four records that were there, and
// what spoil does to the files then.
func left(log string, sync partition.SyncMode, spoil func(path string, a *account) error) func(string) (*account, error) {
	return func(dir string) (*account, error) {
		path := filepath.Join(dir, log)
		p, err := partition.Open(path, &partition.Options{Sync: sync})
		if err != nil {
			return nil, err
		}
		a := &account{}
		prior := newSource("prior")
		for n := range 4 {
			_, appendErr := p.Append([]byte(prior.record(n)))
			a.prior = append(a.prior, prior.record(n))
			err = errors.Join(err, appendErr)
		}
		return a, errors.Join(err, p.Close(), spoil(path, a))
	}
}

// leftRolled makes what a crash left of a log of three segments of three
// records.
func leftRolled(spoil func(path string, a *account) error) func(string) (*account, error) {
	return func(dir string) (*account, error) {
		path := filepath.Join(dir, "p")
		p, err := partition.Open(path, &partition.Options{SegmentRecords: 3})
		if err != nil {
			return nil, err
		}
		a, prior := &account{}, newSource("prior")
		for n := range 9 {
			_, appendErr := p.Append([]byte(prior.record(n)))
			a.prior = append(a.prior, prior.record(n))
			err = errors.Join(err, appendErr)
		}
		return a, errors.Join(err, p.Close(), spoil(path, a))
	}
}

// halfTrimmed leaves what a trim before record 6 was killed at: the log begins
// there, and of the first segment the records are gone already.
func halfTrimmed(path string, a *account) error {
	a.keep = 1
	for i := range 6 {
		a.prior[i] = dropped
	}
	meta, _, err := segment.ReadMeta(vfs.OS, path)
	meta = meta.Drops(0, 6)
	return errors.Join(err, segment.WriteMeta(vfs.OS, path, meta, 0o600), os.Remove(pairOf(path).Records))
}

// extend appends bytes to a file, as a crash leaves them.
func extend(name string, more []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(more)
	return errors.Join(err, f.Close())
}

// linesBehind adds two whole lines that no index entry describes.
func linesBehind(path string, a *account) error {
	more := []string{newSource("behind").record(0), newSource("behind").record(1)}
	a.prior = append(a.prior, more...)
	return extend(pairOf(path).Records, []byte(strings.Join(more, "\n")+"\n"))
}

// tornBehind leaves lines behind the index, a torn tail behind them, and half
// an index entry.
func tornBehind(path string, a *account) error {
	a.torn = tornTail
	return errors.Join(
		linesBehind(path, a),
		extend(pairOf(path).Records, []byte(tornTail)),
		extend(pairOf(path).Index, []byte{0, 0, 0}),
	)
}

// wrongEntries leaves lines behind the promise and entries that are not
// theirs.
func wrongEntries(path string, a *account) error {
	a.unread = true
	entries := binary.BigEndian.AppendUint64(nil, 170)
	entries = binary.BigEndian.AppendUint64(entries, 1<<40)
	return errors.Join(linesBehind(path, a), extend(pairOf(path).Index, entries))
}

// noPromise leaves tornBehind without a partition.json.
func noPromise(path string, a *account) error {
	return errors.Join(tornBehind(path, a), os.Remove(filepath.Join(path, "partition.json")))
}

// noIndex leaves a log whose index was lost.
func noIndex(path string, a *account) error {
	a.unread = true
	return errors.Join(linesBehind(path, a), os.Remove(pairOf(path).Index))
}

// noNewline leaves the last line of a bare file without its newline. It stays,
// as it is.
func noNewline(path string, a *account) error {
	last := newSource("last").record(0)
	a.prior = append(a.prior, last)
	return extend(path, []byte(last))
}

// nextPair is the pair that a roll of the log would make.
func nextPair(path string, a *account) segment.Pair {
	return segment.PairAt(path, uint64(len(a.prior)))
}

// halfRolled leaves what a roll makes first: the index, with entry 0.
func halfRolled(path string, a *account) error {
	return os.WriteFile(nextPair(path, a).Index, make([]byte, 8), 0o600)
}

// emptyRolled leaves an empty pair that partition.json does not name yet.
func emptyRolled(path string, a *account) error {
	return errors.Join(halfRolled(path, a), os.WriteFile(nextPair(path, a).Records, nil, 0o600))
}

// widowRolled leaves the records file of such a pair, without its index.
func widowRolled(path string, a *account) error {
	return os.WriteFile(nextPair(path, a).Records, nil, 0o600)
}

// unspoilt leaves a log as its writer closed it.
func unspoilt(string, *account) error { return nil }

// contents are names, modes, times and bytes of all files.
func contents(dir string) ([]byte, error) {
	var all []byte
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		all = fmt.Appendf(all, "%s %v %v %d\n", path, info.Mode(), info.ModTime(), info.Size())
		if !d.Type().IsRegular() {
			return nil
		}
		text, err := os.ReadFile(path)
		all = append(all, text...)
		return err
	})
	return all, err
}
