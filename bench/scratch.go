package bench

import (
	"os"
	"testing"
)

// scratch makes a directory for one iteration, and returns what removes it
// again. TMPDIR says on which file system.
func scratch(b *testing.B) (dir string, remove func()) {
	b.Helper()
	dir, err := os.MkdirTemp("", "jlq-bench-")
	must(b, err)
	return dir, func() { must(b, os.RemoveAll(dir)) }
}

func must(b *testing.B, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}
