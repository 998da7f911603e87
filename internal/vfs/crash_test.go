package vfs

import (
	"bytes"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// aged returns a file system with a file /f whose bytes and name are durable.
func aged(t *testing.T, content []byte) (*Mem, File) {
	m := NewMem()
	f, err := m.Open("/f", os.O_RDWR|os.O_CREATE, 0o600)
	require.NoError(t, err)
	_, err = f.WriteAt(content, 0)
	require.NoError(t, err)
	require.NoError(t, f.Sync())
	require.NoError(t, m.SyncDir("/"))
	return m, f
}

// outcomes returns the contents that /f has after crashes with many seeds.
func outcomes(m *Mem, cfg CrashConfig) map[string]bool {
	seen := map[string]bool{}
	for cfg.Seed = range 200 {
		seen[newScript(m.Crash(cfg), "/").get("f")] = true
	}
	return seen
}

func TestCrashLosesData(t *testing.T) {
	old := bytes.Repeat([]byte("o"), 1000)
	grow := func(f File) { f.WriteAt(bytes.Repeat([]byte("n"), 3000), 1000) }
	over := func(f File) { f.WriteAt(bytes.Repeat([]byte("n"), 700), 100) }
	cut := func(f File) { f.Truncate(600) }
	rep := func(s string, n int) string { return string(bytes.Repeat([]byte(s), n)) }
	grown := string(old) + rep("n", 3000)
	overwritten := rep("o", 100) + rep("n", 700) + rep("o", 200)

	tests := []struct {
		name string
		do   func(File)
		loss DataLoss
		want []string // exactly these, unless check is given
		more func(t *testing.T, got string)
	}{
		{"nothing, lost", func(File) {}, DataLost, []string{string(old)}, nil},
		{"nothing, garbage", func(File) {}, DataGarbage, []string{string(old)}, nil},
		{"nothing, subset", func(File) {}, DataSubset, []string{string(old)}, nil},
		{"synced, lost", func(f File) { grow(f); f.Sync() }, DataLost, []string{grown}, nil},
		{"synced, subset", func(f File) { grow(f); cut(f); f.Sync() }, DataSubset, []string{rep("o", 600)}, nil},

		{"grown, lost", grow, DataLost, []string{string(old)}, nil},
		{"grown, kept", grow, DataKept, []string{grown}, nil},
		{"grown, torn", grow, DataTorn, []string{
			string(old), grown[:1024], grown[:1536], grown[:2048], grown[:2560], grown[:3072], grown[:3584], grown,
		}, nil},
		{"grown, zeroed", grow, DataZeroed, []string{string(old) + rep("\x00", 3000)}, nil},
		{"grown, garbage", grow, DataGarbage, nil, func(t *testing.T, got string) {
			require.Len(t, got, 4000)
			require.Equal(t, string(old), got[:1000])
			require.NotContains(t, got[1000:], rep("n", 10))
		}},
		{"grown, subset", grow, DataSubset, nil, func(t *testing.T, got string) {
			require.Contains(t, []int{1000, 4000}, len(got))
			require.Equal(t, string(old), got[:1000])
			for i := 1000; i < len(got); i += sector - i%sector {
				part := got[i:min(len(got), i+sector-i%sector)]
				require.Contains(t, []string{rep("n", len(part)), rep("\x00", len(part))}, part)
			}
		}},

		{"overwritten, lost", over, DataLost, []string{string(old)}, nil},
		{"overwritten, kept", over, DataKept, []string{overwritten}, nil},
		{"overwritten, torn", over, DataTorn, []string{
			string(old), rep("o", 100) + rep("n", 412) + rep("o", 488), overwritten,
		}, nil},
		{"overwritten, zeroed", over, DataZeroed, []string{string(old)}, nil},
		{"overwritten, subset", over, DataSubset, []string{
			string(old), rep("o", 100) + rep("n", 412) + rep("o", 488), rep("o", 512) + rep("n", 288) + rep("o", 200), overwritten,
		}, nil},

		{"cut, lost", cut, DataLost, []string{string(old)}, nil},
		{"cut, kept", cut, DataKept, []string{rep("o", 600)}, nil},
		{"cut, torn", cut, DataTorn, []string{string(old), rep("o", 600)}, nil},
		{"cut, subset", cut, DataSubset, []string{string(old), rep("o", 600)}, nil},
		{"cut and grown, zeroed", func(f File) { cut(f); f.WriteAt([]byte("new"), 600) }, DataZeroed,
			[]string{rep("o", 600) + "\x00\x00\x00"}, nil},
		{"cut and grown, subset", func(f File) { cut(f); f.WriteAt([]byte("new"), 600) }, DataSubset, []string{
			string(old),                                   // nothing
			rep("o", 600) + "new" + rep("o", 397),         // the bytes alone
			rep("o", 600), rep("o", 600) + "\x00\x00\x00", // the size alone
			rep("o", 600) + "new",
		}, nil},
		{"small writes, torn", func(f File) { f.WriteAt([]byte("a"), 1000); f.WriteAt([]byte("b"), 1001) }, DataTorn,
			[]string{string(old), string(old) + "a", string(old) + "ab"}, nil},
		{"small writes, subset", func(f File) { f.WriteAt([]byte("a"), 1000); f.WriteAt([]byte("b"), 1001) }, DataSubset, []string{
			string(old), string(old) + "a", string(old) + "ab", string(old) + "\x00", string(old) + "\x00\x00", string(old) + "a\x00",
		}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m, f := aged(t, old)
			tt.do(f)
			seen := outcomes(m, CrashConfig{Data: tt.loss})
			if tt.more == nil {
				require.Equal(t, len(tt.want), len(seen))
				for _, want := range tt.want {
					require.True(t, seen[want], "%d bytes are never left", len(want))
				}
				return
			}
			for got := range seen {
				tt.more(t, got)
			}
		})
	}
}

