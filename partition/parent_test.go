package partition

import (
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/vfs"
)

// TestParentIsDurable: what is acknowledged is not lost with the name of its
// directory, however that was written, and whoever made it.
func TestParentIsDurable(t *testing.T) {
	for _, path := range []string{"p", "p/", "p/.", "./p/", "p//", "p/../p"} {
		t.Run(path, func(t *testing.T) {
			mem := vfs.NewMem()
			p := mustOpen(t, path, &Options{FS: mem})
			_, err := p.Append([]byte("1"))
			require.NoError(t, err)
			after := mem.Crash(vfs.CrashConfig{})
			_ = p.Close()
			r := mustOpen(t, "p", &Options{FS: after, NoCreate: true})
			require.Equal(t, []string{"1"}, read(t, r, 0))
			require.NoError(t, r.Close())
		})
	}
}
