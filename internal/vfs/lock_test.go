package vfs

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// roleEnv makes the test binary another process, with one of the roles, for
// the path in pathEnv.
const (
	roleEnv = "VFS_TEST_ROLE"
	pathEnv = "VFS_TEST_PATH"
)

var roles = map[string]func(path string){"lock": holdLock, "sync": syncOnce}

func TestMain(m *testing.M) {
	if role := roles[os.Getenv(roleEnv)]; role != nil {
		role(os.Getenv(pathEnv))
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// inRole is the environment of such a process.
func inRole(role, path string) []string {
	return append(os.Environ(), roleEnv+"="+role, pathEnv+"="+path)
}

// holdLock holds a lock until stdin ends or the process is killed.
func holdLock(name string) {
	if _, err := OS.Lock(name); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("locked")
	io.Copy(io.Discard, os.Stdin)
}

// lockElsewhere starts a process that holds the lock.
func lockElsewhere(t *testing.T, name string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = inRole("lock", name)
	cmd.Stderr = os.Stderr
	_, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "locked", strings.TrimSpace(line))
	return cmd
}

func TestLockOfAnotherProcess(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "f")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	for _, name := range []string{dir, file} {
		cmd := lockElsewhere(t, name)
		_, err := OS.Lock(name)
		require.ErrorIs(t, err, ErrLocked)
		le, ok := errors.AsType[*LockedError](err)
		require.True(t, ok)
		require.Equal(t, name, le.Path)
		if inLockTable(t, name) {
			require.Equal(t, cmd.Process.Pid, le.PID)
			require.ErrorContains(t, err, fmt.Sprint(cmd.Process.Pid))
		} else {
			require.Zero(t, le.PID)
		}

		require.NoError(t, cmd.Process.Kill()) // SIGKILL: nothing of the process's own releases it
		cmd.Wait()
		lock := eventually(t, name)
		require.NoError(t, lock.Close())
	}
}

// inLockTable reports whether the system lists locks with the device and
// inode that stat gives, which not every file system does.
func inLockTable(t *testing.T, name string) bool {
	if runtime.GOOS != "linux" {
		return false
	}
	info, err := OS.Stat(name)
	require.NoError(t, err)
	table, err := os.ReadFile("/proc/locks")
	dev := info.Dev&0xff | info.Dev>>12&0xfff00 // minor
	return err == nil && strings.Contains(string(table), fmt.Sprintf("%02x:%02x:%d ", info.Dev>>8&0xfff, dev, info.Ino))
}

// eventually locks, and allows for a system that is slow to unlock.
func eventually(t *testing.T, name string) Lock {
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		lock, err := OS.Lock(name)
		if err == nil {
			return lock
		}
		require.ErrorIs(t, err, ErrLocked)
		require.True(t, time.Now().Before(deadline), "still locked: %v", err)
	}
}

// TestLockIsNotInherited: a process that this one starts does not keep the
// lock after this one gave it up.
func TestLockIsNotInherited(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	lock, err := OS.Lock(dir)
	require.NoError(t, err)
	lockElsewhere(t, other)
	require.NoError(t, lock.Close())
	lock, err = OS.Lock(dir)
	require.NoError(t, err)
	require.NoError(t, lock.Close())
}

func TestLockedErrorWithoutPID(t *testing.T) {
	err := error(&LockedError{Path: "p"})
	require.Equal(t, "lock p: locked by another writer", err.Error())
	require.NotErrorIs(t, err, ErrNotRegular)
}
