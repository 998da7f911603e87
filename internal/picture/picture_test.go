package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPicture: the picture of the README is what the tool shows.
func TestPicture(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("no bash")
	}
	root := filepath.Join("..", "..")
	got, err := compose(root)
	if errors.Is(err, errNoTerminal) {
		t.Skip(err)
	}
	require.NoError(t, err)
	want, err := os.ReadFile(filepath.Join(root, "docs", "jlq.svg"))
	require.NoError(t, err)
	require.Equal(t, string(want), string(got), "after a look at what changed: go run ./internal/picture")
}

// TestPictureIsSmall: it is a page's picture: well formed, small, as high as
// the terminal, with nothing from elsewhere and no need for a script.
func TestPictureIsSmall(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "docs", "jlq.svg"))
	require.NoError(t, err)
	require.Less(t, len(data), 100_000)
	require.NotContains(t, string(data), "script")
	require.NotContains(t, strings.Replace(string(data), "http://www.w3.org/2000/svg", "", 1), "://")
	require.Contains(t, string(data), "prefers-reduced-motion")
	require.Contains(t, string(data), "prefers-color-scheme")
	for d := xml.NewDecoder(bytes.NewReader(data)); err == nil; {
		_, err = d.Token()
	}
	require.Equal(t, io.EOF, err)
}

// TestRead: what a terminal makes of what is sent to it.
func TestRead(t *testing.T) {
	lines, err := read([]byte("\x1b[1;31mab\x1b[0mcde  \r\n\r\n\x1b[90mü\x1b[m"), 4)
	require.NoError(t, err)
	require.Equal(t, []screenLine{
		{{style{bold: true, color: "r"}, 0, "ab"}, {style{}, 2, "cd"}},
		{{style{}, 0, "e  "}},
		nil,
		{{style{color: "k"}, 0, "ü"}},
	}, lines)
	require.Equal(t, screenLine{{style{}, 0, "e"}}, lines[1].trim())
	lines, err = read([]byte("a\tb"), columns)
	require.NoError(t, err)
	require.Equal(t, []screenLine{{{style{}, 0, "a       b"}}}, lines)
	for _, sent := range []string{"\x1b[2J", "\x1b[48m", "\x1b[x", "\x1b[1", "\a", "\xff"} {
		_, err := read([]byte(sent), columns)
		require.Error(t, err, "%q", sent)
	}
}

// FuzzRead: whatever is sent, it is read or refused.
func FuzzRead(f *testing.F) {
	f.Add([]byte("\x1b[1;31mab\x1b[0m\r\n"))
	f.Fuzz(func(t *testing.T, sent []byte) {
		lines, err := read(sent, columns)
		if err == nil {
			require.True(t, bytes.Contains(svg([]shot{{"c", lines}}), []byte("</svg>")))
		}
	})
}
