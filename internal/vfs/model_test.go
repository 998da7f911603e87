package vfs

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestMemIsLikeOS does the same random operations on both.
func TestMemIsLikeOS(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the in-memory file system is like those of Unix")
	}
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "vfs")
		require.NoError(t, err)
		defer os.RemoveAll(dir)
		a, b := newScript(OS, dir), newScript(NewMem(), "/")
		defer a.close()
		for range rapid.IntRange(1, 40).Draw(t, "ops") {
			op := drawOp(t)
			require.Equal(t, op(a), op(b))
		}
		require.Equal(t, a.dump("."), b.dump("."))
	})
}

// drawOp returns an operation that says how it went.
func drawOp(t *rapid.T) func(*script) string {
	name := rapid.SampledFrom([]string{"a", "b", "d", "d/a", "d/b", "d/d", "d/d/a"})
	x, y := name.Draw(t, "x"), name.Draw(t, "y")
	data := string(bytes.Repeat([]byte{byte('a' + rapid.IntRange(0, 25).Draw(t, "byte"))}, rapid.IntRange(1, 20).Draw(t, "size")))
	off := rapid.Int64Range(0, 30).Draw(t, "off")
	flag := rapid.SampledFrom([]int{os.O_RDONLY, os.O_WRONLY, os.O_RDWR}).Draw(t, "mode")
	for _, f := range []int{os.O_CREATE, os.O_EXCL, os.O_APPEND, os.O_TRUNC} {
		// What O_TRUNC does to a file opened to read is not defined, nor
		// what O_EXCL does alone.
		if rapid.Bool().Draw(t, "flag") && (f != os.O_TRUNC || flag&3 != 0) && (f != os.O_EXCL || flag&os.O_CREATE != 0) {
			flag |= f
		}
	}
	onFile := func(do func(f File) error) func(*script) string {
		return func(s *script) string {
			if s.files[x] == nil {
				return "not open"
			}
			return kind(do(s.files[x]))
		}
	}
	ops := []func(*script) string{
		func(s *script) string { return kind(s.open(x, flag)) },
		func(s *script) string { return kind(s.open(x, os.O_RDWR|os.O_CREATE)) },
		func(s *script) string { return kind(s.fs.Mkdir(s.at(x), 0o700)) },
		func(s *script) string { return kind(s.fs.Remove(s.at(x))) },
		func(s *script) string { return kind(s.fs.Rename(s.at(x), s.at(y))) },
		func(s *script) string { return kind(s.fs.Link(s.at(x), s.at(y))) },
		func(s *script) string { return kind(s.fs.SyncDir(s.at(x))) },
		func(s *script) string {
			info, err := s.fs.Stat(s.at(x))
			if info.Mode.IsDir() {
				info.Size, info.Links = 0, 0
			}
			return fmt.Sprint(info.Size, info.Mode, info.Links, kind(err))
		},
		func(s *script) string {
			if s.locks[x] != nil {
				return kind(s.unlock(x))
			}
			return kind(s.lock(x))
		},
		onFile(func(f File) error { _, err := f.WriteAt([]byte(data), off); return err }),
		onFile(func(f File) error { _, err := f.Write([]byte(data)); return err }),
		onFile(func(f File) error { return f.Truncate(off) }),
		onFile(func(f File) error { return f.Sync() }),
		onFile(func(f File) error { return f.Close() }),
		onFile(func(f File) error {
			b := make([]byte, len(data))
			n, err := f.ReadAt(b, off)
			return errors.Join(errors.New(string(b[:n])), err)
		}),
	}
	return ops[rapid.IntRange(0, len(ops)-1).Draw(t, "op")]
}

// dump describes everything below a directory.
func (s *script) dump(dir string) string {
	var b strings.Builder
	names, _ := s.fs.List(s.at(dir))
	for _, name := range names {
		name = path.Join(dir, name)
		info, _ := s.fs.Lstat(s.at(name))
		if info.Mode.IsDir() {
			fmt.Fprintf(&b, "%s/\n%s", name, s.dump(name))
		} else {
			fmt.Fprintf(&b, "%s %d %q\n", name, info.Links, s.get(name))
		}
	}
	return b.String()
}
