package faulttest

import (
	"os"
	"strings"
	"testing"
)

// roleEnv names the function of [roles] that this process is to be, and
// its argument: NAME:ARGUMENT.
const roleEnv = "JLQ_FAULTTEST_ROLE"

// roles are what the test binary can be instead of running tests: processes
// that are killed, stopped or put under limits.
var roles = map[string]func(arg string){}

func TestMain(m *testing.M) {
	if name, arg, ok := strings.Cut(os.Getenv(roleEnv), ":"); ok {
		roles[name](arg)
		os.Exit(0)
	}
	code := m.Run()
	removeBuilt()
	os.Exit(code)
}

// needs skips the test because something is missing here, or fails it in CI,
// where everything is.
func needs(t testing.TB, format string, args ...any) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf("CI=true, and "+format, args...)
	}
	t.Skipf(format, args...)
}

// needsRoot is needs for the rights of root.
func needsRoot(t testing.TB) {
	t.Helper()
	if os.Geteuid() != 0 {
		needs(t, "only root can do this")
	}
}

// everything says that no case is to be left out.
func everything() bool { return os.Getenv("JLQ_FAULTS") == "all" }
