package partition

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"os"
	"path"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"example.com/jlq/index"
	"example.com/jlq/internal/segment"
	"example.com/jlq/internal/vfs"
)

// put makes the files of a log that hold anything.
func (l crashLog) put(t anyT, recs, idx, meta string) *vfs.Mem {
	fsys := vfs.NewMem()
	write := func(name, content string) {
		f, err := fsys.Open(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		require.NoError(t, err)
		_, err = f.WriteAt([]byte(content), 0)
		require.NoError(t, errors.Join(err, f.Close()))
	}
	if !l.bare {
		require.NoError(t, fsys.Mkdir(l.path, 0o700))
		if meta != "" {
			write(path.Join(l.path, segment.MetaName), meta)
		}
	}
	write(l.pair().Records, recs)
	write(l.pair().Index, idx)
	return fsys
}

// FuzzOpen gives arbitrary bytes as records, index and partition.json. Opening
// never panics. It refuses, and then it changes nothing; or it keeps what was
// promised, sets aside what it cuts, brings the index in order, and a second
// opening finds nothing to do. Reading and verifying never panic, before or
// after, and no reader returns what is not a line.
func FuzzOpen(f *testing.F) {
	const three = "{\"n\":0}\n{\"n\":1}\n{\"n\":2}\n"
	always := `{"format":1,"sync":"always","validate":"strict","batch":64,"start":0,"synced":{"base":0,"position":8}}`
	weak := strings.Replace(always, "always", "os", 1)
	idx := string(newlineIndex(three))
	f.Add(three, idx, always)
	f.Add(three, idx, "")
	f.Add(three+`{"n":`, idx, weak)
	f.Add(three+"\x00\x00\x00\n{}\n", idx, always)
	f.Add(three[:10]+"\x00\x00"+three[12:], idx, always)
	f.Add(three[:10]+"\x00\x00"+three[12:], idx, weak)
	f.Add(three, idx[:21], weak)
	f.Add(three, idx[:16]+strings.Repeat("\x00", 24), always)
	f.Add(three, idx[:16]+strings.Repeat("\xfe", 24), always)
	f.Add(three, idx[8:]+idx[:8], always)
	f.Add(three[:7], idx, weak)
	f.Add("", "", strings.Replace(weak, `"position":8`, `"position":0`, 1))
	f.Fuzz(func(t *testing.T, recs, idx, meta string) {
		// On a false clock, because Verify gives a writer time to catch up.
		synctest.Test(t, func(t *testing.T) { requireOpens(t, trackOpened(t), dirLog, recs, idx, meta) })
	})
}

// FuzzOpenBare is FuzzOpen for a bare file, of which every byte stays.
func FuzzOpenBare(f *testing.F) {
	const lines = "\xef\xbb\xbf{}\r\n\n[1]\n\x00\n"
	f.Add(lines, string(newlineIndex(lines)))
	f.Add(lines+"[2", string(newlineIndex(lines))[:17])
	f.Add(lines, "")
	f.Add("", "\x00\x00\x00\x00\x00\x00\x00\x00")
	f.Add("x", strings.Repeat("\x01", 40))
	f.Fuzz(func(t *testing.T, recs, idx string) {
		synctest.Test(t, func(t *testing.T) { requireOpens(t, trackOpened(t), bareLog, recs, idx, "") })
	})
}

func requireOpens(t anyT, open *opened, l crashLog, recs, idx, meta string) {
	fsys := l.put(t, recs, idx, meta)
	l.requireReadsLines(t, fsys, recs)
	l.verify(t, fsys)
	was := readDisk(t, fsys)
	p, err := open.open(l, fsys, SyncAlways)
	if err != nil {
		requireRefusal(t, err)
		require.Equal(t, was, readDisk(t, fsys), "refused: %v", err)
		return
	}
	now := readDisk(t, fsys)
	kept := now[l.pair().Records]
	what := func() string { return "" }
	if l.bare {
		l.requireBareReport(t, recs, kept, p.Recovery(), what)
	} else {
		l.requireTorn(t, was, now, p.Recovery(), what)
		require.GreaterOrEqual(t, int64(len(kept)), naivePromise(t, recs, idx, meta))
	}
	require.Equal(t, newlineIndex(kept), []byte(now[l.pair().Index]))
	l.requireReadsLines(t, fsys, kept)
	l.verify(t, fsys)
	require.NoError(t, open.close(p))
	l.requireIdempotent(t, fsys)
}

// requireRefusal: an opening that fails says what is wrong with the files.
func requireRefusal(t anyT, err error) {
	_, corrupt := errors.AsType[*CorruptError](err)
	_, away := errors.AsType[*SegmentAwayError](err)
	require.True(t, corrupt || away || errors.Is(err, ErrNewerFormat), "%v", err)
}

func (l crashLog) requireIdempotent(t anyT, fsys vfs.FS) {
	closed := readDisk(t, fsys)
	p := mustOpen(t, l.path, l.options(fsys, SyncAlways))
	require.Equal(t, RecoveryReport{}, p.Recovery())
	require.NoError(t, p.Close())
	require.Equal(t, closed, readDisk(t, fsys))
}

// naivePromise is how much of the records was promised: what was synced; under
// always also the records of the entries that are right from the first one on,
// and what lies further back than one batch.
func naivePromise(t anyT, recs, idx, text string) int64 {
	if text == "" {
		return 0
	}
	var m segment.Meta
	require.NoError(t, json.Unmarshal([]byte(text), &m))
	promise := uint64(m.Synced.Position)
	if m.Sync != "always" {
		return int64(promise)
	}
	if m.Batch > 0 && int64(len(recs)) > m.Batch {
		promise = max(promise, uint64(int64(len(recs))-m.Batch))
	}
	last := uint64(0)
	for i := 0; len(idx) >= index.EntrySize; i++ {
		entry := entryAt([]byte(idx))
		idx = idx[index.EntrySize:]
		if i > 0 && entry <= last || i == 0 && entry != 0 || entry > uint64(len(recs)) || entry > 0 && recs[entry-1] != '\n' {
			break
		}
		last = entry
	}
	return int64(max(promise, last))
}

func entryAt(idx []byte) uint64 { return binary.BigEndian.Uint64(idx) }

// requireReadsLines reads in every way. Errors are fine, and so is nothing at
// all; what comes is a line.
func (l crashLog) requireReadsLines(t anyT, fsys vfs.FS, recs string) {
	r, err := OpenReader(l.path, &Options{FS: fsys})
	if err != nil {
		return
	}
	defer r.Close()
	check := func(data []byte) {
		line := "\n" + string(data)
		if l.bare && strings.HasSuffix("\n"+recs, line) {
			return // the last one may have no newline
		}
		require.Contains(t, "\n"+recs, line+"\n", "%q is not a line", data)
	}
	count := uint64(0)
	for rec, err := range r.Records(0) {
		if err != nil {
			break
		}
		check(rec.Data)
		count++
	}
	for rec, err := range r.Backward(count) {
		if err != nil {
			break
		}
		check(rec.Data)
	}
	for offset := range min(count, 50) + 3 {
		if data, err := r.Get(offset); err == nil {
			check(data)
		}
	}
}

// verify looks for nothing but panics and errors of reading.
func (l crashLog) verify(t anyT, fsys vfs.FS) {
	r, err := OpenReader(l.path, &Options{FS: fsys})
	if err != nil {
		requireRefusal(t, err)
		return
	}
	for _, err := range r.Verify(context.Background()) {
		if err != nil {
			requireRefusal(t, err)
		}
	}
	require.NoError(t, r.Close())
}
