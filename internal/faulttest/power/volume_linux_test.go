package power

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// The ways to cut the power of a file system: what the ioctl does before the
// file system stops writing for good.
const (
	cutFlushed = 0 // everything is written, as if the machine had been idle
	cutLogged  = 1 // what is in the journal is written
	cutAtOnce  = 2 // nothing is written any more
)

// ioctlShutdown is FS_IOC_SHUTDOWN of ext4, XFS and others.
const ioctlShutdown = 0x8004587d

// volume is a file system on a loop device. It can lose its power: whatever
// the kernel had not written by then is gone when it is mounted again. The
// image itself is a file of the machine and keeps what reached the device, so
// an fsync that is missing shows, a disk that lies about its cache does not.
type volume struct {
	kind, options string
	device        string
	dir           string // where it is mounted
}

// kinds are the file systems to try, with the options to make and mount them.
// A small block, and data that is not ordered before the journal, leave other
// remains after a cut.
var kinds = []struct{ name, kind, mkfs, options string }{
	{"ext4", "ext4", "", ""},
	{"ext4 small blocks", "ext4", "-b 1024", ""},
	{"ext4 writeback", "ext4", "", "data=writeback"},
	{"ext4 journal", "ext4", "", "data=journal"},
	{"ext4 nodelalloc", "ext4", "", "nodelalloc"},
	{"xfs", "xfs", "", ""},
	{"xfs small blocks", "xfs", "-b size=1024", ""},
}

// newImage makes a file that holds an empty file system.
func newImage(t testing.TB, kind, mkfs string) string {
	t.Helper()
	image := filepath.Join(t.TempDir(), "image")
	size, quiet := int64(64<<20), []string{"-q", "-F"}
	if kind == "xfs" {
		size, quiet = 320<<20, []string{"-q", "-f"} // the least that mkfs.xfs accepts is 300 MiB
	}
	require.NoError(t, os.WriteFile(image, nil, 0o600))
	require.NoError(t, os.Truncate(image, size))
	args := append(append(quiet, strings.Fields(mkfs)...), image)
	run(t, "mkfs."+kind, args...)
	return image
}

// mountImage mounts the file system that an image holds, until the test ends.
func mountImage(t testing.TB, kind, options, image string) *volume {
	t.Helper()
	v := &volume{kind: kind, options: options, dir: t.TempDir()}
	v.device = strings.TrimSpace(run(t, "losetup", "--find", "--show", image))
	t.Cleanup(func() { run(t, "losetup", "--detach", v.device) })
	v.mount(t)
	t.Cleanup(func() { v.leave(t) })
	return v
}

func (v *volume) mount(t testing.TB) {
	t.Helper()
	require.NoError(t, unix.Mount(v.device, v.dir, v.kind, 0, v.options), "mount %s", v.kind)
}

// cut cuts the power.
func (v *volume) cut(t testing.TB, how int) {
	t.Helper()
	dir, err := os.Open(v.dir)
	require.NoError(t, err)
	defer dir.Close()
	require.NoError(t, unix.IoctlSetPointerInt(int(dir.Fd()), ioctlShutdown, how))
}

// restart mounts the file system again, with cold caches. The processes that
// used it are gone.
func (v *volume) restart(t testing.TB) {
	t.Helper()
	require.NoError(t, v.unmount())
	v.mount(t)
}

// unmount waits for what is still on its way, such as the end of a process, or
// a mapping that goes with the next collection of garbage.
func (v *volume) unmount() error {
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		err := unix.Unmount(v.dir, 0)
		if !errors.Is(err, unix.EBUSY) || time.Now().After(deadline) {
			return err
		}
		runtime.GC()
	}
}

// leave unmounts the file system, if it is mounted still, and also when a test
// failed and left files open.
func (v *volume) leave(t testing.TB) {
	err := unix.EBUSY
	if !t.Failed() {
		err = errno(v.unmount())
	}
	if err == unix.EBUSY {
		err = errno(unix.Unmount(v.dir, unix.MNT_DETACH))
	}
	if err != 0 && err != unix.EINVAL { // not mounted
		t.Errorf("unmount %s: %v", v.dir, err)
	}
}

// errno is the number of an error of a system call.
func errno(err error) syscall.Errno {
	n, _ := errors.AsType[syscall.Errno](err)
	return n
}

// run runs a command that must succeed and returns what it prints.
func run(t testing.TB, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	require.NoError(t, err, "%s %s: %s", name, strings.Join(args, " "), &complaint)
	return string(out)
}
