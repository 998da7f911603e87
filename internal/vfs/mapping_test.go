//go:build linux || darwin

package vfs

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// mapped writes a file of some pages and maps it.
func mapped(t testing.TB, content []byte) (string, Mapping) {
	name := filepath.Join(t.TempDir(), "f")
	require.NoError(t, os.WriteFile(name, content, 0o600))
	m, err := OS.(Mapper).Map(name)
	require.NoError(t, err)
	return name, m
}

func pages(n int) []byte {
	b := make([]byte, n*os.Getpagesize())
	for i := range b {
		b[i] = byte(i>>8) ^ byte(i)
	}
	return b
}

func TestMapping(t *testing.T) {
	content := pages(3)
	name, m := mapped(t, content)
	require.Equal(t, int64(len(content)), m.Len())
	info, err := OS.Stat(name)
	require.NoError(t, err)
	require.True(t, info.Same(m.Info()))

	b := make([]byte, 255)
	n, err := m.ReadAt(b, 5000)
	require.NoError(t, err)
	require.Equal(t, content[5000:5255], b[:n])
	n, err = m.ReadAt(b, m.Len()-5)
	require.Equal(t, io.EOF, err)
	require.Equal(t, content[len(content)-5:], b[:n])
	_, err = m.ReadAt(b, m.Len()+1)
	require.Error(t, err)
	_, err = m.ReadAt(b, -1)
	require.Error(t, err)

	// It is of the file as it was, whatever becomes of the name and the size.
	require.NoError(t, os.Rename(name, name+".old"))
	require.NoError(t, os.WriteFile(name, nil, 0o600))
	f, err := os.OpenFile(name+".old", os.O_WRONLY|os.O_APPEND, 0)
	require.NoError(t, err)
	_, err = f.WriteString("more")
	require.NoError(t, err)
	require.NoError(t, f.Close())
	require.Equal(t, int64(len(content)), m.Len())
	n, err = m.ReadAt(b, 0)
	require.NoError(t, err)
	require.Equal(t, content[:255], b[:n])
}

func TestMappingOfAFileCutShort(t *testing.T) {
	content := pages(4)
	name, m := mapped(t, content)
	page := int64(os.Getpagesize())
	require.NoError(t, os.Truncate(name, page+1))

	b := make([]byte, 255)
	n, err := m.ReadAt(b, 0)
	require.NoError(t, err)
	require.Equal(t, content[:255], b[:n])
	for _, off := range []int64{2 * page, 3 * page, 2*page - 100} {
		n, err = m.ReadAt(b, off)
		require.Zero(t, n)
		require.ErrorIs(t, err, ErrMapFault)
		require.ErrorContains(t, err, name)
	}
	require.False(t, debug.SetPanicOnFault(false), "left on after a fault")

	// The bytes are back when the file is.
	require.NoError(t, os.Truncate(name, 4*page))
	n, err = m.ReadAt(b, 3*page)
	require.NoError(t, err)
	require.Equal(t, make([]byte, 255), b[:n])
}

func TestMappingPassesOtherPanicsOn(t *testing.T) {
	m := &mapping{name: "f"} // no reader: a nil pointer, which is no fault of the file
	defer func() {
		_, ok := recover().(runtime.Error)
		require.True(t, ok)
		require.False(t, debug.SetPanicOnFault(false))
	}()
	for _, p := range []any{"boom", errors.New("boom")} {
		require.PanicsWithValue(t, p, func() {
			var fault bool
			defer Unguard(Guard(), &fault)
			panic(p)
		})
	}
	m.ReadAt(make([]byte, 1), 0)
	require.Fail(t, "no panic")
}

func TestMapErrors(t *testing.T) {
	_, err := OS.(Mapper).Map(filepath.Join(t.TempDir(), "x"))
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, err = OS.(Mapper).Map(t.TempDir())
	require.ErrorIs(t, err, ErrNotRegular)
	_, m := mapped(t, nil)
	require.Zero(t, m.Len())
	_, err = m.ReadAt(make([]byte, 1), 0)
	require.Equal(t, io.EOF, err)
}

// TestMappingUnderReplacement maps a name that denotes one file after the
// other: what Info says is what is mapped.
func TestMappingUnderReplacement(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	const files = 1000
	content := map[uint64]string{} // by inode; the files stay, so no number comes twice
	for i := range files {
		name := strconv.Itoa(1000 + i)
		require.NoError(t, os.WriteFile(at(name), []byte(name), 0o600))
		info, err := OS.Stat(at(name))
		require.NoError(t, err)
		content[info.Ino] = name
	}
	require.NoError(t, os.Link(at("1000"), at("f")))

	var wg sync.WaitGroup
	var done atomic.Bool
	wg.Go(func() {
		defer done.Store(true)
		for i := 1; i < files; i++ {
			os.Link(at(strconv.Itoa(1000+i)), at("new"))
			os.Rename(at("new"), at("f"))
		}
	})
	defer wg.Wait()
	for !done.Load() {
		m, err := OS.(Mapper).Map(at("f"))
		if err != nil {
			require.ErrorIs(t, err, errMoved)
			continue
		}
		b := make([]byte, 4)
		_, err = m.ReadAt(b, 0)
		require.NoError(t, err)
		require.Equal(t, content[m.Info().Ino], string(b))
	}
}

// TestMappingIsNotUnmappedUnderARead reads while the garbage collector looks
// for mappings that nobody refers to.
func TestMappingIsNotUnmappedUnderARead(t *testing.T) {
	content := pages(64)
	name := filepath.Join(t.TempDir(), "f")
	require.NoError(t, os.WriteFile(name, content, 0o600))
	b := make([]byte, len(content))
	for range 50 {
		m, err := OS.(Mapper).Map(name)
		require.NoError(t, err)
		done := make(chan struct{})
		go func() { runtime.GC(); close(done) }()
		_, err = m.ReadAt(b, 0)
		require.NoError(t, err)
		<-done
	}
	require.Equal(t, content, b)
}

func TestMappingAllocatesNothing(t *testing.T) {
	_, m := mapped(t, pages(4))
	b := make([]byte, 255)
	require.Zero(t, testing.AllocsPerRun(100, func() { m.ReadAt(b, 4000) }))
}

func BenchmarkMappingReadAt(b *testing.B) {
	_, m := mapped(b, pages(256))
	p := make([]byte, 255)
	b.ReportAllocs()
	for i := int64(0); b.Loop(); i += 255 {
		if _, err := m.ReadAt(p, i&(1<<19-1)); err != nil {
			b.Fatal(err)
		}
	}
}
