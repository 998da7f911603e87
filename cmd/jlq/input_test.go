package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/jsonl"
)

// drain reads an input to its end and shows each item as line:data.
func drain(t *testing.T, in *input) (items []string, raw []byte, err error) {
	t.Helper()
	for {
		batch, err := in.next(t.Context())
		if err != nil {
			return items, raw, err
		}
		for _, it := range batch {
			raw = append(raw, it.raw...)
			switch {
			case it.rest:
			case it.err != nil:
				items = append(items, fmt.Sprintf("%d!%.20s", it.line, it.data))
			default:
				items = append(items, fmt.Sprintf("%d:%s", it.line, it.data))
			}
		}
	}
}

func TestInputLines(t *testing.T) {
	for name, test := range map[string]struct {
		in   string
		want []string
	}{
		"empty":           {"", nil},
		"one":             {"a\n", []string{"1:a"}},
		"no newline":      {"a\nb", []string{"1:a", "2:b"}},
		"blank lines":     {"\na\n\n", []string{"1:", "2:a", "3:"}},
		"carriage return": {"a\r\nb\r\n", []string{"1:a\r", "2:b\r"}},
		"too large":       {"a\n" + strings.Repeat("x", 50) + "\nb\n", []string{"1:a", "2:" + strings.Repeat("x", 50), "3:b"}},
	} {
		for reader, wrap := range map[string]func(io.Reader) io.Reader{
			"whole": func(r io.Reader) io.Reader { return r }, "bytes": iotest.OneByteReader, "with EOF": iotest.DataErrReader,
		} {
			t.Run(name+"/"+reader, func(t *testing.T) {
				in := newInput(t.Context(), "in", wrap(strings.NewReader(test.in)), false, 64)
				got, raw, err := drain(t, in)
				require.ErrorIs(t, err, io.EOF)
				require.Equal(t, test.want, got)
				require.Equal(t, test.in, string(raw))
			})
		}
	}
}

func TestInputValues(t *testing.T) {
	for name, test := range map[string]struct {
		in   string
		want []string
	}{
		"empty":       {" \n\t", nil},
		"pretty":      {"{\n  \"a\": 1\n}\n[\n 1,\n 2\n]\n", []string{`1:{"a":1}`, `4:[1,2]`}},
		"one line":    {`{"a":1}{"b":[]} [] "x" 1 true`, []string{`1:{"a":1}`, `1:{"b":[]}`, `1:[]`, `1:"x"`, `1:1`, `1:true`}},
		"brackets":    {`{"a":"]}\"{"} "\\" 5`, []string{`1:{"a":"]}\"{"}`, `1:"\\"`, `1:5`}},
		"numbers":     {"1.10\n1E400 -0\n", []string{"1:1.10", "2:1E400", "2:-0"}},
		"stray":       {"{}\n}\n{}", []string{"1:{}", "2!}", "3:{}"}},
		"torn string": {"{\"a\":\"b\n{\"c\":1}\n", []string{"1!{\"a\":\"b\n", `2:{"c":1}`}},
		"unfinished":  {"{}\n{\"a\":\n", []string{"1:{}", "2!{\"a\":\n"}},
		"bad word":    {"nul\n{}", []string{"1!nul", "2:{}"}},
	} {
		for reader, wrap := range map[string]func(io.Reader) io.Reader{
			"whole": func(r io.Reader) io.Reader { return r }, "bytes": iotest.OneByteReader,
		} {
			t.Run(name+"/"+reader, func(t *testing.T) {
				in := newInput(t.Context(), "in", wrap(strings.NewReader(test.in)), true, 1<<10)
				got, _, err := drain(t, in)
				require.ErrorIs(t, err, io.EOF)
				require.Equal(t, test.want, got)
			})
		}
	}
}

func TestInputMark(t *testing.T) {
	for text, want := range map[string][]string{
		"":                    nil,
		"\xef":                {"1:\xef"},
		"\xef\xbb{}":          {"1:\xef\xbb{}"},
		"\xef\xbb\xbf":        nil,
		"\xef\xbb\xbf{}\n1":   {"1:{}", "2:1"},
		"{}\n\xef\xbb\xbf1\n": {"1:{}", "2:\xef\xbb\xbf1"},
	} {
		in := newInput(t.Context(), "in", iotest.OneByteReader(strings.NewReader(text)), false, 64)
		got, _, err := drain(t, in)
		require.ErrorIs(t, err, io.EOF)
		require.Equal(t, want, got)
		require.Equal(t, strings.HasPrefix(text, jsonl.BOM), in.takeMark())
		require.False(t, in.takeMark())
	}
}

