package partition

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"example.com/jlq/internal/vfs"
	"example.com/jlq/reader"
)

// TestFollowersReadNoFile: three followers that have caught up read and open
// nothing while the writer appends, alone or in batches, over rolls too.
func TestFollowersReadNoFile(t *testing.T) {
	for _, mode := range syncModes {
		for _, records := range []uint64{0, 100} {
			t.Run(fmt.Sprint(mode, records), func(t *testing.T) {
				fsys := vfs.NewFault(vfs.NewMem(), nil)
				p := mustOpen(t, "p", &Options{FS: fsys, Sync: mode, SegmentRecords: records})
				defer p.Close()
				f := followers(t, p, 3)
				for i := range 50 {
					require.NoError(t, appendRun(p, i, 1))
				}
				f.wait(50)
				before, ops := p.Stats().Read, len(fsys.Ops())
				for i := 50; i < 1000; i += 10 {
					require.NoError(t, appendRun(p, i, 1))
					require.NoError(t, appendRun(p, i+1, 9))
					f.wait(uint64(i + 10))
				}
				after := p.Stats().Read
				for _, op := range fsys.Ops()[ops:] {
					require.False(t, op.Kind == vfs.OpReadAt && strings.Contains(op.Path, "0000"), "%v", op)
				}
				require.Equal(t, before.Disk, after.Disk)
				require.Equal(t, before.Opens, after.Opens)
				require.Equal(t, after.Bytes-before.Bytes, after.Tail.Bytes-before.Tail.Bytes)
				require.Positive(t, after.Tail.Reads)
				require.Positive(t, after.TailHeld)
				require.LessOrEqual(t, after.TailHeld, after.TailBound)
				f.end(t)
			})
		}
	}
}

func appendRun(p *Partition, from, n int) error {
	var data [][]byte
	for i := range n {
		data = append(data, line(from+i))
	}
	_, err := p.AppendBatch(data)
	return err
}

// following are goroutines that follow a log of line(0), line(1) and so on.
type following struct {
	stop context.CancelCauseFunc
	all  sync.WaitGroup
	mu   sync.Mutex
	more sync.Cond
	next []uint64
	errs []error
}

func followers(t *testing.T, p *Partition, n int) *following {
	ctx, stop := context.WithCancelCause(t.Context())
	f := &following{stop: stop, next: make([]uint64, n), errs: make([]error, n)}
	f.more.L = &f.mu
	for i := range n {
		f.all.Go(func() { f.follow(ctx, p, i) })
	}
	return f
}

