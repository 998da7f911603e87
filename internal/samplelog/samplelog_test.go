package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

var shipped = filepath.Join("..", "..", "testdata", "sample", "shop.jsonl")

// TestShipped: the log that ships is the one that this program writes.
func TestShipped(t *testing.T) {
	want, err := os.ReadFile(shipped)
	require.NoError(t, err)
	var got bytes.Buffer
	require.NoError(t, write(&got))
	require.True(t, bytes.Equal(want, got.Bytes()), "go run ./internal/samplelog >testdata/sample/shop.jsonl")
	require.Less(t, got.Len(), 1<<20)
}

// TestHasSomethingOfEverything: what the log is made for is in it.
func TestHasSomethingOfEverything(t *testing.T) {
	data, err := os.ReadFile(shipped)
	require.NoError(t, err)
	lines := bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n"))
	require.Len(t, lines, records)
	levels, late, guests, last := map[string]int{}, 0, 0, ""
	for _, line := range lines {
		var r map[string]any
		require.NoError(t, json.Unmarshal(line, &r))
		levels[r["level"].(string)]++
		if r["ts"].(string) < last {
			late++
		}
		last = max(last, r["ts"].(string))
		if who, ok := r["user"]; ok && who == nil {
			guests++
		}
	}
	require.Len(t, levels, 5)
	require.Equal(t, 1, levels["fatal"])
	require.Positive(t, guests)
	require.InDelta(t, 100, late, 90, "nearly in order")
	for _, text := range []string{`"order":9007199254740993,`, `"amount":361.10,`, `"name":"山田 花子"`, `"geo":{"lat":`, `\"`} {
		require.True(t, bytes.Contains(data, []byte(text)), text)
	}
}
