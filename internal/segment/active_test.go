package segment

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/vfs"
)

// TestPlain: what is appended to is one regular file with one name.
func TestPlain(t *testing.T) {
	dir := t.TempDir()
	name := func(n string) string { return filepath.Join(dir, n) }
	require.NoError(t, os.WriteFile(name("file"), nil, 0o600))
	require.NoError(t, os.Mkdir(name("directory"), 0o700))
	require.NoError(t, os.WriteFile(name("one"), nil, 0o600))
	require.NoError(t, os.Link(name("one"), name("two")))
	require.NoError(t, plain(vfs.OS, name("file")))
	refused := map[string]string{"two": "hard link", "directory": "not a regular file"}
	if runtime.GOOS != "windows" { // where links need a privilege
		require.NoError(t, os.Symlink("file", name("symlink")))
		require.NoError(t, os.Symlink("nothing", name("dangling")))
		refused["symlink"], refused["dangling"] = "symbolic link", "symbolic link"
	}
	for n, want := range refused {
		require.ErrorContains(t, plain(vfs.OS, name(n)), want)
		_, _, err := openAppend(vfs.OS, name(n))
		require.ErrorContains(t, err, want)
	}
	require.ErrorIs(t, plain(vfs.OS, name("missing")), fs.ErrNotExist)
}

// TestRecoverGrownAtTheEnd: what another program appends after recovery has
// looked for the last time is seen before the first append.
func TestRecoverGrownAtTheEnd(t *testing.T) {
	mem := vfs.NewMem()
	s := state{recs: three, idx: []uint64{0, 8, 16, 24}, meta: weak(24)}
	s.put(t, mem)
	path := PairAt("p", 0).Records
	fault := vfs.NewFault(mem, func(op vfs.Op) error {
		if op.Kind == vfs.OpRename && op.To == filepath.Join("p", MetaName) {
			f, err := mem.Open(path, os.O_WRONLY|os.O_APPEND, 0)
			require.NoError(t, err)
			_, err = f.Write([]byte("{}\n"))
			require.NoError(t, err)
			require.NoError(t, f.Close())
		}
		return nil
	})
	_, _, _, err := recoverState(fault, s.meta)
	require.ErrorIs(t, err, ErrForeignWrite)
	require.Equal(t, three+"{}\n", read(t, mem, path))
}