func (f *following) follow(ctx context.Context, p *Partition, i int) {
	next := uint64(0)
	for rec, err := range p.Follow(ctx, 0) {
		if err == nil && (rec.Offset != next || string(rec.Data) != string(line(int(next)))) {
			err = fmt.Errorf("record %d is %d, %s", next, rec.Offset, rec.Data)
		}
		next++
		f.mu.Lock()
		f.next[i], f.errs[i] = next, err
		f.more.Broadcast()
		f.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// wait returns when everyone has the records below next.
func (f *following) wait(next uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range f.next {
		for f.next[i] < next && f.errs[i] == nil {
			f.more.Wait()
		}
	}
}

func (f *following) end(t *testing.T) {
	f.stop(errEnough)
	f.all.Wait()
	for _, err := range f.errs {
		require.ErrorIs(t, err, errEnough)
	}
}

// TestTailCacheOff: without memory for them, records are read from the files,
// and SyncBuffered keeps what is not written all the same.
func TestTailCacheOff(t *testing.T) {
	for _, mode := range syncModes {
		t.Run(mode.String(), func(t *testing.T) {
			p := mustOpen(t, "p", &Options{FS: vfs.NewMem(), Sync: mode, TailCache: -1, SegmentRecords: 7})
			defer p.Close()
			for i := range 100 {
				require.NoError(t, appendRun(p, i, 1))
				got, err := p.Get(uint64(i))
				require.NoError(t, err)
				require.Equal(t, string(line(i)), string(got))
			}
			requireNumbered(t, p, 100)
			if mode != SyncBuffered {
				require.Zero(t, p.Stats().Read.TailHeld)
				require.Zero(t, p.Stats().Read.Tail)
			}
		})
	}
}

// TestTailAfterPoison: what was accepted before the writer was poisoned is
// still read, and nothing of what failed is.
func TestTailAfterPoison(t *testing.T) {
	for _, mode := range syncModes {
		t.Run(mode.String(), func(t *testing.T) {
			broken := false
			fsys := vfs.NewFault(vfs.NewMem(), func(op vfs.Op) error {
				switch {
				case broken && op.Kind == vfs.OpWrite:
					return vfs.ShortWrite{N: 3, Err: errEnough}
				case broken && op.Kind == vfs.OpTruncate:
					return errEnough
				}
				return nil
			})
			p := mustOpen(t, "p", &Options{FS: fsys, Sync: mode})
			require.NoError(t, appendRun(p, 0, 20))
			require.NoError(t, p.Sync())
			broken = true
			err := appendRun(p, 20, 5)
			require.Error(t, errors.Join(err, p.Sync()))
			next := 20
			if err == nil {
				next = 25 // SyncBuffered had promised nothing more than that
			}
			requireNumbered(t, p, next)
			require.Equal(t, mode == SyncBuffered, err == nil)
			require.ErrorIs(t, p.Close(), errEnough)
		})
	}
}

// TestTailAfterTrim: what was dropped is gone, also where the lines are still in
// memory; what was kept is read from there.
func TestTailAfterTrim(t *testing.T) {
	for _, mode := range syncModes {
		t.Run(mode.String(), func(t *testing.T) {
			fsys := vfs.NewFault(vfs.NewMem(), nil)
			p := mustOpen(t, "p", &Options{FS: fsys, Sync: mode, SegmentRecords: 10})
			appendLines(t, p, 0, 25)
			held, ok := p.live.Hold(3)
			require.True(t, ok, "it is in memory")
			held.Release()
			require.NoError(t, p.Trim(20))
			held, ok = p.live.Hold(3)
			require.True(t, ok, "it still is")
			held.Release()
			for _, offset := range []uint64{0, 3, 9, 10, 19} {
				_, err := p.Get(offset)
				requireGone(t, err, offset, 20, 25)
				_, err = p.GetInto(make([]byte, 64), offset)
				requireGone(t, err, offset, 20, 25)
				_, err = p.Reader(offset).Next()
				requireGone(t, err, offset, 20, 25)
				_, _, _, err = p.Log().Locate(offset)
				requireGone(t, err, offset, 20, 25)
				for _, err := range p.Records(offset) {
					requireGone(t, err, offset, 20, 25)
				}
				for _, err := range p.Follow(t.Context(), offset) {
					requireGone(t, err, offset, 20, 25)
				}
			}
			before := len(fsys.Ops())
			want := uint64(25)
			for rec, err := range p.Backward(25) {
				require.NoError(t, err)
				want--
				require.Equal(t, want, rec.Offset)
			}
			require.EqualValues(t, 20, want)
			for offset := uint64(20); offset < 25; offset++ {
				got, err := p.Get(offset)
				require.NoError(t, err)
				require.Equal(t, string(line(int(offset))), string(got))
			}
			for _, op := range fsys.Ops()[before:] {
				require.NotEqual(t, vfs.OpReadAt, op.Kind, "%v", op)
			}
			require.NoError(t, p.Close())
		})
	}
}

// TestTailModel appends records of all sizes, rolls, trims, by hand and by
// limits, opens again and kills, and reads at random places in every way; memory
// and files give what was appended, and of what was dropped nothing.
func TestTailModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &tailModel{mem: vfs.NewMem(), opts: Options{
			Validate:       Frame,
			TailCache:      rapid.SampledFrom([]int{-1, 500, 20_000, 0}).Draw(t, "tail"),
			SegmentRecords: rapid.SampledFrom([]uint64{0, 9, 40}).Draw(t, "records"),
			SegmentBytes:   rapid.SampledFrom([]int64{0, 0, 30_000}).Draw(t, "bytes"),
			Retention: Retention{
				MaxRecords:  rapid.SampledFrom([]uint64{0, 0, 0, 50}).Draw(t, "most records"),
				MaxSegments: rapid.SampledFrom([]int{0, 0, 0, 3}).Draw(t, "most segments"),
				MaxBytes:    rapid.SampledFrom([]int64{0, 0, 0, 100_000}).Draw(t, "most bytes"),
			},
		}}
		m.open(t)
		defer func() { m.p.Close() }()
		t.Repeat(map[string]func(*rapid.T){
			"append": m.append, "stream": m.stream, "get": m.get, "seek": m.seek, "next": m.read,
			"backward": m.backward, "locate": m.locate, "trim": m.trim, "limits": m.limits,
			"roll": func(t *rapid.T) {
				if err := m.p.Roll(); !errors.Is(err, ErrEmptySegment) {
					require.NoError(t, err)
				}
			},
			"sync": func(t *rapid.T) { require.NoError(t, m.p.Sync()) },
			"reopen": func(t *rapid.T) {
				require.NoError(t, m.p.Close())
				m.open(t)
			},
			"kill": m.kill, "power cut": m.powerCut,
		})
	})
}

