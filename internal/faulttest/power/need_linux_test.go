package power

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// needVolumes skips where loop devices cannot be mounted.
func needVolumes(t testing.TB, kind string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can mount file systems")
	}
	needCommand(t, "losetup", "mount")
	needCommand(t, "mkfs."+kind, map[string]string{"ext4": "e2fsprogs", "xfs": "xfsprogs"}[kind])
	needDevice(t, "/dev/loop-control")
	needFileSystem(t, kind)
}

// needs skips the test because something is missing here that could be had, or
// fails it in CI, where everything is.
func needs(t testing.TB, format string, args ...any) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf("CI=true, and "+format, args...)
	}
	t.Skipf(format, args...)
}

func needCommand(t testing.TB, command, pkg string) {
	t.Helper()
	if _, err := exec.LookPath(command); err != nil {
		needs(t, "%s is missing, of the package %s", command, pkg)
	}
}

// needDevice skips where the kernel lacks something: nothing can be done about
// that, in CI neither.
func needDevice(t testing.TB, name string) {
	t.Helper()
	if _, err := os.Stat(name); err != nil {
		t.Skipf("the kernel has no %s", name)
	}
}

// needFileSystem skips where the kernel does not know kind, or a module for it.
func needFileSystem(t testing.TB, kind string) {
	t.Helper()
	if knowsFileSystem(t, kind) {
		return
	}
	// It fails where there is no such module, and then the second look tells.
	_ = exec.Command("modprobe", kind).Run()
	if !knowsFileSystem(t, kind) {
		t.Skipf("the kernel has no %s", kind)
	}
}

func knowsFileSystem(t testing.TB, kind string) bool {
	t.Helper()
	known, err := os.ReadFile("/proc/filesystems")
	require.NoError(t, err)
	for line := range strings.Lines(string(known)) {
		if words := strings.Fields(line); words[len(words)-1] == kind {
			return true
		}
	}
	return false
}

// everything says that no time is to be spared.
func everything() bool { return os.Getenv("JLQ_FAULTS") == "all" }

// patience is how long random trials go on: full in CI, shorter elsewhere, ten
// times as long where everything is asked for.
func patience(full time.Duration) time.Duration {
	switch {
	case everything():
		return 10 * full
	case os.Getenv("CI") == "true":
		return full
	}
	return full / 10
}

// chance is the source of a test's random choices.
func chance(t testing.TB) *rand.Rand {
	t.Helper()
	seed := rand.Uint64()
	if text := os.Getenv("JLQ_FAULTS_SEED"); text != "" {
		var err error
		seed, err = strconv.ParseUint(text, 10, 64)
		require.NoError(t, err)
	}
	t.Logf("JLQ_FAULTS_SEED=%d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}