// TestCrashReorders: a later sector may be there without an earlier one.
func TestCrashReorders(t *testing.T) {
	m, f := aged(t, nil)
	for i := range 4 {
		f.WriteAt(bytes.Repeat([]byte{byte('a' + i)}, sector), int64(i*sector))
	}
	seen := map[string]bool{}
	for got := range outcomes(m, CrashConfig{Data: DataSubset}) {
		pattern := ""
		for i := 0; i < len(got); i += sector {
			pattern += got[i : i+1]
		}
		seen[pattern] = true
	}
	for _, want := range []string{"", "abcd", "\x00b", "a\x00\x00d", "\x00\x00\x00\x00", "\x00bcd"} {
		require.True(t, seen[want], "%q", want)
	}
}

func TestCrashLosesNames(t *testing.T) {
	tests := []struct {
		name               string
		do                 func(m *Mem, s *script) error
		lost, kept, synced string
	}{
		{"create", func(m *Mem, s *script) error { return s.put("x", "") },
			"d/\nd/g 1 \"g\"\nf 1 \"f\"\n", "d/\nd/g 1 \"g\"\nf 1 \"f\"\nx 1 \"\"\n", ""},
		{"remove", func(m *Mem, s *script) error { return m.Remove("/f") },
			"d/\nd/g 1 \"g\"\nf 1 \"f\"\n", "d/\nd/g 1 \"g\"\n", ""},
		{"rename", func(m *Mem, s *script) error { return m.Rename("/f", "/x") },
			"d/\nd/g 1 \"g\"\nf 1 \"f\"\n", "d/\nd/g 1 \"g\"\nx 1 \"f\"\n", ""},
		{"replace", func(m *Mem, s *script) error { return m.Rename("/d/g", "/f") },
			"d/\nd/g 1 \"g\"\nf 1 \"f\"\n", "d/\nf 1 \"g\"\n", ""},
		{"link", func(m *Mem, s *script) error { return m.Link("/f", "/x") },
			"d/\nd/g 1 \"g\"\nf 1 \"f\"\n", "d/\nd/g 1 \"g\"\nf 2 \"f\"\nx 2 \"f\"\n", ""},
		{"mkdir", func(m *Mem, s *script) error { return m.Mkdir("/x", 0o700) },
			"d/\nd/g 1 \"g\"\nf 1 \"f\"\n", "d/\nd/g 1 \"g\"\nf 1 \"f\"\nx/\n", ""},
		{"mkdir that only itself is synced", func(m *Mem, s *script) error {
			m.Mkdir("/x", 0o700)
			s.put("x/y", "")
			return m.SyncDir("/x")
		}, "d/\nd/g 1 \"g\"\nf 1 \"f\"\n", "d/\nd/g 1 \"g\"\nf 1 \"f\"\nx/\nx/y 1 \"\"\n", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := NewMem()
			s := newScript(m, "/")
			require.NoError(t, m.Mkdir("/d", 0o700))
			for _, name := range []string{"f", "d/g"} {
				require.NoError(t, ReplaceFile(m, s.at(name), []byte(name[len(name)-1:]), 0o600))
			}
			require.NoError(t, tt.do(m, s))
			dump := func(m *Mem, loss NameLoss, seed uint64) string {
				return newScript(m.Crash(CrashConfig{Names: loss, Seed: seed}), "/").dump(".")
			}
			require.Equal(t, tt.lost, dump(m, NamesLost, 0))
			require.Equal(t, tt.kept, dump(m, NamesKept, 0))
			seen := map[string]bool{}
			for seed := range uint64(50) {
				seen[dump(m, NamesSubset, seed)] = true
			}
			require.True(t, seen[tt.lost] && seen[tt.kept])
			require.Len(t, seen, 2, "a change is whole or not at all")

			// The same, synced, stays.
			m = m.Crash(CrashConfig{})
			require.NoError(t, tt.do(m, newScript(m, "/")))
			require.NoError(t, m.SyncDir("/"))
			require.Equal(t, tt.kept, dump(m, NamesLost, 0))
		})
	}
}

