package vfs

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParent(t *testing.T) {
	for path, want := range map[string]string{
		"log": ".", "log/": ".", "log//": ".", "log/.": ".", "./log/": ".", "a/log/": "a",
		"/log/": "/", "/": "/", ".": "..", "./": "..", "..": "../..", "a/..": "..",
	} {
		require.Equal(t, filepath.FromSlash(want), Parent(filepath.FromSlash(path)), path)
	}
}

// TestSyncParentOfALink: it is the directory above the log that has its name.
func TestSyncParentOfALink(t *testing.T) {
	above, elsewhere := t.TempDir(), t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(above, "log"), 0o700))
	link := filepath.Join(elsewhere, "log")
	if err := os.Symlink(filepath.Join(above, "log"), link); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	var synced Info
	fsys := NewFault(OS, func(op Op) (err error) {
		if op.Kind == OpSyncDir {
			synced, err = OS.Stat(op.Path)
		}
		return err
	})
	require.NoError(t, SyncParent(fsys, link))
	want, err := OS.Stat(above)
	require.NoError(t, err)
	require.True(t, synced.Same(want))
}
