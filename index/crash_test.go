package index

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/vfs"
)

// memLog returns a file system with records and, where idx is not nil, an
// index, all durable.
func memLog(t *testing.T, records string, idx []byte) *vfs.Mem {
	t.Helper()
	m := vfs.NewMem()
	put := func(name string, data []byte) {
		require.NoError(t, vfs.ReplaceFile(m, name, data, 0o600))
	}
	put("/x.jsonl", []byte(records))
	if idx != nil {
		put("/x.jsonl.index", idx)
	}
	return m
}

// readIndex returns the index, or nil where there is none.
func readIndex(t *testing.T, m vfs.FS) []byte {
	t.Helper()
	f, err := m.Open("/x.jsonl.index", os.O_RDONLY, 0)
	if err != nil {
		return nil
	}
	defer f.Close()
	info, err := f.Stat()
	require.NoError(t, err)
	b, err := io.ReadAll(io.NewSectionReader(f, 0, info.Size))
	require.NoError(t, err)
	return b
}

func buildMem(fsys vfs.FS) (Report, error) {
	return BuildFile(context.Background(), "/x.jsonl", "/x.jsonl.index", &Options{FS: fsys})
}

// crashes ranges over what a power loss can leave; seed decides what is left
// to chance.
func crashes(seed int) func(yield func(vfs.CrashConfig) bool) {
	return func(yield func(vfs.CrashConfig) bool) {
		for data := vfs.DataLost; data <= vfs.DataSubset; data++ {
			for names := vfs.NamesLost; names <= vfs.NamesSubset; names++ {
				if !yield(vfs.CrashConfig{Data: data, Names: names, Seed: uint64(seed)}) {
					return
				}
			}
		}
	}
}

// Power fails before each operation. A new index is there whole or not at all;
// what is left of an extension is found out and completed by the next run.
func TestCrash(t *testing.T) {
	if testing.Short() {
		t.Skip("short: the work of one goroutine")
	}
	records := strings.Repeat("\n{}\n", 20_000)
	want := reference(records)
	for name, before := range map[string][]byte{
		"new":       nil,
		"foreign":   entries(0, 2),
		"extension": want[:5000*EntrySize],
		"partial":   want[:5000*EntrySize+3],
	} {
		t.Run(name, func(t *testing.T) {
			for n := 1; ; n++ {
				m := memLog(t, records, before)
				fsys := vfs.NewFault(m, vfs.CrashAt(n))
				_, err := buildMem(fsys)
				if len(fsys.Ops()) < n {
					require.NoError(t, err)
					break
				}
				if !fsys.Ops()[n-1].Kind.Changes() {
					continue
				}
				for cfg := range crashes(n) {
					at := fmt.Sprintf("operation %d (%v), %+v", n, fsys.Ops()[n-1].Kind, cfg)
					left := m.Crash(cfg)
					if got := readIndex(t, left); name == "new" || name == "foreign" {
						require.True(t, bytes.Equal(got, before) || bytes.Equal(got, want), at)
					}
					_, err := buildMem(left)
					require.NoError(t, err, at)
					require.True(t, bytes.Equal(want, readIndex(t, left)), at)
				}
			}
		})
	}
}

// The process is killed before each operation; what it wrote stays.
func TestKill(t *testing.T) {
	records := strings.Repeat("\n{}\n", 20_000)
	want := reference(records)
	for _, before := range [][]byte{nil, entries(0, 2), want[:5000*EntrySize+3]} {
		for n := 1; ; n++ {
			m := memLog(t, records, before)
			fsys := vfs.NewFault(m, vfs.CrashAt(n))
			_, err := buildMem(fsys)
			if len(fsys.Ops()) < n {
				require.NoError(t, err)
				break
			}
			left := m.Kill()
			_, err = buildMem(left)
			require.NoError(t, err)
			require.True(t, bytes.Equal(want, readIndex(t, left)), n)
		}
	}
}
