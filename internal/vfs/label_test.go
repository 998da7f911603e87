package vfs

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLabel: a label belongs to the file, not to the handle or the name.
func TestLabel(t *testing.T) {
	onEach(t, func(t *testing.T, fsys FS, dir string) {
		name := filepath.Join(dir, "f")
		require.NoError(t, ReplaceFile(fsys, name, []byte("some bytes"), 0o600))
		f := openLabeled(t, fsys, name, os.O_RDWR|os.O_APPEND)
		text, err := f.Label()
		if errors.Is(err, errors.ErrUnsupported) {
			t.Skipf("the file system of %s: %v", name, err)
		}
		require.NoError(t, err)
		require.Empty(t, text)
		long := strings.Repeat("x", 255)
		for _, want := range []string{"a", long, "b"} {
			require.NoError(t, f.SetLabel(want))
			text, err = openLabeled(t, fsys, name, os.O_RDONLY).Label()
			require.NoError(t, err)
			require.Equal(t, want, text)
		}
		require.NoError(t, fsys.Rename(name, name+"2"))
		text, err = openLabeled(t, fsys, name+"2", os.O_RDONLY).Label()
		require.NoError(t, err)
		require.Equal(t, "b", text)
		require.NoError(t, ReplaceFile(fsys, name+"2", []byte("some bytes"), 0o600))
		text, err = openLabeled(t, fsys, name+"2", os.O_RDONLY).Label()
		require.NoError(t, err)
		require.Empty(t, text)
	})
}

type labeled interface {
	File
	Labeler
}

func openLabeled(t *testing.T, fsys FS, name string, flag int) labeled {
	t.Helper()
	f, err := fsys.Open(name, flag, 0)
	require.NoError(t, err)
	t.Cleanup(func() { f.Close() })
	l, ok := f.(labeled)
	if !ok {
		t.Skip("no labels on this system")
	}
	return l
}