// tailModel is a partition and what was appended to it.
type tailModel struct {
	mem   *vfs.Mem
	opts  Options
	p     *Partition
	r     *reader.Reader
	at    uint64 // of r
	start uint64 // it was that when it was last looked at
	want  [][]byte
}

func (m *tailModel) open(t *rapid.T) {
	m.opts.FS, m.opts.Sync = m.mem, rapid.SampledFrom(syncModes).Draw(t, "mode")
	p, err := Open("p", &m.opts)
	require.NoError(t, err)
	m.p = p
	m.bounds(t)
	m.r, m.at = p.Reader(m.start), m.start
}

// bounds looks where the log begins. Where nothing is limited, it is where the
// last trim said.
func (m *tailModel) bounds(t *rapid.T) (start uint64) {
	start, next := m.p.Bounds()
	require.Equal(t, uint64(len(m.want)), next)
	require.GreaterOrEqual(t, start, m.start)
	require.True(t, start == m.start || m.opts.Retention.any())
	m.start = start
	return start
}

// gone reports whether a record was dropped; then the error says so. before is
// where the log began before it was asked for.
func (m *tailModel) gone(t *rapid.T, before, offset uint64, err error) bool {
	if err == nil {
		require.GreaterOrEqual(t, offset, before, "it was dropped")
		return false
	}
	out, ok := errors.AsType[*RangeError](err)
	require.True(t, ok, "%v", err)
	require.Equal(t, offset, out.Offset)
	require.Less(t, offset, m.bounds(t))
	return true
}

// kill ends the process where SyncBuffered has written all.
func (m *tailModel) kill(t *rapid.T) {
	if m.opts.Sync == SyncBuffered {
		require.NoError(t, m.p.Sync())
	}
	after := m.mem.Kill()
	m.p.Close()
	m.mem = after
	m.open(t)
}

// powerCut: all that was synced, and where the log began.
func (m *tailModel) powerCut(t *rapid.T) {
	require.NoError(t, m.p.Sync())
	after := m.mem.Crash(vfs.CrashConfig{
		Data:  rapid.SampledFrom(dataLosses).Draw(t, "data"),
		Names: rapid.SampledFrom([]vfs.NameLoss{vfs.NamesLost, vfs.NamesKept, vfs.NamesSubset}).Draw(t, "names"),
		Seed:  rapid.Uint64().Draw(t, "seed"),
	})
	m.p.Close()
	m.mem = after
	m.open(t)
}

func (m *tailModel) trim(t *rapid.T) {
	before := rapid.IntRange(0, len(m.want)).Draw(t, "before")
	plan, err := m.p.ApplyTrim(TrimPolicy{Before: uint64(before)})
	require.NoError(t, err)
	require.LessOrEqual(t, plan.NewStart, max(uint64(before), plan.Start))
	m.start = plan.NewStart
	if before == len(m.want) {
		require.Equal(t, uint64(before), m.bounds(t), "all of it")
	}
	m.bounds(t)
}

// limits makes a round of retention and looks at what is left: as much as the
// limits say, and no segment more.
func (m *tailModel) limits(t *rapid.T) {
	r := m.opts.Retention
	if !r.any() {
		return
	}
	plan, err := m.p.trim(&TrimPolicy{Retention: r}, false)
	require.NoError(t, err)
	start, left := m.bounds(t), remains{}
	for i, s := range slices.Backward(plan.Segments) {
		if s.Action == TrimDrop {
			break
		}
		enough := r.MaxRecords > 0 && left.records >= r.MaxRecords || r.MaxBytes > 0 && left.bytes >= r.MaxBytes ||
			r.MaxSegments > 0 && left.segments >= r.MaxSegments
		require.True(t, !enough || i == len(plan.Segments)-1, "segment %d of %d need not be there", i, len(plan.Segments))
		left.records, left.bytes = left.records+s.Records, left.bytes+s.Bytes
		if s.Records > 0 {
			left.segments++
		}
	}
	require.Equal(t, uint64(len(m.want))-start, left.records)
}