// A record that is too large is named once and passes in pieces.
func TestInputHuge(t *testing.T) {
	huge := strings.Repeat("y", 3<<20)
	for _, text := range []string{"a\n" + huge + "\nb\n", "a\n" + huge, huge + "\n"} {
		in := newInput(t.Context(), "in", strings.NewReader(text), false, 1000)
		got, raw, err := drain(t, in)
		require.ErrorIs(t, err, io.EOF)
		require.Equal(t, text, string(raw), "byte for byte")
		require.Contains(t, strings.Join(got, " "), "!yyyyyyyyyyyyyyyyyyyy")
		require.Equal(t, 1, strings.Count(strings.Join(got, " "), "!"))
		require.Less(t, cap(in.buf), 4<<20)
	}
	in := newInput(t.Context(), "in", strings.NewReader("{}[\n"+strings.Repeat(" 1,\n", 3<<20)+"2]\n{\"b\":1}"), true, 1000)
	got, _, err := drain(t, in)
	require.ErrorIs(t, err, io.EOF)
	require.Len(t, got, 3)
	require.Equal(t, "3145731:{\"b\":1}", got[2])
}

// What an interrupted input leaves behind without a newline is no record.
// TestInputSpace: white space between values is not gathered in memory, and
// lines are counted through it.
func TestInputSpace(t *testing.T) {
	space := strings.Repeat(" \n", 8<<20)
	in := newInput(t.Context(), "in", strings.NewReader(`{"a":1}`+space+`{"b":2}`+space), true, 64)
	got, _, err := drain(t, in)
	require.ErrorIs(t, err, io.EOF)
	require.Equal(t, []string{`1:{"a":1}`, fmt.Sprintf(`%d:{"b":2}`, 8<<20+1)}, got)
	require.Less(t, cap(in.buf), 4*batchBytes)
}

func TestInputBrokenOff(t *testing.T) {
	broken := errors.New("broken")
	in := newInput(t.Context(), "in", io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(broken)), false, 100)
	got, _, err := drain(t, in)
	require.ErrorIs(t, err, broken)
	require.Equal(t, []string{"1:a"}, got)
	require.Equal(t, 1, in.unfinished())
}

// What is there is returned as soon as the input pauses.
func TestInputPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		in := newInput(t.Context(), "in", r, false, 100)
		for _, line := range []string{"a", "b"} {
			go func() { _, _ = w.Write([]byte(line + "\n" + "half")) }()
			items, err := in.next(t.Context())
			require.NoError(t, err)
			require.Len(t, items, 1)
			require.Equal(t, line, strings.TrimPrefix(string(items[0].data), "half"))
		}
		require.NoError(t, w.Close())
		items, err := in.next(t.Context())
		require.NoError(t, err)
		require.Equal(t, "half", string(items[0].data))
	})
}

// Cutting values finds what encoding/json would, whatever the pieces.
func FuzzValueSplitter(f *testing.F) {
	f.Add([]byte("{\"a\":[1,2]}\n\"x\\\"\" 1 true"), 3)
	f.Add([]byte("}{\"\n"), 1)
	f.Fuzz(func(t *testing.T, data []byte, piece int) {
		piece = max(1, min(piece, 1<<10))
		whole := splitAll(data, len(data)+1)
		require.Equal(t, whole, splitAll(data, piece))
		if text := bytes.Trim(data, " \t\r\n"); jsonl.CheckStrict(text, 1<<20) == nil && !bytes.Contains(text, newline) {
			require.Equal(t, []string{string(text)}, whole)
		}
	})
}

func splitAll(data []byte, piece int) (records []string) {
	s := &valueSplitter{}
	at := 0
	for end := 0; end < len(data); {
		end = min(len(data), end+piece)
		for {
			skip, size, ok := s.next(data[at:end])
			if !ok {
				break
			}
			records = append(records, string(data[at+skip:at+size]))
			at += size
			s.consumed(size)
		}
	}
	if skip, ok := s.last(data[at:]); ok {
		records = append(records, strings.TrimRight(string(data[at+skip:]), " \t\r\n"))
	}
	return records
}