// TestCrashKeepsNamesApart: syncing one directory does nothing for another.
func TestCrashKeepsNamesApart(t *testing.T) {
	m := NewMem()
	for _, dir := range []string{"/a", "/b"} {
		require.NoError(t, m.Mkdir(dir, 0o700))
	}
	require.NoError(t, m.SyncDir("/"))
	s := newScript(m, "/")
	require.NoError(t, s.put("a/x", ""))
	require.NoError(t, s.put("b/x", ""))
	require.NoError(t, m.SyncDir("/b"))
	require.Equal(t, "a/\nb/\nb/x 1 \"\"\n", newScript(m.Crash(CrashConfig{}), "/").dump("."))
}

func TestCrashByFile(t *testing.T) {
	m := NewMem()
	s := newScript(m, "/")
	for _, name := range []string{"a", "b"} {
		require.NoError(t, s.put(name, "new"))
	}
	m = m.Crash(CrashConfig{Names: NamesKept, File: func(name string) DataLoss {
		if name == "/b" {
			return DataKept
		}
		return DataZeroed
	}})
	require.Equal(t, "a 1 \"\\x00\\x00\\x00\"\nb 1 \"new\"\n", newScript(m, "/").dump("."))
}

func TestCrashEndsEverything(t *testing.T) {
	end := map[string]func(*Mem) *Mem{
		"crash": func(m *Mem) *Mem { return m.Crash(CrashConfig{Data: DataKept}) },
		"kill":  (*Mem).Kill,
	}
	for name, end := range end {
		t.Run(name, func(t *testing.T) {
			m, f := aged(t, []byte("old"))
			before, err := f.Stat()
			require.NoError(t, err)
			lock, err := m.Lock("/f")
			require.NoError(t, err)
			after := end(m)

			_, err = f.ReadAt(make([]byte, 1), 0)
			require.ErrorIs(t, err, ErrCrashed)
			_, err = f.WriteAt(make([]byte, 1), 0)
			require.ErrorIs(t, err, ErrCrashed)
			_, err = m.Open("/f", os.O_RDONLY, 0)
			require.ErrorIs(t, err, ErrCrashed)
			_, err = m.Lock("/f")
			require.ErrorIs(t, err, ErrCrashed)
			for _, err := range []error{f.Sync(), f.Close(), lock.Close(), m.SyncDir("/"), m.Remove("/f"), m.Rename("/f", "/g")} {
				require.ErrorIs(t, err, ErrCrashed)
			}

			lock, err = after.Lock("/f")
			require.NoError(t, err, "no lock outlives its process")
			require.True(t, lock.Info().Same(before), "a file keeps its number")
		})
	}
}

func TestKillKeepsWhatWasWritten(t *testing.T) {
	m, f := aged(t, []byte("old"))
	_, err := f.WriteAt([]byte("new"), 0)
	require.NoError(t, err)
	s := newScript(m, "/")
	require.NoError(t, s.put("x", "x"))
	require.NoError(t, m.Link("/f", "/l"))

	m = m.Kill()
	require.Equal(t, "f 2 \"new\"\nl 2 \"new\"\nx 1 \"x\"\n", newScript(m, "/").dump("."))
	// It is still not on the disk.
	require.Equal(t, "f 1 \"old\"\n", newScript(m.Crash(CrashConfig{}), "/").dump("."))
	// And the next process may put it there.
	m = m.Kill()
	f, err = m.Open("/f", os.O_RDONLY, 0)
	require.NoError(t, err)
	require.NoError(t, f.Sync())
	require.NoError(t, m.SyncDir("/"))
	require.Equal(t, "f 2 \"new\"\nl 2 \"new\"\nx 1 \"\"\n", newScript(m.Crash(CrashConfig{}), "/").dump("."))
}

// TestCrashAgain: each crash of one state is a world of its own, and a seed
// means the same each time.
func TestCrashAgain(t *testing.T) {
	m, f := aged(t, []byte("old"))
	for i := range 20 {
		f.WriteAt(bytes.Repeat([]byte("n"), 700), int64(i*300))
		newScript(m, "/").put(fmt.Sprint(i), "x")
	}
	cfg := CrashConfig{Data: DataSubset, Names: NamesSubset, Seed: 7}
	first := m.Crash(cfg)
	want := newScript(first, "/").dump(".")
	require.NoError(t, newScript(first, "/").put("f", "changed"))
	require.NoError(t, first.Remove("/f"))
	for range 5 {
		require.Equal(t, want, newScript(m.Crash(cfg), "/").dump("."))
	}
	cfg.Seed++
	require.NotEqual(t, want, newScript(m.Crash(cfg), "/").dump("."))
}
