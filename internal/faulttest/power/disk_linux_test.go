package power

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// disk is a volume whose device fails on command; see ../fusedisk.
type disk struct {
	*volume
	commands io.WriteCloser
	answers  *bufio.Reader
}

// eachDisk runs a test on a disk of each kind of file system.
func eachDisk(t *testing.T, test func(t *testing.T, d *disk)) {
	t.Helper()
	for _, kind := range []string{"ext4", "xfs"} {
		t.Run(kind, func(t *testing.T) { test(t, newDisk(t, kind)) })
	}
}

// newDisk makes a disk with a file system and mounts it until the test ends.
func newDisk(t *testing.T, kind string) *disk {
	t.Helper()
	needVolumes(t, kind)
	needDevice(t, "/dev/fuse")
	server, err := diskProgram.build()
	if err != nil {
		needs(t, "the library of the disk could not be had: %v", err)
	}
	dir := t.TempDir()
	cmd := exec.Command(server, newImage(t, kind, ""), dir)
	cmd.Stderr = os.Stderr
	d := &disk{}
	d.commands, err = cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	d.answers = bufio.NewReader(out)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		require.NoError(t, d.commands.Close())
		require.NoError(t, cmd.Wait())
	})
	d.answer(t)
	d.volume = mountImage(t, kind, "", filepath.Join(dir, "disk"))
	t.Cleanup(func() { d.command(t, "heal") }) // or it could not be unmounted
	return d
}

func (d *disk) answer(t testing.TB) string {
	t.Helper()
	line, err := d.answers.ReadString('\n')
	require.NoError(t, err)
	rest, ok := strings.CutPrefix(line, "ok")
	require.True(t, ok, "the disk says %s", line)
	return strings.TrimSpace(rest)
}

func (d *disk) command(t testing.TB, line string) string {
	t.Helper()
	_, err := io.WriteString(d.commands, line+"\n")
	require.NoError(t, err)
	return d.answer(t)
}

// fail lets the next n writes or reads of bytes that hold text fail; all of
// them, where n is negative.
func (d *disk) fail(t testing.TB, op string, n int, text string) {
	t.Helper()
	d.command(t, fmt.Sprintf("fail %s %d %q", op, n, text))
}

// heal ends all failing and returns how many operations failed so far.
func (d *disk) heal(t testing.TB) int {
	t.Helper()
	d.command(t, "heal")
	n, err := strconv.Atoi(d.command(t, "failed"))
	require.NoError(t, err)
	return n
}
