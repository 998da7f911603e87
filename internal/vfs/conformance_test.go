package vfs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// onEach runs a test on every file system, in an empty directory of it.
func onEach(t *testing.T, test func(t *testing.T, fsys FS, dir string)) {
	t.Run("OS", func(t *testing.T) { test(t, OS, t.TempDir()) })
	t.Run("Mem", func(t *testing.T) { test(t, NewMem(), "/") })
	t.Run("Fault", func(t *testing.T) { test(t, NewFault(OS, nil), t.TempDir()) })
}

// kind names what an error matches, so that file systems can be compared.
// What is absent comes first: on Windows ENOTDIR is one of its errors.
func kind(err error) string {
	known := []error{
		fs.ErrNotExist, syscall.ENOTEMPTY, syscall.ENOTDIR, syscall.EISDIR, syscall.EINVAL, syscall.EBADF,
		fs.ErrExist, fs.ErrPermission, fs.ErrClosed,
		ErrLocked, ErrNotRegular, ErrCrashed, errAppend, errNoAppend, io.EOF,
	}
	err = asUnix(err)
	for _, k := range known {
		if errors.Is(err, k) {
			return k.Error()
		}
	}
	switch {
	case err == nil:
		return "ok"
	case strings.Contains(err.Error(), "negative"):
		return "negative"
	}
	return err.Error()
}

// script is a file system with names relative to a directory, and the one
// open file of each name.
type script struct {
	fs    FS
	dir   string
	files map[string]File
	locks map[string]Lock
}

func newScript(fsys FS, dir string) *script {
	return &script{fsys, dir, map[string]File{}, map[string]Lock{}}
}

func (s *script) at(name string) string { return filepath.Join(s.dir, name) }

func (s *script) open(name string, flag int) error {
	f, err := s.fs.Open(s.at(name), flag, 0o600)
	if err == nil {
		if old := s.files[name]; old != nil {
			old.Close()
		}
		s.files[name] = f
	}
	return err
}

func (s *script) lock(name string) error {
	l, err := s.fs.Lock(s.at(name))
	if err == nil {
		s.locks[name] = l
	}
	return err
}

func (s *script) unlock(name string) error {
	l := s.locks[name]
	delete(s.locks, name)
	return l.Close()
}

