package partition

import (
	"errors"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/vfs"
)

// TestSavedByRename: an editor saves by writing a new file and renaming it
// over the old one, and few sync the directory. A record that is acknowledged
// afterwards is in the new file; the power fails, and the name must not denote
// the old one again.
func TestSavedByRename(t *testing.T) {
	for _, log := range []crashLog{dirLog, bareLog} {
		mem := vfs.NewMem()
		p := mustOpen(t, log.path, log.options(mem, SyncAlways))
		_, err := p.AppendBatch([][]byte{[]byte(`{"n":0}`), []byte(`{"n":1}`)})
		require.NoError(t, errors.Join(err, p.Close()))

		f, err := mem.Open(log.path+".swp", os.O_RDWR|os.O_CREATE, 0o600)
		require.NoError(t, err)
		_, err = f.WriteAt([]byte("{\"n\":7}\n{\"n\":1}\n"), 0)
		require.NoError(t, errors.Join(err, f.Sync(), f.Close()))
		require.NoError(t, mem.Rename(log.path+".swp", log.pair().Records))

		p = mustOpen(t, log.path, log.options(mem, SyncAlways))
		_, err = p.Append([]byte(`{"n":2}`))
		require.NoError(t, err)
		after := mem.Crash(vfs.CrashConfig{})
		require.Error(t, p.Close(), "the power is gone")
		p = mustOpen(t, log.path, log.options(after, SyncAlways))
		require.Equal(t, []string{`{"n":7}`, `{"n":1}`, `{"n":2}`}, read(t, p, 0), log.path)
		require.NoError(t, p.Close())
	}
}
