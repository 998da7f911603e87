package segment

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/vfs"
)

// TestMetaRefuses: what is not a promise of this version is refused, and told
// apart from one of a later version.
func TestMetaRefuses(t *testing.T) {
	const rest = `"sync":"always","validate":"strict","batch":64,"start":0,"synced":{"base":0,"position":8}}`
	for text, newer := range map[string]bool{
		`{"format":2,"sync":7}`: true,
		`{"format":2,` + rest:   true,
		`{"format":0,` + rest:   false,
		`{` + rest:              false,
		`{"format":-1,` + rest:  false,
		`{"format":1,"sync":"always","validate":"strict","batch":-1,"synced":{"base":0,"position":8}}`:  false,
		`{"format":1,"sync":"always","validate":"strict","batch":64,"synced":{"base":0,"position":-8}}`: false,
		`{"format":1,"sync":"always","validate":"strict","batch":9223372036854775807}`:                  false,
		`{"format":1,"sync":"sometimes","validate":"strict","batch":64}`:                                false,
		`{"format":1,"sync":"always","validate":"","batch":64}`:                                         false,
		``: false,
	} {
		mem := vfs.NewMem()
		require.NoError(t, mem.Mkdir("p", 0o700))
		require.NoError(t, vfs.ReplaceFile(mem, filepath.Join("p", MetaName), []byte(text), 0o600))
		_, ok, err := ReadMeta(mem, "p")
		require.Error(t, err, text)
		require.False(t, ok)
		require.Equal(t, newer, errors.Is(err, ErrNewerFormat), text)
		_, corrupt := errors.AsType[*CorruptError](err)
		require.Equal(t, !newer, corrupt, "%s: %v", text, err)
	}
}

// TestMetaError: an I/O error is handed on as it is. It is not the absence of
// a promise, which would let a writer cut what was promised.
func TestMetaError(t *testing.T) {
	for _, kind := range []vfs.OpKind{vfs.OpOpen, vfs.OpReadAt} {
		mem := vfs.NewMem()
		require.NoError(t, mem.Mkdir("p", 0o700))
		require.NoError(t, WriteMeta(mem, "p", *always(8), 0o600))
		fault := vfs.NewFault(mem, func(op vfs.Op) error {
			if op.Kind == kind {
				return syscall.EIO
			}
			return nil
		})
		_, _, err := ReadMeta(fault, "p")
		require.ErrorIs(t, err, syscall.EIO)
		_, corrupt := errors.AsType[*CorruptError](err)
		require.False(t, corrupt)
	}
}
