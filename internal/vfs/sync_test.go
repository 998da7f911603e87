package vfs

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// syncOnce syncs a file and its directory.
func syncOnce(dir string) {
	f, err := OS.Open(filepath.Join(dir, "f"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err == nil {
		_, err = f.Write([]byte("x"))
	}
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = OS.SyncDir(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// TestSyncReachesTheKernel watches the system calls: nothing else can tell a
// sync from its absence without cutting the power.
func TestSyncReachesTheKernel(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("strace is not installed")
	}
	dir, trace := t.TempDir(), filepath.Join(t.TempDir(), "trace")
	args := []string{"-f", "-y", "-e", "trace=fsync,fdatasync,write", "-o", trace, os.Args[0]}
	if err := exec.Command(strace, "-o", os.DevNull, "true").Run(); err != nil {
		t.Skipf("strace may not trace here: %v", err)
	}
	cmd := exec.Command(strace, args...)
	cmd.Env = inRole("sync", dir)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))

	calls, err := os.ReadFile(trace)
	require.NoError(t, err)
	file := `\(\d+<` + filepath.Join(dir, "f") + `>`
	require.Regexp(t, `(?s) write`+file+`.* fdatasync`+file+`\)\s+= 0.* fsync\(\d+<`+dir+`>\)\s+= 0`, string(calls))
}
