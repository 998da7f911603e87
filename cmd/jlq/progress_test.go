package main

import (
	"bytes"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func TestProgressText(t *testing.T) {
	p := &progress{what: "index app.jsonl", first: 100e6}
	require.Equal(t, "index app.jsonl  50% [==========          ] 500.0 MB of 1.0 GB  200.0 MB/s  ETA 3s", p.text(500e6, 1e9, 2*time.Second))
	require.Equal(t, "index app.jsonl 100% [====================] 1.2 GB of 1.0 GB  550.0 MB/s  ETA 0s", p.text(1.2e9, 1e9, 2*time.Second))
	require.Contains(t, p.text(100e6, 1e9, time.Second), "0 B/s  ETA --")
	require.Equal(t, "index app.jsonl  300.0 MB  100.0 MB/s", p.text(300e6, -1, 2*time.Second))
}

func TestEtaText(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 1600 * time.Millisecond: "2s", 59 * time.Second: "59s", 80 * time.Second: "1m20s", 2*time.Hour + 5*time.Minute: "2h05m", 1 << 62: "1000h00m",
	} {
		require.Equal(t, want, etaText(d))
	}
}

func TestCutText(t *testing.T) {
	require.Equal(t, "abc", cutText("abc", 3))
	require.Equal(t, "…ä", cutText("abä", 2))
	require.Empty(t, cutText("abc", 1))
	require.Empty(t, cutText("abc", -5))
}

// TestProgressDrawn: nothing for work that is short; then a line that fits,
// which goes away.
func TestProgressDrawn(t *testing.T) {
	var screen bytes.Buffer
	p := newProgress(newApp(nil, nil, &screen), "index app.jsonl")
	p.width = func() int { return 30 }
	p.set(0, 100)
	p.clear()
	require.Empty(t, screen.String())
	p.begun = p.begun.Add(-progressDelay)
	p.set(50, 100)
	shown := screen.String()
	require.Regexp(t, `^\r….* B/s  ETA \d+s\x1b\[K$`, shown)
	require.Equal(t, 29, utf8.RuneCountInString(shown)-len("\r\x1b[K"))
	p.set(60, 100) // too soon
	require.Equal(t, shown, screen.String())
	p.finish()
	require.Equal(t, shown+"\r\x1b[K", screen.String())
}
