package vfs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReplace(t *testing.T) {
	onEach(t, func(t *testing.T, fsys FS, dir string) {
		s := newScript(fsys, dir)
		for _, content := range []string{"first", "", strings.Repeat("long", 50_000)} {
			require.NoError(t, ReplaceFile(fsys, s.at("f"), []byte(content), 0o640))
			require.Equal(t, content, s.get("f"))
			require.Equal(t, fmt.Sprintf("f %d %q\n", 1, content), s.dump("."))
			info, err := fsys.Stat(s.at("f"))
			require.NoError(t, err)
			require.Equal(t, permOf(fsys, 0o640), info.Mode)
		}
		require.NoError(t, Replace(fsys, s.at("f"), 0o600, func(w io.Writer) error {
			for i := range 3 {
				if _, err := fmt.Fprintln(w, i); err != nil {
					return err
				}
			}
			return nil
		}))
		require.Equal(t, "0\n1\n2\n", s.get("f"))
	})
}

// TestReplaceBesideLeftovers: what earlier crashes left is not in the way,
// not used and not touched.
func TestReplaceBesideLeftovers(t *testing.T) {
	onEach(t, func(t *testing.T, fsys FS, dir string) {
		s := newScript(fsys, dir)
		for _, name := range []string{"f.tmp", "f.tmp-1"} {
			require.NoError(t, s.put(name, "left"))
		}
		require.NoError(t, fsys.Mkdir(s.at("f.tmp-2"), 0o700))
		require.NoError(t, Replace(fsys, s.at("f"), 0o600, whole([]byte("new"))))
		require.Equal(t, "f 1 \"new\"\nf.tmp 1 \"left\"\nf.tmp-1 1 \"left\"\nf.tmp-2/\n", s.dump("."))
	})
}

// TestReplaceSweeps: who alone replaces a file removes what dead processes left,
// so that no number of them is in the way, and nothing else.
func TestReplaceSweeps(t *testing.T) {
	replace := map[string]func(fsys FS, name string) error{
		"ReplaceFile": func(fsys FS, name string) error { return ReplaceFile(fsys, name, []byte("new"), 0o600) },
		"ReplaceKeep": func(fsys FS, name string) error {
			return ReplaceKeep(fsys, name, name+".prev", []byte("new"), 0o600)
		},
	}
	for what, do := range replace {
		mem := NewMem()
		s := newScript(mem, "/")
		require.NoError(t, s.put("f", "old"))
		for range maxTemps + 10 {
			died, killed := errors.New("killed"), false
			dead := NewFault(mem, func(op Op) error {
				if op.Kind == OpSync {
					killed = true
				}
				if killed {
					return died
				}
				return nil
			})
			require.ErrorIs(t, do(dead, "/f"), died, what)
		}
		names, err := mem.List("/")
		require.NoError(t, err)
		require.Equal(t, []string{"f", "f.tmp", "f.tmp-1"}, names, what)
		require.NoError(t, do(mem, "/f"), what)
		require.Equal(t, "new", s.get("f"), what)
	}
}

// TestSweepTouchesNothingElse: directories, links and files of other names stay.
func TestSweepTouchesNothingElse(t *testing.T) {
	s := newScript(OS, t.TempDir())
	for _, name := range []string{"f", "victim", "f.tmp", "f.tmp-01", "f.tmp-2", "f.tmp-x", "g.tmp-1"} {
		require.NoError(t, s.put(name, "left"))
	}
	require.NoError(t, os.Mkdir(s.at("f.tmp-1"), 0o700))
	require.NoError(t, ReplaceFile(OS, s.at("f"), []byte("new"), 0o600))
	for _, name := range []string{"victim", "f.tmp", "f.tmp-01", "f.tmp-2", "f.tmp-x", "g.tmp-1"} {
		require.Equal(t, "left", s.get(name), name)
	}
	require.NoError(t, os.Remove(s.at("f.tmp-1")))
	if err := os.Symlink(s.at("victim"), s.at("f.tmp-1")); err != nil {
		t.Skip(err)
	}
	require.NoError(t, ReplaceFile(OS, s.at("f"), []byte("newer"), 0o600))
	_, err := os.Lstat(s.at("f.tmp-1"))
	require.NoError(t, err)
	require.Equal(t, "left", s.get("victim"))
}

func TestReplaceDoesNotFollowLinks(t *testing.T) {
	s := newScript(OS, t.TempDir())
	require.NoError(t, s.put("victim", "whole"))
	for _, link := range []string{"f.tmp", "f.tmp-1", "f"} {
		if err := os.Symlink(s.at("victim"), s.at(link)); err != nil {
			t.Skip(err)
		}
	}
	require.NoError(t, ReplaceFile(OS, s.at("f"), []byte("new"), 0o600))
	require.Equal(t, "whole", s.get("victim"))
	info, err := OS.Lstat(s.at("f"))
	require.NoError(t, err)
	require.True(t, info.Mode.IsRegular())
}