func (m *tailModel) append(t *rapid.T) {
	data := m.lines(t)
	first, err := m.p.AppendBatch(data)
	require.NoError(t, err)
	require.Equal(t, uint64(len(m.want)), first)
	m.want = append(m.want, data...)
}

func (m *tailModel) stream(t *rapid.T) {
	data := m.lines(t)
	text := bytes.Join(data, []byte("\n"))
	n, err := m.p.ReadFrom(bytes.NewReader(text))
	require.NoError(t, err)
	require.EqualValues(t, len(text), n)
	m.want = append(m.want, data...)
}

// lines draws some to append.
func (m *tailModel) lines(t *rapid.T) (data [][]byte) {
	size := rapid.OneOf(rapid.IntRange(1, 20), rapid.IntRange(1, 3000), rapid.IntRange(1, 40_000))
	for i, n := range rapid.SliceOfN(size, 1, 12).Draw(t, "sizes") {
		rec := make([]byte, n)
		for j := range rec {
			rec[j] = byte('a' + (7*(len(m.want)+i)+j)%26)
		}
		data = append(data, rec)
	}
	return data
}

// offset draws one that is there or was, most often one of the last.
func (m *tailModel) offset(t *rapid.T) (offset uint64, ok bool) {
	n := len(m.want)
	if n == 0 {
		return 0, false
	}
	back := rapid.OneOf(rapid.IntRange(1, min(n, 10)), rapid.IntRange(1, n)).Draw(t, "from the end")
	return uint64(n - back), true
}

func (m *tailModel) get(t *rapid.T) {
	offset, ok := m.offset(t)
	if !ok {
		return
	}
	start := m.bounds(t)
	data, err := m.p.Get(offset)
	if !m.gone(t, start, offset, err) {
		require.Equal(t, string(m.want[offset]), string(data))
	}
}

func (m *tailModel) seek(t *rapid.T) {
	offset, ok := m.offset(t)
	if !ok {
		return
	}
	require.NoError(t, m.r.Seek(offset), "whether it was dropped, reading says")
	m.at = offset
}

// read takes some records from the cursor, or all that there are. What it has
// begun to read it may finish after that was dropped.
func (m *tailModel) read(t *rapid.T) {
	for range rapid.IntRange(1, 60).Draw(t, "records") {
		rec, err := m.r.Next()
		if m.at == uint64(len(m.want)) {
			require.Equal(t, io.EOF, err)
			return
		}
		if m.gone(t, 0, m.at, err) {
			m.r, m.at = m.p.Reader(m.start), m.start
			return
		}
		m.compare(t, rec, m.at)
		m.at++
	}
}

func (m *tailModel) compare(t *rapid.T, rec Record, offset uint64) {
	require.Equal(t, offset, rec.Offset)
	require.Equal(t, string(m.want[offset]), string(rec.Data))
	require.Equal(t, len(rec.Data), cap(rec.Data))
}

func (m *tailModel) backward(t *rapid.T) {
	before, ok := m.offset(t)
	if !ok {
		return
	}
	start, at := m.bounds(t), before+1
	for rec, err := range m.p.Backward(at) {
		if err != nil { // it was overtaken
			require.True(t, m.opts.Retention.any(), "%v", err)
			_, out := errors.AsType[*RangeError](err)
			require.True(t, out, "%v", err)
			return
		}
		at--
		m.compare(t, rec, at)
		if at+30 < uint64(len(m.want)) {
			return
		}
	}
	require.GreaterOrEqual(t, at, min(start, before+1))
	require.LessOrEqual(t, at, max(m.bounds(t), start), "it goes on to where the log begins")
}

// locate compares where a record lies with where the files say that it does.
func (m *tailModel) locate(t *rapid.T) {
	offset, ok := m.offset(t)
	if !ok {
		return
	}
	require.NoError(t, m.p.Sync())
	start := m.bounds(t)
	path, position, length, err := m.p.Log().Locate(offset)
	if m.gone(t, start, offset, err) {
		return
	}
	f, err := m.mem.Open(path, 0, 0)
	if errors.Is(err, fs.ErrNotExist) {
		require.Less(t, offset, m.bounds(t))
		return
	}
	require.NoError(t, err)
	defer f.Close()
	got := make([]byte, length+1)
	_, err = f.ReadAt(got, position)
	require.NoError(t, err)
	require.Equal(t, string(m.want[offset])+"\n", string(got))
}
