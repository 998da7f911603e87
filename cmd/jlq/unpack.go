package main

import (
	"bytes"
	"errors"
	"io"
	"os"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// packings are the compressed formats that input may have, by the bytes that
// such a file begins with. None of them can begin JSON.
var packings = []struct {
	name  string
	magic string
	open  func(io.Reader) (io.Reader, error)
}{
	{"gzip", "\x1f\x8b", openGzip},
	{"zstd", "\x28\xb5\x2f\xfd", openZstd},
}

// Archives may have several members, one behind the other; both libraries
// read them as one stream.
func openGzip(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) }

func openZstd(r io.Reader) (io.Reader, error) {
	return zstd.NewReader(r, zstd.WithDecoderConcurrency(1))
}

// unpacker reads what raw says when it is unpacked. It looks at raw only when
// it is read.
type unpacker struct {
	raw io.Reader
	r   io.Reader
}

// Read implements [io.Reader]. An archive that is cut short ends with
// [io.ErrUnexpectedEOF].
func (u *unpacker) Read(p []byte) (int, error) {
	if u.r == nil {
		r, err := unpack(u.raw)
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return 0, err
		}
		u.r = r
	}
	return u.r.Read(p)
}

// unpack looks at the first bytes of r. It never waits for more of them than
// it takes to tell: an input whose first line is 1 must not hang.
func unpack(r io.Reader) (io.Reader, error) {
	buf := make([]byte, 4<<10)
	n := 0
	var err error
	for err == nil && (n == 0 || undecided(buf[:n])) {
		var more int
		more, err = r.Read(buf[n:])
		n += more
	}
	if err != nil && err != io.EOF {
		return nil, err
	}
	r = io.MultiReader(bytes.NewReader(buf[:n]), r)
	for _, p := range packings {
		if bytes.HasPrefix(buf[:n], []byte(p.magic)) {
			return p.open(r)
		}
	}
	return r, nil
}

// undecided reports whether head may be the beginning of a magic.
func undecided(head []byte) bool {
	for _, p := range packings {
		if len(head) < len(p.magic) && p.magic[:len(head)] == string(head) {
			return true
		}
	}
	return false
}

// packedFile names the compressed format of a file, if it has one. A log
// cannot be read through it: it would have no positions.
func packedFile(path string) string {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	head := make([]byte, 4)
	n, _ := io.ReadFull(f, head)
	for _, p := range packings {
		if bytes.HasPrefix(head[:n], []byte(p.magic)) {
			return p.name
		}
	}
	return ""
}