// TestReplaceFailing fails each operation in turn.
func TestReplaceFailing(t *testing.T) {
	injected := []error{syscall.EIO, ShortWrite{1, syscall.ENOSPC}}
	steps := len(replaceOps(t))
	require.Equal(t, 6, steps)
	for n := 1; n <= steps; n++ {
		for _, fault := range injected {
			mem := NewMem()
			s := newScript(mem, "/")
			require.NoError(t, s.put("f", "old"))
			failed := OpOpen
			f := NewFault(mem, func(op Op) error {
				if op.N != n {
					return nil
				}
				failed = op.Kind
				return fault
			})
			err := ReplaceFile(f, "/f", []byte("new"), 0o600)
			want := "old"
			if failed == OpSyncDir {
				want = "new" // in place, but who knows for how long
			}
			require.Error(t, err)
			require.Equal(t, fmt.Sprintf("f 1 %q\n", want), s.dump("."), "after a failed %v", failed)
			cause := fault
			if short, ok := fault.(ShortWrite); ok {
				cause = short.Err
			}
			require.ErrorIs(t, err, cause)
			_, ok := errors.AsType[*fs.PathError](err)
			require.True(t, ok)
		}
	}
}

// replaceOps returns the operations of a replacement.
func replaceOps(t *testing.T) []Op {
	f := NewFault(NewMem(), nil)
	require.NoError(t, ReplaceFile(f, "/f", []byte("new"), 0o600))
	return f.Ops()
}

func TestReplaceWriterFails(t *testing.T) {
	s := newScript(NewMem(), "/")
	require.NoError(t, s.put("f", "old"))
	boom := errors.New("boom")
	err := Replace(s.fs, "/f", 0o600, func(w io.Writer) error {
		w.Write([]byte("half"))
		return boom
	})
	require.ErrorIs(t, err, boom)
	require.Equal(t, "f 1 \"old\"\n", s.dump("."))
}

// TestReplaceCrashing loses the power before each operation and after the
// last, in every way: the file is old or new and never in between, and after
// success it is new.
func TestReplaceCrashing(t *testing.T) {
	oldContent, newContent := strings.Repeat("old", 1000), strings.Repeat("new", 2000)
	steps := len(replaceOps(t))
	seen := map[string]bool{}
	for n := 1; n <= steps+1; n++ {
		mem := NewMem()
		require.NoError(t, ReplaceFile(mem, "/f", []byte(oldContent), 0o600))
		err := ReplaceFile(NewFault(mem, CrashAt(n)), "/f", []byte(newContent), 0o600)
		require.Equal(t, n == steps+1, err == nil)
		for data := DataLost; data <= DataSubset; data++ {
			for names := NamesLost; names <= NamesSubset; names++ {
				for seed := range uint64(8) {
					after := mem.Crash(CrashConfig{Data: data, Names: names, Seed: seed})
					got := newScript(after, "/").get("f")
					whole := got == newContent || got == oldContent && err != nil
					require.True(t, whole, "crash before operation %d: %d bytes left by %v %v %d", n, len(got), data, names, seed)
					seen[fmt.Sprint(n, got == newContent)] = true
				}
			}
		}
	}
	// Each outcome is there where it must be, so the test sees something.
	require.True(t, seen["1 false"])
	require.True(t, seen[fmt.Sprint(steps, false)] && seen[fmt.Sprint(steps, true)], "before the directory is synced either may be there")
	require.False(t, seen[fmt.Sprint(steps-1, true)])
}

func TestReadFile(t *testing.T) {
	onEach(t, func(t *testing.T, fsys FS, dir string) {
		s := newScript(fsys, dir)
		require.NoError(t, s.put("f", "12345"))
		for _, limit := range []int64{5, 6, math.MaxInt64} {
			b, err := ReadFile(fsys, s.at("f"), limit)
			require.NoError(t, err)
			require.Equal(t, "12345", string(b))
		}
		for _, limit := range []int64{4, 0, -1} {
			_, err := ReadFile(fsys, s.at("f"), limit)
			require.ErrorIs(t, err, ErrTooLarge)
			require.ErrorContains(t, err, s.at("f"))
		}
		_, err := ReadFile(fsys, s.at("x"), 5)
		require.ErrorIs(t, err, fs.ErrNotExist)
		_, err = ReadFile(fsys, dir, 1<<20)
		require.Equal(t, syscall.EISDIR.Error(), kind(err))
		require.NoError(t, s.put("f", ""))
		b, err := ReadFile(fsys, s.at("f"), 0)
		require.NoError(t, err)
		require.Empty(t, b)
	})
}

// TestReadFileThatGrows: the limit also holds for what comes after the size
// was looked at.
func TestReadFileThatGrows(t *testing.T) {
	s := newScript(NewMem(), "/")
	require.NoError(t, s.put("f", "12345"))
	grown := NewFault(s.fs, func(op Op) error {
		if op.Kind == OpReadAt {
			return s.put("f", "1234567890")
		}
		return nil
	})
	_, err := ReadFile(grown, "/f", 7)
	require.ErrorIs(t, err, ErrTooLarge)
}

func TestReplaceOnFullNames(t *testing.T) {
	s := newScript(OS, t.TempDir())
	long := s.at(strings.Repeat("n", 300))
	err := ReplaceFile(OS, long, nil, 0o600)
	require.Error(t, err)
	require.ErrorContains(t, err, filepath.Base(long))
	require.True(t, slices.Equal([]string{}, must(OS.List(s.dir))))
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
