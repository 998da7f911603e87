package main

import (
	"bytes"
	"io"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"
)

func gzipped(t testing.TB, text string) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write([]byte(text))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.Bytes()
}

func zstded(t testing.TB, text string) []byte {
	w, err := zstd.NewWriter(nil)
	require.NoError(t, err)
	return w.EncodeAll([]byte(text), nil)
}

func TestUnpack(t *testing.T) {
	for name, test := range map[string]struct {
		in   []byte
		want string
	}{
		"empty":             {nil, ""},
		"short":             {[]byte("1"), "1"},
		"plain":             {[]byte(`{"a":1}`), `{"a":1}`},
		"begins like gzip":  {[]byte("\x1f"), "\x1f"},
		"begins like zstd":  {[]byte("\x28\xb5"), "\x28\xb5"},
		"gzip":              {gzipped(t, "abc\n"), "abc\n"},
		"gzip, two members": {append(gzipped(t, "abc\n"), gzipped(t, "def\n")...), "abc\ndef\n"},
		"zstd":              {zstded(t, "abc\n"), "abc\n"},
		"zstd, two frames":  {append(zstded(t, "abc\n"), zstded(t, "def\n")...), "abc\ndef\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := io.ReadAll(&unpacker{raw: iotest.OneByteReader(bytes.NewReader(test.in))})
			require.NoError(t, err)
			require.Equal(t, test.want, string(got))
		})
	}
}

func TestUnpackCutShort(t *testing.T) {
	for _, whole := range [][]byte{gzipped(t, "abc\ndef\n"), zstded(t, "abc\ndef\n")} {
		for cut := 5; cut < len(whole); cut++ {
			_, err := io.ReadAll(&unpacker{raw: bytes.NewReader(whole[:cut])})
			require.ErrorIs(t, err, io.ErrUnexpectedEOF, "%d of %d bytes", cut, len(whole))
		}
	}
}

// A reader that would wait for more than the first line must not be asked.
func TestUnpackDoesNotWait(t *testing.T) {
	r := io.MultiReader(bytes.NewReader([]byte("1\n")), iotest.ErrReader(io.ErrNoProgress))
	line := make([]byte, 2)
	_, err := io.ReadFull(&unpacker{raw: r}, line)
	require.NoError(t, err)
	require.Equal(t, "1\n", string(line))
}
