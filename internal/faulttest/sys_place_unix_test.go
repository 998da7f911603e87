//go:build unix

package faulttest

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"example.com/jlq/partition"
)

// strangers are what can lie in the place of a file; each is made at name
// with what target names behind it, which nobody may change.
var strangers = map[string]func(name, target string) error{
	"symbolic link":            func(name, target string) error { return os.Symlink(target, name) },
	"symbolic link to nothing": func(name, target string) error { return os.Symlink(target+".none", name) },
	"hard link":                func(name, target string) error { return os.Link(target, name) },
	"FIFO":                     func(name, _ string) error { return unix.Mkfifo(name, 0o600) },
	"directory":                func(name, _ string) error { return os.Mkdir(name, 0o700) },
}

// places are the names of the files that a log has or gets.
var places = map[string][]string{
	"p": {
		"p/00000000000000000000.jsonl", "p/00000000000000000000.index", "p/partition.json", "p/partition.json.tmp",
		"p/00000000000000000000.index.tmp", "p/00000000000000000000.torn-225", "p",
	},
	"f.jsonl": {"f.jsonl", "f.jsonl.index", "f.jsonl.index.tmp"},
}

// TestStrangers puts something else in the place of each file of a log, which
// has work for recovery. Nothing blocks, nothing is written through, and what
// is refused is named.
func TestStrangers(t *testing.T) {
	for log, names := range places {
		for _, place := range names {
			for kind, make := range strangers {
				if place == "p" && kind == "hard link" {
					continue // a directory has none, and a file there is a bare file
				}
				t.Run(place+" "+kind, func(t *testing.T) { stranger(t, log, place, make) })
			}
		}
	}
}

func stranger(t *testing.T, log, place string, make func(name, target string) error) {
	dir := t.TempDir()
	spoil := tornBehind
	if log != "p" {
		spoil = wrongEntries
	}
	_, err := left(log, partition.SyncAlways, spoil)(dir)
	require.NoError(t, err)
	// What is linked to has the content that the place should have, so that
	// it would be taken for the file.
	place, target := filepath.Join(dir, place), filepath.Join(dir, "target")
	if err := os.Rename(place, target); err != nil {
		require.ErrorIs(t, err, os.ErrNotExist)
		require.NoError(t, os.WriteFile(target, []byte(tornTail), 0o600))
	}
	require.NoError(t, make(place, target))
	before := texts(t, target)

	path := filepath.Join(dir, log)
	stdout, stderr, code := runJLQ(t, "\"new\"\n", "append", "--ack", path)
	if code != 0 {
		require.Empty(t, stdout)
		require.Contains(t, stderr, filepath.Base(place))
		require.NotContains(t, stderr, "stored, offset")
	}
	for _, args := range [][]string{{"cat", path}, {"get", path, "0"}, {"count", path}, {"stat", path}, {"verify", path}, {"tail", path}} {
		readOut, readErr, readCode := runJLQ(t, "", args...)
		if code == 0 {
			require.Zero(t, readCode, "%v: %s%s", args, readOut, readErr)
		}
	}
	if log == "f.jsonl" {
		_, _, _ = runJLQ(t, "", "index", path)
	}
	require.Equal(t, before, texts(t, target), "written through")
	_, err = os.Lstat(target + ".none")
	require.ErrorIs(t, err, os.ErrNotExist, "made through a link to nothing")
	if code == 0 {
		last, _, _ := runJLQ(t, "", "tail", "-n", "1", path)
		require.Equal(t, "\"new\"\n", last)
		if place != path {
			requireAside(t, path)
		}
	}
}

// requireAside makes sure that a torn tail is kept in a file of the log's own:
// what a link leads to is somebody else's to remove.
func requireAside(t testing.TB, path string) {
	names, err := filepath.Glob(filepath.Join(path, "*.torn-*"))
	require.NoError(t, err)
	for _, name := range names {
		info, err := os.Lstat(name)
		require.NoError(t, err)
		if info.Mode().IsRegular() && info.Sys().(*syscall.Stat_t).Nlink == 1 {
			require.Equal(t, tornTail, texts(t, name))
			return
		}
	}
	require.NotEqual(t, "p", filepath.Base(path), "the torn tail was not set aside: %v", names)
}

// texts are the bytes of a file, or of those in a directory, but for the log
// in it that a symbolic link to the directory names.
func texts(t testing.TB, name string) string {
	info, err := os.Stat(name)
	require.NoError(t, err)
	if info.IsDir() {
		return "a directory" // it may be the log, under another name
	}
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	return string(text)
}

// TestAliases: one log has one writer, by whatever name another process comes
// to it. The second is refused with code 6, or because the name is none for a
// log, and leaves nothing behind.
func TestAliases(t *testing.T) {
	logs(t, func(t *testing.T, path string) {
		a := startAppend(t, path)
		dir := filepath.Dir(path)
		alias := func(make func(old, new string) error, old, name string) string {
			name = filepath.Join(dir, name)
			require.NoError(t, make(old, name))
			return name
		}
		names := []string{path, alias(os.Symlink, path, "link.jsonl"), filepath.Join(dir, ".", "x", "..", filepath.Base(path))}
		if filepath.Base(path) == "p" {
			records := pairOf(path).Records
			names = append(names, records, alias(os.Symlink, records, "seg.jsonl"), alias(os.Link, records, "hard.jsonl"))
		} else {
			names = append(names, alias(os.Link, path, "hard.jsonl"))
		}
		before, err := os.ReadFile(pairOf(path).Records)
		require.NoError(t, err)
		for _, name := range names {
			stdout, stderr, code := runJLQ(t, "1\n", "append", "--ack", name)
			require.NotZero(t, code, name)
			require.Empty(t, stdout)
			if code != 6 {
				require.Equal(t, 2, code, "%s: %s", name, stderr)
				require.Contains(t, stderr, filepath.Base(name))
			}
			if name != path && filepath.Dir(name) == dir && filepath.Base(name) != filepath.Base(path) {
				require.NoFileExists(t, name+".index")
			}
		}
		after, err := os.ReadFile(pairOf(path).Records)
		require.NoError(t, err)
		require.Equal(t, string(before), string(after))
		for _, name := range names[3:] {
			if !strings.HasPrefix(filepath.Base(name), "0") {
				require.NoError(t, os.Remove(name))
			}
		}
		a.store(1)
		code, stderr := a.end()
		require.Zero(t, code, stderr)
		require.NoError(t, errors.Join(os.Remove(filepath.Join(dir, "link.jsonl"))))
		require.NoError(t, a.account().check(path))
	})
}
