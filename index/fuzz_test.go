package index

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/vfs"
)

// FuzzIndex gives every function an arbitrary index of arbitrary records:
// nothing panics, what is accepted is right, and what is wrong is repaired.
func FuzzIndex(f *testing.F) {
	for _, records := range []string{"", "\n", "{}\n{\"a\":1}\n", "{}\n{", "\n\n\r\n"} {
		idx := reference(records)
		f.Add(idx, []byte(records), uint64(1))
		f.Add(idx[:len(idx)-1], []byte(records), uint64(0))
		f.Add(append(idx, huge...), []byte(records), uint64(2))
	}
	f.Add(make([]byte, 64), []byte("{}\n{}\n"), uint64(3))
	f.Add(entries(0, 3, 1<<62, 1<<63-1), []byte("{}\n{}\n"), uint64(1<<61))
	f.Fuzz(func(t *testing.T, idx, records []byte, i uint64) {
		fuzzLookups(t, idx, i)
		fuzzProofs(t, idx, records)
		fuzzBuild(t, idx, records)
	})
}

func fuzzLookups(t *testing.T, idx []byte, i uint64) {
	r, n := reader(idx), Count(int64(len(idx)))
	at, err := Entry(r, i)
	require.Equal(t, err == nil, i < uint64(len(idx)/EntrySize) && raw(idx, i) < 1<<63)
	require.GreaterOrEqual(t, at, int64(0))
	if start, end, err := Span(r, i); err == nil {
		require.Less(t, start, end)
		require.Less(t, i, n)
	}
	dst := make([]int64, 5)
	if got, err := ReadEntries(r, i, dst, nil); err == nil && i < n {
		require.Equal(t, min(5, int(n-i)+1), got)
	}
	if k, found, err := Search(r, n, at); err == nil {
		require.LessOrEqual(t, k, n+1)
		if found {
			require.EqualValues(t, at, raw(idx, k))
		}
	}
}

// fuzzProofs compares what Trusted and Check say with the definition.
func fuzzProofs(t *testing.T, idx, records []byte) {
	want := reference(string(records))
	whole := idx[:len(idx)/EntrySize*EntrySize]
	fits := bytes.HasPrefix(want, whole)
	n := Count(int64(len(idx)))
	ok, why, err := Trusted(reader(idx), n, bytes.NewReader(records), int64(len(records)))
	require.NoError(t, err)
	if n <= trustAll && len(records) <= trustLimit {
		require.Equal(t, fits, ok, why)
	}
	clean := true
	for _, err := range Check(t.Context(), reader(idx), n, bytes.NewReader(records), int64(len(records))) {
		require.NoError(t, err)
		clean = false
	}
	require.Equal(t, fits, clean)
}

func fuzzBuild(t *testing.T, idx, records []byte) {
	m := vfs.NewMem()
	require.NoError(t, vfs.ReplaceFile(m, "/x.jsonl", records, 0o600))
	require.NoError(t, vfs.ReplaceFile(m, "/x.jsonl.index", idx, 0o600))
	_, _, err := CheckFile(t.Context(), "/x.jsonl", "/x.jsonl.index", &Options{FS: m})
	require.NoError(t, err)
	_, err = buildMem(m)
	require.NoError(t, err)
	got, err := vfs.ReadFile(m, "/x.jsonl.index", 1<<30)
	require.NoError(t, err)
	require.True(t, bytes.Equal(reference(string(records)), got))
}
