package segment

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/vfs"
)

// TestRecoverFaults fails each operation of a recovery once, with each error a
// system has for it. The error is handed on as it is and is not taken for
// damage; before the first change nothing is changed, and after any the bytes
// are all there, in place or set aside. The next recovery ends as one without
// the fault does.
func TestRecoverFaults(t *testing.T) {
	for name, s := range map[string]state{
		"torn, behind, partial": {recs: three + three + "torn", idx: []uint64{0, 8, 16}, tail: "\x00", meta: weak(8)},
		"torn under always":     {recs: three + "torn", idx: []uint64{0, 8}, meta: always(8)},
		"index of another file": {recs: three, idx: []uint64{0, 5, 11}, meta: weak(0)},
		"index missing":         {recs: three + "torn", meta: always(24)},
		"nothing promised":      {recs: three + "torn", idx: []uint64{0, 8}},
		"new":                   {recs: "-"},
		"another mode":          {recs: three, idx: []uint64{0, 8, 16, 24}, meta: weak(24)},
	} {
		t.Run(name, func(t *testing.T) {
			want := recovered(t, s)
			for _, errno := range []error{syscall.EIO, syscall.ENOSPC, syscall.EMFILE, syscall.EACCES, syscall.EROFS} {
				for n := 1; faultAt(t, s, errno, n, want); n++ {
				}
			}
		})
	}
}

// recovered is what lies in the directory after a recovery without faults.
func recovered(t *testing.T, s state) map[string]string {
	fsys := vfs.NewMem()
	s.put(t, fsys)
	a, _, _, err := recoverState(fsys, s.meta)
	require.NoError(t, err)
	require.NoError(t, a.Close())
	return content(t, fsys)
}

// content is what lies in the directory.
func content(t *testing.T, fsys vfs.FS) map[string]string {
	names, err := fsys.List("p")
	require.NoError(t, err)
	files := map[string]string{}
	for _, name := range names {
		files[name] = read(t, fsys, "p/"+name)
	}
	return files
}

// faultAt reports whether the recovery was long enough for a fault at its n-th
// operation.
func faultAt(t *testing.T, s state, errno error, n int, want map[string]string) bool {
	mem := vfs.NewMem()
	s.put(t, mem)
	before := content(t, mem)
	var failed vfs.Op
	changed := false
	fault := vfs.NewFault(mem, func(op vfs.Op) error {
		if op.N == n {
			failed = op
			return errno
		}
		changed = changed || failed.N == 0 && op.Kind.Changes() && op.Kind != vfs.OpOpen
		return nil
	})
	a, _, _, err := recoverState(fault, s.meta)
	where := fmt.Sprintf("%v at operation %d, %v %s", errno, n, failed.Kind, failed.Path)
	if err == nil {
		err = a.Close()
	}
	if err != nil {
		require.ErrorIs(t, err, errno, where)
		_, corrupt := errors.AsType[*CorruptError](err)
		require.False(t, corrupt, where)
	} else {
		require.True(t, failed.N == 0 || ignored(failed), where)
	}
	after := content(t, mem)
	if err != nil && !changed && s.recs != "-" {
		require.Equal(t, before, withoutTemp(after), where)
	}
	requireAllBytes(t, strings.TrimPrefix(s.recs, "-"), after, where)

	meta, ok, err := ReadMeta(mem, "p")
	require.NoError(t, err)
	var promised *Meta
	if ok {
		promised = &meta
	}
	a, _, _, err = recoverState(mem, promised)
	require.NoError(t, err, where)
	require.NoError(t, a.Close())
	require.Equal(t, want, withoutTemp(content(t, mem)), where)
	return failed.N > 0
}

// ignored: a file that was only read may fail to close, and the mode of one
// that is replaced is kept where it can be had.
func ignored(op vfs.Op) bool { return op.Kind == vfs.OpClose || op.Kind == vfs.OpStat }

// withoutTemp leaves out temporary files whose removal failed, too.
func withoutTemp(files map[string]string) map[string]string {
	files = maps.Clone(files)
	maps.DeleteFunc(files, func(name, _ string) bool { return strings.Contains(name, ".tmp") })
	return files
}

// requireAllBytes: the records file begins as it did, and what is missing at
// its end is set aside.
func requireAllBytes(t *testing.T, recs string, files map[string]string, where string) {
	kept := files["00000000000000000000.jsonl"]
	require.True(t, strings.HasPrefix(recs, kept), where)
	if kept == recs {
		return
	}
	aside := files[fmt.Sprintf("00000000000000000000.torn-%d", len(kept))]
	require.Equal(t, recs[len(kept):], aside, where)
}
