//go:build unix

package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRunner(t *testing.T) {
	var out, errs bytes.Buffer
	run := func(text string) error {
		out.Reset()
		errs.Reset()
		return (&runner{text: text, stdout: &out, stderr: &errs}).run([]byte("in\n"), "JLQ_X=7")
	}
	require.NoError(t, run(`cat; echo $JLQ_X`))
	require.Equal(t, "in\n7\n", out.String())

	require.NoError(t, run(`exit 0`), "nobody has to read the record")
	require.NoError(t, run(`sleep 5 & exit 0`), "what is left in the background is not waited for")

	err := run(`echo one >&2; echo two >&2; exit 3`)
	require.EqualError(t, err, "exit status 3: two")
	require.Equal(t, "one\ntwo\n", errs.String())
	require.EqualError(t, run(`kill -TERM $$`), "signal: terminated")

	var cannot *cannotRunError
	require.NotErrorAs(t, err, &cannot)
	for _, text := range []string{"no-such-command-here", "/", "exit 127"} {
		require.ErrorAs(t, run(text), &cannot, text)
		require.ErrorContains(t, cannot, text+": exit status 12")
	}
}

func TestLastLine(t *testing.T) {
	var out bytes.Buffer
	l := &lastLine{w: &out}
	require.Empty(t, l.text())
	for range 1000 {
		_, err := l.Write([]byte("x"))
		require.NoError(t, err)
	}
	require.Equal(t, strings.Repeat("x", lastLineMax), l.text())
	_, err := l.Write([]byte("\nlast \xff\r\n\n"))
	require.NoError(t, err)
	require.Equal(t, "last �", l.text())
	require.Equal(t, 1010, out.Len())
}
