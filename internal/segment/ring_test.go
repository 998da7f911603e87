package segment

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// ringLine is what a test knows of a line: its segment, its position there and
// its bytes.
type ringLine struct {
	base     uint64
	position int64
	text     []byte
}

// lineOf makes a line of that many bytes that differs from those before it.
func lineOf(offset uint64, size int) []byte {
	line := make([]byte, size)
	for i := range size - 1 {
		line[i] = byte('a' + (offset*7+uint64(i))%26)
	}
	line[size-1] = '\n'
	return line
}

// ringModel appends to a Live as a writer does, and remembers all lines.
type ringModel struct {
	live  *Live
	lines []ringLine
	end   int64
}

func newRingModel(bound int) *ringModel {
	m := &ringModel{live: NewLive(0, 0, 0)}
	m.live.KeepTail(bound)
	return m
}

// batch makes lines of these sizes and remembers them.
func (m *ringModel) batch(sizes []int) (ends []int64, text []byte) {
	for _, size := range sizes {
		line := lineOf(uint64(len(m.lines)), size)
		m.lines = append(m.lines, ringLine{m.live.Base(), m.end, line})
		m.end += int64(size)
		ends, text = append(ends, m.end), append(text, line...)
	}
	return ends, text
}

// extend appends lines that are in the file: encoded where they will lie, or
// elsewhere, as those that share an fdatasync are, and then room is not asked for.
func (m *ringModel) extend(sizes []int, inPlace bool) {
	ends, text := m.batch(sizes)
	if inPlace {
		text = append(m.live.Room(int64(len(text)), len(ends)), text...)
	}
	m.live.Extend(ends, text)
}

// buffer appends lines that are not in the file yet, where they fit.
func (m *ringModel) buffer(sizes []int) {
	ends, text := m.batch(sizes)
	room := m.live.Room(int64(len(text)), len(ends))
	if room == nil {
		m.flush()
		if room = m.live.Room(int64(len(text)), len(ends)); room == nil {
			m.live.Extend(ends, text)
			return
		}
	}
	m.live.Buffer(ends, append(room, text...))
}

// flush returns what was written.
func (m *ringModel) flush() (text []byte) {
	for lines := m.live.Buffered(); len(lines) > 0; lines = m.live.Buffered() {
		text = append(text, lines...)
		m.live.Flushed()
	}
	return text
}

func (m *ringModel) roll() {
	m.flush()
	m.live.SetPublished(len(m.live.Pending()))
	m.live.Roll()
	m.end = 0
}

// check compares what is held around offset with what was appended.
func (m *ringModel) check(t require.TestingT, offset uint64) (held bool) {
	h, ok := m.live.Hold(offset)
	if !ok {
		return false
	}
	defer h.Release()
	to := h.Ahead(offset, m.live.Next(), 500)
	m.compare(t, h, offset, to)
	m.compare(t, h, h.Behind(offset+1, 500), offset+1)
	require.Equal(t, m.lines[offset].text[:len(m.lines[offset].text)-1], h.Line(offset))
	return true
}

func (m *ringModel) holds(offset uint64) bool {
	h, ok := m.live.Hold(offset)
	if ok {
		h.Release()
	}
	return ok
}

func (m *ringModel) compare(t require.TestingT, h Held, from, to uint64) {
	require.Less(t, from, to)
	posts := make([]int64, to-from+1)
	dst := make([]byte, h.Size(from, to))
	h.Copy(dst, posts, from)
	require.LessOrEqual(t, len(dst), max(500, len(m.lines[from].text)), "one line, or as many as were asked for")
	at := 0
	for i := from; i < to; i++ {
		want := m.lines[i]
		require.Equal(t, want.base, h.Base())
		require.Equal(t, want.position, posts[i-from])
		require.Equal(t, want.position, h.Position(i))
		require.Equal(t, want.position+int64(len(want.text)), posts[i-from+1])
		require.Equal(t, string(want.text), string(dst[at:at+len(want.text)]))
		at += len(want.text)
	}
}

// TestRingModel appends lines of all sizes in several ways, over rolls, and
// finds in the ring what was appended, never anything else; and there always
// what is not written, and the last line where there is memory for it.
func TestRingModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bound := rapid.SampledFrom([]int{0, 100, 3000, 40_000, 1 << 20}).Draw(t, "bound")
		m := newRingModel(bound)
		size := rapid.OneOf(rapid.IntRange(1, 12), rapid.IntRange(1, 400), rapid.IntRange(1, 20_000))
		sizes := rapid.SliceOfN(size, 1, 20)
		waiting, given := 0, false // given: room was made and not used
		t.Repeat(map[string]func(*rapid.T){
			"extend": func(t *rapid.T) {
				m.flush()
				m.extend(sizes.Draw(t, "sizes"), rapid.Bool().Draw(t, "in place"))
				given = false
			},
			"buffer": func(t *rapid.T) {
				m.buffer(sizes.Draw(t, "sizes"))
				given = false
			},
			"flush": func(*rapid.T) { m.flush() },
			"roll":  func(*rapid.T) { m.roll() },
			"room given back": func(t *rapid.T) {
				m.live.Room(int64(size.Draw(t, "size")), 1)
				given = true
			},
			"": func(t *rapid.T) {
				waiting = 0
				next := m.live.Next()
				require.Equal(t, uint64(len(m.lines)), next)
				require.LessOrEqual(t, m.live.Written(), next)
				for i := m.live.Written(); i < next; i++ {
					require.True(t, m.check(t, i), "line %d is not written", i)
					waiting += len(m.lines[i].text)
				}
				require.Equal(t, waiting, m.live.Unwritten())
				held, most := m.live.Tail()
				require.Equal(t, int64(bound), most)
				require.LessOrEqual(t, held, most)
				require.GreaterOrEqual(t, held, int64(0))
				if next > 0 {
					last := m.check(t, next-1)
					fits := 5*len(m.lines[next-1].text) <= bound/2
					require.True(t, last || !fits || given, "the last line is not held")
					m.check(t, rapid.Uint64Range(0, next-1).Draw(t, "offset"))
				}
				require.False(t, m.check(t, next))
			},
		})
	})
}