func (s *script) put(name, content string) error {
	f, err := s.fs.Open(s.at(name), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteAt([]byte(content), 0)
	return errors.Join(err, f.Close())
}

func (s *script) get(name string) string {
	b, err := ReadFile(s.fs, s.at(name), 1<<20)
	if err != nil {
		return kind(err)
	}
	return string(b)
}

func (s *script) write(name, data string) error {
	_, err := s.files[name].Write([]byte(data))
	return err
}

func (s *script) writeAt(name, data string, off int64) error {
	_, err := s.files[name].WriteAt([]byte(data), off)
	return err
}

func (s *script) close() {
	for _, f := range s.files {
		f.Close()
	}
	for _, l := range s.locks {
		l.Close()
	}
}

func TestConformance(t *testing.T) {
	const create = os.O_RDWR | os.O_CREATE
	tests := []struct {
		name string
		want string
		run  func(s *script) error
	}{
		{"open what is absent", "file does not exist", func(s *script) error { return s.open("x", os.O_RDWR) }},
		{"create in what is absent", "file does not exist", func(s *script) error { return s.open("x/y", create) }},
		{"create in a file", "not a directory", func(s *script) error { return s.open("f/y", create) }},
		{"create anew", "ok", func(s *script) error { return s.open("x", create|os.O_EXCL) }},
		{"create what exists", "file already exists", func(s *script) error { return s.open("f", create|os.O_EXCL) }},
		{"create over a directory", "file already exists", func(s *script) error { return s.open("d", create|os.O_EXCL) }},
		{"open or create", "ok", func(s *script) error { return s.open("f", create) }},
		{"open with no name", "file does not exist", func(s *script) error {
			_, err := s.fs.Open("", os.O_RDONLY, 0)
			return err
		}},
		{"open a directory", "ok", func(s *script) error { return s.open("d", os.O_RDONLY) }},
		{"open a directory to write", "is a directory", func(s *script) error { return s.open("d", os.O_RDWR) }},
		{"read a directory", "is a directory", func(s *script) error {
			s.open("d", os.O_RDONLY)
			_, err := s.files["d"].ReadAt(make([]byte, 1), 0)
			return err
		}},
		{"truncating open", "ok", func(s *script) error {
			s.open("f", os.O_RDWR|os.O_TRUNC)
			return expect(s.get("f"), "")
		}},

		{"write at", "ok", func(s *script) error {
			s.open("f", os.O_RDWR)
			return errors.Join(s.writeAt("f", "XY", 2), s.writeAt("f", "!", 12), expect(s.get("f"), "heXYo\x00\x00\x00\x00\x00\x00\x00!"))
		}},
		{"write at a negative position", "negative", func(s *script) error { s.open("f", os.O_RDWR); return s.writeAt("f", "X", -1) }},
		{"write at when appending", errAppend.Error(), func(s *script) error {
			s.open("f", os.O_RDWR|os.O_APPEND)
			return s.writeAt("f", "X", 0)
		}},
		{"append", "ok", func(s *script) error {
			s.open("f", os.O_WRONLY|os.O_APPEND)
			return errors.Join(s.write("f", "1"), s.put("f", "ab"), s.write("f", "2"), expect(s.get("f"), "ab2"))
		}},
		{"append nothing", "ok", func(s *script) error { s.open("f", os.O_WRONLY|os.O_APPEND); return s.write("f", "") }},
		{"append when not appending", errNoAppend.Error(), func(s *script) error { s.open("f", os.O_RDWR); return s.write("f", "1") }},
		{"cut an appending file", "ok", func(s *script) error {
			s.open("f", os.O_RDWR|os.O_APPEND)
			return errors.Join(s.files["f"].Truncate(2), s.write("f", "2"), expect(s.get("f"), "he2"))
		}},
		{"extend", "ok", func(s *script) error {
			s.open("f", os.O_RDWR)
			return errors.Join(s.files["f"].Truncate(7), expect(s.get("f"), "hello\x00\x00"))
		}},
		{"cut and extend", "ok", func(s *script) error {
			s.open("f", os.O_RDWR)
			return errors.Join(s.files["f"].Truncate(1), s.files["f"].Truncate(3), expect(s.get("f"), "h\x00\x00"))
		}},
		{"cut below nothing", "invalid argument", func(s *script) error { s.open("f", os.O_RDWR); return s.files["f"].Truncate(-1) }},
		{"cut what is only read", "invalid argument", func(s *script) error { s.open("f", os.O_RDONLY); return s.files["f"].Truncate(1) }},
		{"write what is only read", "bad file descriptor", func(s *script) error { s.open("f", os.O_RDONLY); return s.writeAt("f", "X", 0) }},
		{"read what is only written", "bad file descriptor", func(s *script) error {
			s.open("f", os.O_WRONLY)
			_, err := s.files["f"].ReadAt(make([]byte, 1), 0)
			return err
		}},
		{"read past the end", "EOF", func(s *script) error {
			s.open("f", os.O_RDONLY)
			b := make([]byte, 9)
			n, err := s.files["f"].ReadAt(b, 1)
			return errors.Join(expect(string(b[:n]), "ello"), err)
		}},
		{"read beyond the end", "EOF", func(s *script) error {
			s.open("f", os.O_RDONLY)
			_, err := s.files["f"].ReadAt(make([]byte, 1), 1<<40)
			return err
		}},
		{"sync", "ok", func(s *script) error { s.open("f", os.O_RDWR); return s.files["f"].Sync() }},
		{"close twice", fs.ErrClosed.Error(), func(s *script) error {
			s.open("f", os.O_RDONLY)
			s.files["f"].Close()
			return s.files["f"].Close()
		}},

		{"make a directory", "ok", func(s *script) error { return errors.Join(s.fs.Mkdir(s.at("d/e"), 0o700), s.open("d/e/x", create)) }},
		{"make what exists", "file already exists", func(s *script) error { return s.fs.Mkdir(s.at("f"), 0o700) }},
		{"make in what is absent", "file does not exist", func(s *script) error { return s.fs.Mkdir(s.at("x/y"), 0o700) }},
		{"remove a file", "ok", func(s *script) error {
			return errors.Join(s.fs.Remove(s.at("f")), expect(s.get("f"), "file does not exist"))
		}},
		{"remove what is absent", "file does not exist", func(s *script) error { return s.fs.Remove(s.at("x")) }},
		{"remove a directory", "ok", func(s *script) error { return errors.Join(s.fs.Remove(s.at("d/g")), s.fs.Remove(s.at("d"))) }},
		{"remove a full directory", "directory not empty", func(s *script) error { return s.fs.Remove(s.at("d")) }},
		{"a removed file is still read", "ok", func(s *script) error {
			s.open("f", os.O_RDONLY)
			info, err := s.files["f"].Stat()
			b := make([]byte, 5)
			rerr := s.fs.Remove(s.at("f"))
			s.put("f", "other")
			_, err2 := s.files["f"].ReadAt(b, 0)
			after, err3 := s.files["f"].Stat()
			return errors.Join(err, err2, err3, rerr, expect(string(b), "hello"),
				expect(info.Same(after), true), expect(after.Links, uint64(0)))
		}},

		{"rename", "ok", func(s *script) error {
			return errors.Join(s.fs.Rename(s.at("f"), s.at("d/x")), expect(s.get("d/x"), "hello"), expect(s.get("f"), "file does not exist"))
		}},
		{"rename over a file", "ok", func(s *script) error {
			s.open("d/g", os.O_RDONLY)
			err := s.fs.Rename(s.at("f"), s.at("d/g"))
			info, err2 := s.files["d/g"].Stat()
			return errors.Join(err, err2, expect(s.get("d/g"), "hello"), expect(info.Links, uint64(0)))
		}},
		{"rename what is absent", "file does not exist", func(s *script) error { return s.fs.Rename(s.at("x"), s.at("f")) }},
		{"rename into what is absent", "file does not exist", func(s *script) error { return s.fs.Rename(s.at("f"), s.at("x/y")) }},
		{"rename over a directory", "file already exists", func(s *script) error { return s.fs.Rename(s.at("f"), s.at("d")) }},
		{"rename a directory over a file", "not a directory", func(s *script) error { return s.fs.Rename(s.at("d"), s.at("f")) }},
		{"rename a directory into itself", "invalid argument", func(s *script) error { return s.fs.Rename(s.at("d"), s.at("d/x")) }},
		{"rename a directory", "ok", func(s *script) error {
			return errors.Join(s.fs.Rename(s.at("d"), s.at("x")), expect(s.get("x/g"), "world"))
		}},
		{"rename between links does nothing", "ok", func(s *script) error {
			return errors.Join(s.fs.Link(s.at("f"), s.at("x")), s.fs.Rename(s.at("f"), s.at("x")), expect(s.get("f"), "hello"))
		}},

		{"link", "ok", func(s *script) error {
			err := s.fs.Link(s.at("f"), s.at("x"))
			a, err2 := s.fs.Stat(s.at("f"))
			b, err3 := s.fs.Lstat(s.at("x"))
			return errors.Join(err, err2, err3, expect(a.Same(b), true), expect(b.Links, uint64(2)), expect(s.get("x"), "hello"))
		}},
		{"link over a file", "file already exists", func(s *script) error { return s.fs.Link(s.at("f"), s.at("d/g")) }},
		{"link a directory", "permission denied", func(s *script) error {
			if !errors.Is(s.fs.Link(s.at("d"), s.at("x")), fs.ErrPermission) {
				return nil
			}
			return fs.ErrPermission
		}},

		{"stat", "ok", func(s *script) error {
			s.open("f", os.O_RDONLY)
			a, err := s.files["f"].Stat()
			b, err2 := s.fs.Stat(s.at("f"))
			other, err3 := s.fs.Stat(s.at("d/g"))
			return errors.Join(err, err2, err3, expect(a, b), expect(a.Same(other), false), expect(a.Size, int64(5)),
				expect(a.Mode, permOf(s.fs, 0o600)), expect(a.Links, uint64(1)))
		}},
		{"stat a directory", "ok", func(s *script) error {
			a, err := s.fs.Stat(s.at("d"))
			return errors.Join(err, expect(a.Mode, permOf(s.fs, fs.ModeDir|0o700)))
		}},
		{"stat what is absent", "file does not exist", func(s *script) error { _, err := s.fs.Stat(s.at("x")); return err }},
		{"list", "ok", func(s *script) error {
			s.put("a", "")
			names, err := s.fs.List(s.at("."))
			return errors.Join(err, expect(fmt.Sprint(names), "[a d f]"))
		}},
		{"list what is absent", "file does not exist", func(s *script) error { _, err := s.fs.List(s.at("x")); return err }},
		{"list a file", "not a directory", func(s *script) error { _, err := s.fs.List(s.at("f")); return err }},
		{"sync a directory", "ok", func(s *script) error { return s.fs.SyncDir(s.at("d")) }},
		{"sync an absent directory", "file does not exist", func(s *script) error { return s.fs.SyncDir(s.at("x")) }},
		{"sync a file as a directory", "not a directory", func(s *script) error { return s.fs.SyncDir(s.at("f")) }},

		{"lock a file", "ok", func(s *script) error { return s.lock("f") }},
		{"lock twice", ErrLocked.Error(), func(s *script) error { return errors.Join(s.lock("d"), s.lock("d")) }},
		{"lock another name", ErrLocked.Error(), func(s *script) error {
			return errors.Join(s.fs.Link(s.at("f"), s.at("x")), s.lock("f"), s.lock("x"))
		}},
		{"lock again", "ok", func(s *script) error { return errors.Join(s.lock("f"), s.unlock("f"), s.lock("f")) }},
		{"lock what replaced a locked file", "ok", func(s *script) error {
			err := errors.Join(s.lock("f"), s.fs.Rename(s.at("d/g"), s.at("f")))
			held := s.locks["f"].Info()
			now, err2 := s.fs.Stat(s.at("f"))
			return errors.Join(err, err2, expect(held.Same(now), false), s.lock("f"))
		}},
		{"lock and close the file", ErrLocked.Error(), func(s *script) error {
			return errors.Join(s.open("f", os.O_RDWR), s.lock("f"), s.files["f"].Close(), s.lock("f"))
		}},
		{"lock what is absent", "file does not exist", func(s *script) error { return s.lock("x") }},
		{"unlock twice", fs.ErrClosed.Error(), func(s *script) error {
			s.lock("f")
			l := s.locks["f"]
			return errors.Join(l.Close(), l.Close())
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			onEach(t, func(t *testing.T, fsys FS, dir string) {
				if posixNames[tt.name] {
					needPOSIXNames(t)
				}
				s := newScript(fsys, dir)
				defer s.close()
				require.NoError(t, s.put("f", "hello"))
				require.NoError(t, fsys.Mkdir(s.at("d"), 0o700))
				require.NoError(t, s.put("d/g", "world"))
				got := kind(tt.run(s))
				if !slices.Contains(onWindows[tt.name], got) {
					require.Equal(t, tt.want, got)
				}
			})
		})
	}
}

// expect is an error unless the two are equal.
func expect[T comparable](got, want T) error {
	if got != want {
		return fmt.Errorf("got %v, want %v", got, want)
	}
	return nil
}

func TestErrorsNameThePath(t *testing.T) {
	onEach(t, func(t *testing.T, fsys FS, dir string) {
		x, y := filepath.Join(dir, "x"), filepath.Join(dir, "y")
		_, open := fsys.Open(x, os.O_RDONLY, 0)
		_, stat := fsys.Stat(x)
		_, lock := fsys.Lock(x)
		_, list := fsys.List(x)
		errs := []error{open, stat, lock, list, fsys.SyncDir(x), fsys.Remove(x), fsys.Rename(x, y), fsys.Link(x, y)}
		for _, err := range errs {
			pe, ok := errors.AsType[*fs.PathError](err)
			require.True(t, ok, "%v", err)
			require.Equal(t, x, pe.Path)
			require.ErrorIs(t, err, fs.ErrNotExist)
		}
		require.ErrorContains(t, fsys.Rename(x, y), y)
	})
}

func TestClosedFile(t *testing.T) {
	onEach(t, func(t *testing.T, fsys FS, dir string) {
		f, err := fsys.Open(filepath.Join(dir, "f"), os.O_RDWR|os.O_CREATE, 0o600)
		require.NoError(t, err)
		require.NoError(t, f.Close())
		b := make([]byte, 1)
		_, read := f.ReadAt(b, 0)
		_, writeAt := f.WriteAt(b, 0)
		_, write := f.Write(b)
		_, stat := f.Stat()
		for _, err := range []error{read, writeAt, write, stat, f.Truncate(0), f.Sync(), f.Close()} {
			require.ErrorIs(t, err, fs.ErrClosed)
		}
		require.Equal(t, filepath.Join(dir, "f"), f.Name())
	})
}
