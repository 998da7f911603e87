package reader

import (
	"bytes"
	"math/bits"
)

// block is a run of whole lines that was read at once, with the fence posts
// between them: line i is the bytes from posts[i] up to posts[i+1], the last of
// which is its newline.
type block struct {
	n     int     // lines; 0: there is no block
	posts []int64 // n+1 positions, increasing
	buf   []byte  // the bytes from position at on
	at    int64   // one below posts[0], or posts[0] where that is 0 or the lines come from memory
	noNUL bool    // a line with a NUL byte does not prove itself
	open  bool    // the last line has no newline, and its post is one beyond the bytes
}

// data returns line i without its newline.
func (b *block) data(i int) []byte {
	start, end := b.posts[i]-b.at, b.posts[i+1]-1-b.at
	return b.buf[start:end:end]
}

// lines returns lines i and following with their newlines, as they are stored.
func (b *block) lines(i int) []byte {
	end := b.posts[b.n] - b.at
	if b.open {
		end--
	}
	return b.buf[b.posts[i]-b.at : end]
}

// proven reports whether the bytes are what the posts say: a newline before
// the first line, one at the end of each, and no others.
func (b *block) proven() bool {
	if !b.startsLine(0) {
		return false
	}
	size := int64(len(b.buf))
	prev := b.posts[0] - b.at
	for _, post := range b.posts[1 : b.n+1] {
		end := post - b.at
		if end <= prev || end > size || b.buf[end-1] != '\n' {
			return false
		}
		prev = end
	}
	body := b.buf[b.posts[0]-b.at : prev]
	return bytes.Count(body, newline) == b.n && !(b.noNUL && bytes.IndexByte(body, 0) >= 0)
}

// startsLine reports whether line i begins the file or follows a newline, or
// the NUL byte that a hole made of it.
func (b *block) startsLine(i int) bool {
	before := b.posts[i] - 1 - b.at
	if before < 0 {
		return b.posts[i] == 0
	}
	return before < int64(len(b.buf)) && (b.buf[before] == '\n' || b.noNUL && b.buf[before] == 0)
}

// flaw says what is wrong with line i, or "" where it proves itself.
func (b *block) flaw(i int) string {
	start, end := b.posts[i]-b.at, b.posts[i+1]-b.at
	switch {
	case b.posts[i] < b.at || end <= start:
		return "its entries do not increase"
	case end > int64(len(b.buf)):
		return "the records file ends before it does"
	case !b.startsLine(i):
		return "no newline before it"
	case b.buf[end-1] != '\n':
		return "no newline at its end"
	case bytes.IndexByte(b.buf[start:end-1], '\n') >= 0:
		return "a newline within it"
	case b.noNUL && bytes.IndexByte(b.buf[start:end], 0) >= 0:
		return "a NUL byte within it"
	}
	return ""
}

// goodPrefix returns how many lines from the first on prove themselves.
func (b *block) goodPrefix() int {
	for i := range b.n {
		if b.flaw(i) != "" {
			return i
		}
	}
	return b.n
}

// goodSuffix returns the first of the lines that prove themselves up to the
// last one.
func (b *block) goodSuffix() int {
	for i := b.n - 1; i >= 0; i-- {
		if b.flaw(i) != "" {
			return i + 1
		}
	}
	return 0
}

var newline = []byte{'\n'}

// nthNewline returns the place of the n-th newline of p, n ≥ 1, which p has.
func nthNewline(p []byte, n uint64) int {
	const chunk = 4 << 10
	at := 0
	for len(p)-at > chunk {
		lines := uint64(bytes.Count(p[at:at+chunk], newline))
		if lines >= n {
			break
		}
		n -= lines
		at += chunk
	}
	for ; n > 1; n-- {
		at += bytes.IndexByte(p[at:], '\n') + 1
	}
	return at + bytes.IndexByte(p[at:], '\n')
}

// buffers is the memory of one reader. It is used again by other readers once
// a range is over.
type buffers struct {
	buf   []byte
	posts []int64
}

// cacheLine is what the kernel's copy is fastest in: some processors take
// several times as long where source and destination are not equally far into
// one.
const cacheLine = 64

// bytes returns n bytes to read into what lies at position. fresh asks for
// memory that nothing else refers to or will.
func (b *buffers) bytes(n int, position int64, fresh bool) []byte {
	skew := int(position % cacheLine)
	n += skew
	if fresh {
		return make([]byte, n)[skew:]
	}
	if cap(b.buf) < n || cap(b.buf) > 4*blockBytes && n <= blockBytes+leadBytes {
		b.buf = make([]byte, n, roomFor(n))
	}
	return b.buf[skew:n]
}

// roomFor rounds n up, so that blocks of slowly growing size do not allocate
// one by one.
func roomFor(n int) int {
	if n >= blockBytes {
		return max(n, blockBytes+leadBytes)
	}
	return 1 << bits.Len(uint(n))
}

// fences returns room for n posts.
func (b *buffers) fences(n int) []int64 {
	if cap(b.posts) < n {
		b.posts = make([]int64, 1<<bits.Len(uint(n)))
	}
	return b.posts[:n]
}
