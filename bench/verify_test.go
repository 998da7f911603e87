package bench

import (
	"context"
	"errors"
	"os"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/jsonl"
	"example.com/jlq/partition"
)

// BenchmarkVerify verifies a log of 256 MB: the index against the line ends,
// and each record strictly.
func BenchmarkVerify(b *testing.B) {
	set := JSON(ManyRecords)
	dir := fixture(b, set)
	b.Run("read", func(b *testing.B) { runReads(b, set, dir) })
	b.Run("check", func(b *testing.B) {
		runVerify(b, set, func() (int, error) { return CheckLines(dir, strict) })
	})
	log := openReader(b, dir)
	b.Run("jlq", func(b *testing.B) { runVerify(b, set, log.verify) })
	b.Run("jlq-one", func(b *testing.B) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
		runVerify(b, set, log.verify)
	})
}

func strict(record []byte) error { return jsonl.CheckStrict(record, 0) }

// verify returns how many records there are when there is no problem.
func (s jlqStore) verify() (int, error) {
	var read partition.Verified
	for problem, err := range s.VerifyCount(context.Background(), &read) {
		if err == nil && !problem.Note {
			err = errors.New(problem.Reason)
		}
		if err != nil {
			return 0, err
		}
	}
	return int(read.Records), nil
}

func runVerify(b *testing.B, set *Set, verify func() (int, error)) {
	b.Helper()
	var m Meter
	for b.Loop() {
		var n int
		var err error
		m.Measure(set.Len(), func() { n, err = verify() })
		require.NoError(b, err)
		require.Equal(b, set.Len(), n)
	}
	m.Rate(set.Size())
	m.Report(b)
}

// Who is measured must find what there is to find.
func TestVerifiersFindABadRecord(t *testing.T) {
	set := JSON(5000)
	dir := t.TempDir()
	require.NoError(t, Fixture(dir, set))
	log := openReader(t, dir)
	verifiers := map[string]func() (int, error){
		"jlq": log.verify, "check": func() (int, error) { return CheckLines(dir, strict) },
	}
	for name, verify := range verifiers {
		n, err := verify()
		require.NoError(t, err, name)
		require.Equal(t, set.Len(), n, name)
	}
	f, err := os.OpenFile(RecordsPath(dir), os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteAt([]byte("x"), set.Size()-2)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	for name, verify := range verifiers {
		_, err := verify()
		require.ErrorContains(t, err, "'x'", name)
	}
}
