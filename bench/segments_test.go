package bench

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/vfs"
	"example.com/jlq/partition"
)

// manyFiles is how many segments the log has that is opened.
const manyFiles = 10_000

// BenchmarkOpenSegments opens a log of 10,000 segments. The floor is what
// every way of opening must do: read the names in the directory.
func BenchmarkOpenSegments(b *testing.B) {
	dir := b.TempDir()
	manySegments(b, dir, manyFiles)
	b.Run("list", func(b *testing.B) {
		runOpens(b, func() (func() error, error) {
			names, err := vfs.OS.List(dir)
			return func() error { return nil }, firstError(err, mustBe(min(len(names), 2*manyFiles), 2*manyFiles))
		})
	})
	b.Run("jlq-read", func(b *testing.B) {
		runOpens(b, func() (func() error, error) {
			p, err := partition.OpenReader(dir, nil)
			if err != nil {
				return nil, err
			}
			_, next := p.Bounds()
			return p.Close, mustBe(int(next), manyFiles)
		})
	})
	b.Run("jlq-write", func(b *testing.B) {
		runOpens(b, func() (func() error, error) {
			p, err := partition.Open(dir, nil)
			if err != nil {
				return nil, err
			}
			return p.Close, nil
		})
	})
}

func runOpens(b *testing.B, open func() (end func() error, err error)) {
	b.Helper()
	var m Meter
	for b.Loop() {
		var end func() error
		var err error
		m.Measure(1, func() { end, err = open() })
		require.NoError(b, err)
		m.Beside("close-ms", func() { err = end() })
		require.NoError(b, err)
	}
	m.Report(b)
}

// manySegments writes a log of n segments with one record each, as files: to
// roll so often would take the syncs of all of them.
func manySegments(t testing.TB, dir string, n int) {
	t.Helper()
	line := append(JSON(1).Record(0), '\n')
	entries := binary.BigEndian.AppendUint64(make([]byte, 8), uint64(len(line)))
	for i := range n {
		base := filepath.Join(dir, fmt.Sprintf("%020d", i))
		require.NoError(t, os.WriteFile(base+".jsonl", line, 0o600))
		require.NoError(t, os.WriteFile(base+".index", entries, 0o600))
	}
}
