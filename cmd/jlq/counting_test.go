package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCountingHint: only who counted much is told how that is avoided.
func TestCountingHint(t *testing.T) {
	for _, c := range []struct {
		bytes int64
		told  bool
	}{{longCount - 1, false}, {longCount, true}} {
		var screen bytes.Buffer
		count := &counting{app: newApp(nil, nil, &screen), path: "a.jsonl"}
		count.set(1, 4*longCount)
		count.set(1+c.bytes/2, 4*longCount)
		count.set(4*longCount, 4*longCount) // and later again
		count.set(1, 4*longCount)
		count.set(1+c.bytes-c.bytes/2, 4*longCount)
		count.tell()
		if !c.told {
			require.Empty(t, screen.String())
			continue
		}
		require.Contains(t, screen.String(), "hint: offsets took counting 1.1 GB of lines: jlq index a.jsonl makes an index")
	}
}

// TestFirstByte: a bar beside what is printed ends for good with the first byte.
func TestFirstByte(t *testing.T) {
	var out, screen bytes.Buffer
	app := newApp(nil, &out, &screen)
	bar := newProgress(app, "read log")
	bar.begun = bar.begun.Add(-progressDelay)
	app.out.begins(bar.finish)
	bar.set(1, 2)
	require.NotEmpty(t, screen.String())
	require.NoError(t, app.out.WriteLine(nil, ""))
	require.NotContains(t, screen.String(), "\r\x1b[K")
	require.NoError(t, app.out.WriteLine([]byte("{}"), "\n"))
	shown := screen.String()
	require.Contains(t, shown, "\r\x1b[K")
	bar.drawn = bar.begun
	bar.set(2, 2)
	require.Equal(t, shown, screen.String())
}