// TestRingFlush writes what waits, each byte once and in order.
func TestRingFlush(t *testing.T) {
	m := newRingModel(1 << 20)
	for range 3000 {
		m.buffer([]int{100, 1, 7})
	}
	var want []byte
	for _, line := range m.lines {
		want = append(want, line.text...)
	}
	require.Equal(t, len(want), m.live.Unwritten())
	require.Equal(t, string(want), string(m.flush()))
	require.Zero(t, m.live.Unwritten())
	require.Equal(t, m.live.Next(), m.live.Written())
}

// TestRingKeeps: what was appended last is there up to most of the bound, and
// what came before is not.
func TestRingKeeps(t *testing.T) {
	const bound = 1 << 20
	for _, size := range []int{2, 16, 100, 5000, 100_000} {
		m := newRingModel(bound)
		for total := 0; total < 4*bound; total += size {
			m.extend([]int{size}, true)
		}
		kept := 0
		for offset := m.live.Next(); offset > 0 && m.holds(offset-1); offset-- {
			kept += size
		}
		require.Less(t, kept, bound)
		// A line of less than 16 bytes takes 4 + 16 bytes of the bound.
		require.Greater(t, kept, bound/2*min(size, 16)/16, "lines of %d bytes", size)
		require.False(t, m.check(t, 0))
	}
}

// TestRingLargeBatch keeps the end of a batch that is larger than the ring.
func TestRingLargeBatch(t *testing.T) {
	m := newRingModel(64 << 10)
	sizes := make([]int, 2000)
	for i := range sizes {
		sizes[i] = 100
	}
	m.extend(sizes, true)
	next := m.live.Next()
	require.True(t, m.check(t, next-1))
	require.True(t, m.check(t, next-50))
	require.False(t, m.check(t, 0))
	m.extend([]int{1 << 20}, true) // alone larger than the ring
	require.False(t, m.check(t, next))
	m.extend([]int{100}, true)
	require.True(t, m.check(t, next+1), "behind what is not kept the ring begins anew")
	require.False(t, m.check(t, next))
}

// TestRingHeld: what is held stays, however much comes after it, and its memory
// is used again only when it was released.
func TestRingHeld(t *testing.T) {
	m := newRingModel(64 << 10)
	m.extend([]int{100, 100}, true)
	for range 20 {
		h, ok := m.live.Hold(m.live.Next() - 1)
		require.True(t, ok)
		offset := m.live.Next() - 1
		for range 3000 {
			m.extend([]int{100}, true)
		}
		require.False(t, m.check(t, offset), "it has left the ring")
		m.compare(t, h, offset, offset+1)
		h.Release()
	}
}

// TestRingPinLate: a chunk that was used again before it was pinned is not
// taken for what it was.
func TestRingPinLate(t *testing.T) {
	m := newRingModel(64 << 10)
	m.extend([]int{100}, true)
	number := m.live.ring.newest.Load()
	c := m.live.ring.slots[number%ringSlots].Load()
	require.True(t, c.pin(number))
	c.pins.Add(-1)
	for m.check(t, 0) {
		m.extend([]int{1000}, true)
	}
	require.False(t, c.pin(number))
	require.Zero(t, c.pins.Load())
}

// TestRingConcurrent reads while lines come, in the ring and out of it.
func TestRingConcurrent(t *testing.T) {
	const total = 60_000
	for _, bound := range []int{2000, 64 << 10} {
		live := NewLive(0, 0, 0)
		live.KeepTail(bound)
		var readers sync.WaitGroup
		for range 3 {
			readers.Go(func() {
				for live.Next() < total {
					readRing(t, live)
				}
			})
		}
		end := int64(0)
		for offset := uint64(0); offset < total; offset++ {
			line := lineOf(offset, int(1+offset%90))
			end += int64(len(line))
			live.Extend([]int64{end}, append(live.Room(int64(len(line)), 1), line...))
			live.SetPublished(1)
		}
		readers.Wait()
	}
}

// readRing compares a run of lines near the end with what they must be.
func readRing(t *testing.T, live *Live) {
	next := live.Next()
	from := next - min(next, 1+next%40)
	h, ok := live.Hold(from)
	if !ok {
		return
	}
	defer h.Release()
	to := h.Ahead(from, next, 4000)
	dst, posts := make([]byte, h.Size(from, to)), make([]int64, to-from+1)
	h.Copy(dst, posts, from)
	for i := from; i < to; i++ {
		got := dst[posts[i-from]-posts[0] : posts[i-from+1]-posts[0]]
		if want := lineOf(i, int(1+i%90)); string(got) != string(want) {
			t.Errorf("line %d is %q, not %q", i, got, want)
		}
	}
}
