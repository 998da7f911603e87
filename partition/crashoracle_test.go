package partition

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"example.com/jlq/index"
	"example.com/jlq/internal/segment"
	"example.com/jlq/internal/vfs"
)

// anyT is what the tests of package testing and of rapid have in common.
type anyT interface {
	rapid.TB
	Cleanup(func())
}

// promise is what a log owes after a crash: of the records that were sent, in
// this order and not one that was not, at least the first few.
type promise struct {
	sent    []string // by offset
	atLeast int
	torn    string // bytes behind the last record: still there, or set aside
}

// disk is the content of every file, by name.
type disk map[string]string

func readDisk(t anyT, fsys vfs.FS) disk {
	d := disk{}
	if err := d.read(fsys, "/"); err != nil {
		require.NoError(t, err)
	}
	return d
}

func (d disk) read(fsys vfs.FS, dir string) error {
	names, err := fsys.List(dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		name = filepath.Join(dir, name)
		info, err := fsys.Lstat(name)
		if err != nil {
			return err
		}
		if info.Mode.IsDir() {
			err = d.read(fsys, name)
		} else {
			err = d.readFile(fsys, name, info.Size)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (d disk) readFile(fsys vfs.FS, name string, size int64) error {
	f, err := fsys.Open(name, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	data := make([]byte, size)
	if _, err := f.ReadAt(data, 0); err != nil {
		return err
	}
	d[name] = string(data)
	return f.Close()
}

// seen remembers states, so that each is checked once however many ways lead
// to it. It is shared by parallel tests.
type seen struct {
	mu    sync.Mutex
	seeds [2]maphash.Seed
	keys  map[[2]uint64]bool
}

func newSeen() *seen {
	return &seen{seeds: [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}, keys: map[[2]uint64]bool{}}
}

// before reports whether a log of this content was seen with this promise,
// and notes it. kind keeps apart what else makes a difference.
func (s *seen) before(owed promise, kind string, disks ...disk) bool {
	var b []byte
	add := func(text string) { b = append(binary.AppendUvarint(b, uint64(len(text))), text...) }
	for _, d := range disks {
		for _, name := range slices.Sorted(maps.Keys(d)) {
			add(name)
			add(d[name])
		}
		add("")
	}
	add(kind)
	add(fmt.Sprint(owed.atLeast))
	for _, rec := range owed.sent {
		add(rec)
	}
	key := [2]uint64{maphash.Bytes(s.seeds[0], b), maphash.Bytes(s.seeds[1], b)}
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.keys[key]
	s.keys[key] = true
	return old
}

// crashLog is the log whose crashes are tested.
type crashLog struct {
	path   string
	bare   bool
	record int // bytes of the largest record; 0 means crashRecord
	rolls  bool
	limit  uint64 // records of a segment; 0 means no limit
}

var (
	dirLog  = crashLog{path: "/p"}
	rollLog = crashLog{path: "/p", rolls: true}
	bareLog = crashLog{path: "/p.jsonl", bare: true}
)

func (l crashLog) pair() segment.Pair {
	if l.bare {
		return segment.BarePair(l.path)
	}
	return segment.PairAt(l.path, 0)
}

// Records of the crash tests are long enough that a batch of three spans
// sectors, and so short that the bound on a batch is passed by ten.
const (
	crashRecord = 400
	crashBatch  = 1200
)

func (l crashLog) options(fsys vfs.FS, sync SyncMode) *Options {
	return &Options{FS: fsys, Sync: sync, MaxRecordBytes: cmp.Or(l.record, crashRecord), batch: crashBatch, SegmentRecords: l.limit}
}

// crashRec is a record that nobody sent before: gen counts the openings, so
// that a record which a power loss took and one that got its offset later
// differ. Their lengths do, too.
func crashRec(offset, gen int) string {
	return fmt.Sprintf(`{"n":%d,"gen":%d,"pad":"%s"}`, offset, gen, strings.Repeat("x", (offset*53+gen*29)%300))
}

// requireSurvived opens what a crash left and holds it against what is owed.
// It goes on with it: appends, loses power, opens again, closes, and opens
// again. It returns the records that the crash left.
func (l crashLog) requireSurvived(t anyT, open *opened, after *vfs.Mem, owed promise, sync SyncMode, what func() string) []string {
	if l.rolls {
		return l.requireRolled(t, open, after, owed, sync, what)
	}
	was := readDisk(t, after)
	p := open.must(t, l, after, sync, what)
	now := readDisk(t, after)
	l.requireSyncedIndex(t, was, what)
	lines := l.requireFiles(t, was, now, p.Recovery(), what)
	l.requireOwed(t, lines, owed, what)
	l.requireSaved(t, now, owed.torn, what)
	require.Equal(t, uint64(len(lines)), p.Durable(), "%s: what was opened is on the disk", lazy(what))
	l.requireReads(t, after, lines, what)

	next := crashRec(len(lines), 99)
	offset, err := p.Append([]byte(next))
	require.NoError(t, err, "%s", lazy(what))
	require.Equal(t, uint64(len(lines)), offset, "%s", lazy(what))
	owed = promise{append(slices.Clone(lines), next), len(lines), l.onDisk(was, lines).torn}
	if sync == SyncAlways {
		owed.atLeast++
	}
	again := after.Crash(vfs.CrashConfig{})
	open.drop(p)
	l.requireStable(t, open, again, owed, sync, what)
	return lines
}

// requireStable opens what a second power loss left, closes it, and opens it
// again: now there is nothing to recover.
func (l crashLog) requireStable(t anyT, open *opened, again *vfs.Mem, owed promise, sync SyncMode, what func() string) {
	was := readDisk(t, again)
	l.requireSyncedIndex(t, was, what)
	l.requireSaved(t, was, owed.torn, what)
	p := open.must(t, l, again, sync, what)
	lines := l.requireFiles(t, was, readDisk(t, again), p.Recovery(), what)
	require.GreaterOrEqual(t, len(lines), owed.atLeast, "second power loss: %s", lazy(what))
	requireLines(t, owed.sent[:len(lines)], lines, what)
	require.NoError(t, open.close(p), "%s", lazy(what))

	closed := readDisk(t, again)
	p = open.must(t, l, again, sync, what)
	require.Equal(t, RecoveryReport{}, p.Recovery(), "%s", lazy(what))
	require.NoError(t, open.close(p), "%s", lazy(what))
	require.Equal(t, closed, readDisk(t, again), "%s", lazy(what))
}

// onDisk is what a log owes whose lines are on the disk: no crash within
// recovery takes any of them away. Of a bare file the last may still lack its
// newline.
func (l crashLog) onDisk(left disk, lines []string) promise {
	if l.rolls {
		return promise{sent: lines, atLeast: len(lines)}
	}
	recs := left[l.pair().Records]
	if l.bare {
		return promise{sent: lines, atLeast: strings.Count(recs, "\n")}
	}
	kept := 0
	for _, line := range lines {
		kept += len(line) + 1
	}
	return promise{lines, len(lines), recs[kept:]}
}

// requireSaved: torn bytes that are not in the records file any more are in a
// file of their own.
func (l crashLog) requireSaved(t anyT, now disk, torn string, what func() string) {
	if torn == "" || l.bare {
		return
	}
	for name, content := range now {
		if strings.Contains(name, ".torn-") && content == torn {
			return
		}
	}
	require.Fail(t, "torn bytes are lost", "%s\n%q", lazy(what), torn)
}

// requireSyncedIndex: the index is on the disk before partition.json says that
// the records it describes are. Without that no record is lost, but a recovery
// would cost as much as the log is long.
func (l crashLog) requireSyncedIndex(t anyT, left disk, what func() string) {
	meta, err := l.meta(left)
	require.NoError(t, err, "%s", lazy(what))
	recs := left[l.pair().Records][:meta.Synced.Position]
	require.True(t, strings.HasPrefix(left[l.pair().Index], string(newlineIndex(recs))) || recs == "", "index below what was synced: %s", lazy(what))
}

// meta is partition.json, if there is one.
func (l crashLog) meta(left disk) (m segment.Meta, err error) {
	if text, ok := left[filepath.Join(l.path, segment.MetaName)]; ok {
		err = json.Unmarshal([]byte(text), &m)
	}
	return m, err
}

// requireReads reads the log as another process does, whatever the size of
// its records.
func (l crashLog) requireReads(t anyT, fsys vfs.FS, lines []string, what func() string) {
	r, err := OpenReader(l.path, &Options{FS: fsys})
	require.NoError(t, err, "%s", lazy(what))
	requireLines(t, lines, read(t, r, 0), what)
	require.NoError(t, r.Close(), "%s", lazy(what))
}

// requireOwed: what must be there is, in order, and nothing that was not
// sent. In a bare file nothing is cut, so what a power loss left behind the
// promise stays, whatever it is.
func (l crashLog) requireOwed(t anyT, lines []string, owed promise, what func() string) {
	require.GreaterOrEqual(t, len(lines), owed.atLeast, "a promised record is lost: %s", lazy(what))
	if l.bare {
		requireLines(t, owed.sent[:owed.atLeast], lines[:owed.atLeast], what)
		return
	}
	require.LessOrEqual(t, len(lines), len(owed.sent), "invented: %s", lazy(what))
	requireLines(t, owed.sent[:len(lines)], lines, what)
}

// requireFiles compares the files before and after recovery: the records are
// what they were, or their beginning; what was cut lies in a file of its own;
// the index is what the newlines say; and the report tells just that. It
// returns the lines.
func (l crashLog) requireFiles(t anyT, was, now disk, r RecoveryReport, what func() string) []string {
	l.requireIndexReport(t, was[l.pair().Index], now[l.pair().Records], r, what)
	for name := range was {
		_, there := now[name]
		temporary := strings.HasPrefix(filepath.Base(name), segment.MetaName+".tmp-") // what a killed replacement left
		require.True(t, there || temporary, "%s is gone: %s", name, lazy(what))
	}
	return l.requireRecords(t, was, now, r, what)
}

// requireRecords is requireFiles but for what is said of the index.
func (l crashLog) requireRecords(t anyT, was, now disk, r RecoveryReport, what func() string) []string {
	pair := l.pair()
	recs := now[pair.Records]
	if l.bare {
		l.requireBareReport(t, was[pair.Records], recs, r, what)
	} else {
		l.requireTorn(t, was, now, r, what)
	}
	require.True(t, recs == "" || strings.HasSuffix(recs, "\n"), "%s", lazy(what))
	require.Equal(t, newlineIndex(recs), []byte(now[pair.Index]), "%s", lazy(what))
	if recs == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(recs, "\n"), "\n")
}

func (l crashLog) requireTorn(t anyT, was, now disk, r RecoveryReport, what func() string) {
	before, after := was[l.pair().Records], now[l.pair().Records]
	require.True(t, strings.HasPrefix(before, after), "recovery changed records: %s", lazy(what))
	torn := before[len(after):]
	require.Equal(t, int64(len(torn)), r.TornBytes, "%s", lazy(what))
	if torn == "" {
		require.Empty(t, r.TornPath, "%s", lazy(what))
		return
	}
	require.True(t, strings.HasPrefix(r.TornPath, fmt.Sprintf("%s/00000000000000000000.torn-%d", l.path, len(after))), "%s", lazy(what))
	require.Equal(t, torn, now[r.TornPath], "the torn bytes were not saved: %s", lazy(what))
	require.NotEmpty(t, r.TornWhy, "%s", lazy(what))
}

func (l crashLog) requireBareReport(t anyT, before, after string, r RecoveryReport, what func() string) {
	open := before != "" && !strings.HasSuffix(before, "\n")
	if open {
		before += "\n"
	}
	require.Equal(t, before, after, "every line of a bare file stays: %s", lazy(what))
	require.Equal(t, open, r.NewlineAdded, "%s", lazy(what))
}

// requireIndexReport works out, from the index before and the records after,
// what recovery must have done, and compares.
func (l crashLog) requireIndexReport(t anyT, idx, recs string, r RecoveryReport, what func() string) {
	if r.Adopted > 0 {
		require.Equal(t, uint64(strings.Count(recs, "\n")), r.AdoptedFrom+r.Adopted, "%s", lazy(what))
	}
	want := l.wantReport(idx, recs, r)
	got := RecoveryReport{IndexRebuilt: r.IndexRebuilt, Adopted: r.Adopted, ZeroEntries: r.ZeroEntries, LostFrom: r.LostFrom, LostTo: r.LostTo}
	if want != got {
		require.Fail(t, "the report is not what happened", "%s\nwant %+v\ngot  %+v\nindex %x", lazy(what), want, got, idx)
	}
}

// wantReport is what is to be said of the index.
func (l crashLog) wantReport(idx, recs string, r RecoveryReport) (want RecoveryReport) {
	good := string(newlineIndex(recs))
	records := uint64(strings.Count(recs, "\n"))
	idx = idx[:len(idx)/index.EntrySize*index.EntrySize]
	zeros := uint64(0)
	if !l.bare {
		for ; len(idx) > index.EntrySize && strings.HasSuffix(idx, "\x00\x00\x00\x00\x00\x00\x00\x00"); zeros++ {
			idx = idx[:len(idx)-index.EntrySize]
		}
	}
	claimed := index.Count(int64(len(idx)))
	agrees := strings.HasPrefix(good, idx) || strings.HasPrefix(idx, good) && idx[len(idx)-index.EntrySize:] > good[len(good)-index.EntrySize:]
	switch {
	case l.bare && (idx == "" || !strings.HasPrefix(good, idx) || r.NewlineAdded):
		// It is built anew, or a missing one is built, or the line that has
		// its newline now is not an adopted one. All the same to the user.
		return RecoveryReport{IndexRebuilt: r.IndexRebuilt, Adopted: r.Adopted}
	case idx == "" && recs == "":
	case idx == "":
		want.IndexRebuilt = true
	case !agrees:
		want.IndexRebuilt = true
	case claimed > records:
		want.LostFrom, want.LostTo = records, claimed
		want.ZeroEntries = zeros
	default:
		want.Adopted = records - claimed
		want.ZeroEntries = zeros
	}
	return want
}

// newlineIndex is the index that recs must have.
func newlineIndex(recs string) []byte {
	idx := index.AppendEntry(nil, 0)
	for i := range len(recs) {
		if recs[i] == '\n' {
			idx = index.AppendEntry(idx, int64(i+1))
		}
	}
	return idx
}

func requireLines(t anyT, want, got []string, what func() string) {
	if !slices.Equal(want, got) {
		require.Fail(t, "other records than were sent", "%s\nsent: %q\nthere: %q", lazy(what), want, got)
	}
}

// lazy is a text that is made when it is printed.
type lazy func() string

func (l lazy) String() string { return l() }

// opened are the partitions that are open: a test that fails must close them,
// or their goroutines would keep its bubble from ending.
type opened struct{ all map[*Partition]bool }

func trackOpened(t anyT) *opened {
	o := &opened{all: map[*Partition]bool{}}
	t.Cleanup(func() {
		for p := range o.all {
			o.drop(p)
		}
	})
	return o
}

func (o *opened) open(l crashLog, fsys vfs.FS, sync SyncMode) (*Partition, error) {
	p, err := Open(l.path, l.options(fsys, sync))
	if err == nil {
		o.all[p] = true
	}
	return p, err
}

// must opens what a crash left: that never fails.
func (o *opened) must(t anyT, l crashLog, fsys vfs.FS, sync SyncMode, what func() string) *Partition {
	p, err := o.open(l, fsys, sync)
	require.NoError(t, err, "opening after a crash: %s", lazy(what))
	return p
}

func (o *opened) close(p *Partition) error {
	delete(o.all, p)
	return p.Close()
}

// drop ends a writer whose file system is dead.
func (o *opened) drop(p *Partition) {
	if err := o.close(p); err != nil && !errors.Is(err, vfs.ErrCrashed) && !errors.Is(err, errClosed) {
		panic(err)
	}
}
