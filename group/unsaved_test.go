package group

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/vfs"
)

// readOnly is a file system that nothing can be written to.
func readOnly(fsys vfs.FS) *vfs.Fault {
	return vfs.NewFault(fsys, func(op vfs.Op) error {
		if op.Kind.Changes() && op.Kind != vfs.OpOpen || op.Kind == vfs.OpOpen && made(op.Path) && !there(fsys, op.Path) {
			return &fs.PathError{Op: op.Kind.String(), Path: op.Path, Err: syscall.EROFS}
		}
		return nil
	})
}

// made reports whether a file of this name is only opened to be made.
func made(path string) bool {
	return strings.HasSuffix(path, ".lock") || strings.Contains(path, ".tmp") || strings.HasSuffix(path, newSuffix)
}

func there(fsys vfs.FS, path string) bool {
	_, err := fsys.Lstat(path)
	return err == nil
}

// PE-01: where nothing can be saved, consuming is refused with the name of the
// file; asked to, it goes on without saving, and writes nothing.
func TestReadOnlyLog(t *testing.T) {
	mem := vfs.NewMem()
	fill(t, mem, "log", 10)
	_, err := open(t, readOnly(mem), "log", Options{}).Join(t.Context())
	var save *SaveError
	require.ErrorAs(t, err, &save)
	require.Equal(t, "log/offsets.json", save.Path)
	require.ErrorIs(t, err, syscall.EROFS)
	require.ErrorContains(t, err, "group g: its offsets cannot be saved in log/offsets.json: ")

	names, err := mem.List("log")
	require.NoError(t, err)
	g := open(t, readOnly(mem), "log", Options{NoCommit: true, Start: ToOffset(3)})
	m := join(t, g)
	s := (*m.list.Load())[0]
	require.Equal(t, uint64(3), s.claim.next)
	require.NoError(t, errors.Join(m.hold(s), m.CommitSync(), m.Close()))
	after, err := mem.List("log")
	require.NoError(t, err)
	require.Equal(t, names, after)
}

// A group that is registered is read from where it is, also without saving.
func TestUnsavedGoesOn(t *testing.T) {
	mem := vfs.NewMem()
	fill(t, mem, "log", 10)
	g := open(t, mem, "log", Options{Start: ToOffset(6)})
	a := join(t, g)
	before := entry(t, g)
	b := join(t, open(t, readOnly(mem), "log", Options{NoCommit: true}))
	require.Equal(t, uint64(6), (*b.list.Load())[0].claim.next)
	require.NoError(t, b.Close())
	require.Equal(t, before, entry(t, g))
	require.NoError(t, a.Close())
}

// Registered, and read-only from then on: what cannot be saved is refused
// before a record is delivered.
func TestReadOnlyAfterRegistering(t *testing.T) {
	mem := vfs.NewMem()
	fill(t, mem, "log", 10)
	require.NoError(t, join(t, open(t, mem, "log", Options{})).Close())
	_, err := open(t, readOnly(mem), "log", Options{}).Join(t.Context())
	var save *SaveError
	require.ErrorAs(t, err, &save)
	require.ErrorContains(t, err, "offsets.json")
}

func TestReadOnlyDirectory(t *testing.T) {
	if os.Getuid() <= 0 {
		t.Skip("permissions do not hold for root, or not at all")
	}
	dir := t.TempDir() + "/log"
	fill(t, vfs.OS, dir, 10)
	require.NoError(t, os.Chmod(dir, 0o500))
	defer os.Chmod(dir, 0o700)
	_, err := open(t, vfs.OS, dir, Options{}).Join(t.Context())
	require.ErrorIs(t, err, fs.ErrPermission)
	require.ErrorContains(t, err, dir+"/offsets.json")
	require.NoError(t, join(t, open(t, vfs.OS, dir, Options{NoCommit: true})).Close())
}

// Without saving there are no dead letters either: what would be one is left
// out, and comes again.
func TestNoCommitWritesNoDeadLetters(t *testing.T) {
	mem := vfs.NewMem()
	fill(t, mem, "log", 3)
	names, err := mem.List("log")
	require.NoError(t, err)
	no := errors.New("no")
	m := join(t, open(t, readOnly(mem), "log", Options{
		NoCommit: true, MaxAttempts: 1, Where: func(data []byte) (bool, error) { return true, map[bool]error{true: no}[data[5] == '0'] },
	}))
	var got []uint64
	for msg, err := range m.MessagesToEnd(t.Context()) {
		require.NoError(t, err)
		got = append(got, msg.Offset)
		msg.Nack(no)
	}
	require.Equal(t, []uint64{1, 2}, got)
	require.NoError(t, m.Close())
	after, err := mem.List("log")
	require.NoError(t, err)
	require.Equal(t, names, after)
}
