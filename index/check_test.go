package index

import (
	"context"
	"io"
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

// check returns all problems of an index.
func check(t *testing.T, idx []byte, records string) []Problem {
	t.Helper()
	var problems []Problem
	for p, err := range Check(t.Context(), reader(idx), Count(int64(len(idx))), strings.NewReader(records), int64(len(records))) {
		require.NoError(t, err)
		problems = append(problems, p)
	}
	return problems
}

func TestCheck(t *testing.T) {
	for name, records := range shapes {
		require.Empty(t, check(t, reference(records), records), name)
		require.Empty(t, check(t, reference(records), records+"{}\n{"), name)
	}
	require.Empty(t, check(t, nil, "{}\n"))
}

func TestCheckProblems(t *testing.T) {
	records := "{\"n\":0}\n{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n" // 0 8 16 24 32
	hole := strings.Repeat("\x00", 3*blockSize)
	for _, test := range []struct {
		name string
		idx  []byte
		recs string
		want []Problem
	}{
		{"first", entries(3, 8), records, []Problem{
			{FirstEntry, 0, 0, "entry 0 is 3, not 0"}}},
		{"past the end", entries(0, 8, 16, 24, 33), records, []Problem{
			{PastEnd, 3, 24, "entry 4 (33) lies past the end of the records (32)"}}},
		{"huge", append(entries(0, 8), append(huge, entries(24, 32)...)...), records, []Problem{
			{PastEnd, 1, 8, "entry 2 (18446744073709551615) lies past the end of the records (32)"},
			{NotIncreasing, 2, 32, "entry 3 (24) is not above entry 2 (18446744073709551615)"}}},
		{"zero in the middle", entries(0, 8, 0, 24, 32), records, []Problem{
			{NotIncreasing, 1, 8, "entry 2 (0) is not above entry 1 (8)"},
			{InnerNewline, 2, 7, "record 2 (0 to 24) holds a newline at 7"}}},
		{"not behind a newline", entries(0, 8, 17, 24, 32), records, []Problem{
			{InnerNewline, 1, 15, "record 1 (8 to 17) holds a newline at 15"}}},
		{"inside a line", entries(0, 8, 15, 24, 32), records, []Problem{
			{NoNewline, 1, 8, "entry 2 (15) is not behind a newline"},
			{InnerNewline, 2, 15, "record 2 (15 to 24) holds a newline at 15"}}},
		{"left out", entries(0, 8, 24, 32), records, []Problem{
			{InnerNewline, 1, 15, "record 1 (8 to 24) holds a newline at 15"}}},
		{"twice", entries(0, 8, 8, 16, 24, 32), records, []Problem{
			{NotIncreasing, 1, 8, "entry 2 (8) is not above entry 1 (8)"}}},
		{"swapped", entries(0, 8, 24, 16, 32), records, []Problem{
			{InnerNewline, 1, 15, "record 1 (8 to 24) holds a newline at 15"},
			{NotIncreasing, 2, 24, "entry 3 (16) is not above entry 2 (24)"},
			{InnerNewline, 3, 23, "record 3 (16 to 32) holds a newline at 23"}}},
		{"records are gone", entries(0, 8), "", []Problem{
			{PastEnd, 0, 0, "entry 1 (8) lies past the end of the records (0)"}}},
		{"inside a hole", entries(0, 100, int64(len(hole))+1), hole + "\n", []Problem{
			{NoNewline, 0, 0, "entry 1 (100) is not behind a newline"}}},
		{"behind a hole", entries(0, int64(len(hole))+2), hole + "\n\n", []Problem{
			{InnerNewline, 0, int64(len(hole)), "record 0 (0 to 786434) holds a newline at 786432"}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := check(t, test.idx, test.recs)
			require.Equal(t, test.want, got)
			require.Equal(t, got[0].Text, got[0].String())
		})
	}
}

// Any entry that is off by one is found, wherever it lies.
func TestCheckFindsAnyChange(t *testing.T) {
	records := numbered(3*checkEntries + 5)
	idx := reference(records)
	for i := 0; i <= 3*checkEntries+5; i += 977 {
		require.NotEmpty(t, check(t, spoil(idx, i, raw(idx, uint64(i))+1), records), i)
	}
	last := 3*checkEntries + 5
	require.Len(t, check(t, spoil(idx, last, raw(idx, uint64(last))-1), records), 1)
}

func TestCheckReadsOnce(t *testing.T) {
	records := strings.Repeat(strings.Repeat("x", 254)+"\n", 20_000)
	recs := &counting{strings.NewReader(records), 0}
	for p, err := range Check(t.Context(), reader(reference(records)), 20_000, recs, int64(len(records))) {
		t.Fatal(p, err)
	}
	require.Equal(t, len(records), recs.n)
}

func TestCheckErrors(t *testing.T) {
	idx, records := reader(reference("{}\n{}\n")), strings.NewReader("{}\n{}\n")
	stopped, stop := context.WithCancel(t.Context())
	stop()
	for name, test := range map[string]struct {
		ctx       context.Context
		idx, recs io.ReaderAt
		n         uint64
		err       error
	}{
		"stopped":       {stopped, idx, records, 2, context.Canceled},
		"index fails":   {t.Context(), failing{iotest.ErrTimeout}, records, 2, iotest.ErrTimeout},
		"records fail":  {t.Context(), idx, failing{iotest.ErrTimeout}, 2, iotest.ErrTimeout},
		"index shorter": {t.Context(), idx, records, 5, io.ErrUnexpectedEOF},
	} {
		pairs := 0
		for p, err := range Check(test.ctx, test.idx, test.n, test.recs, 6) {
			require.ErrorIs(t, err, test.err, name)
			require.Zero(t, p)
			pairs++
		}
		require.Equal(t, 1, pairs, name)
	}
}

func TestCheckEndsWhenTold(t *testing.T) {
	calls := 0
	for range Check(t.Context(), reader(make([]byte, 800)), 99, strings.NewReader("{}\n"), 3) {
		if calls++; calls == 5 {
			break
		}
	}
	require.Equal(t, 5, calls)
}

// The context is asked also where no records are read.
func TestCheckStopsAmongProblems(t *testing.T) {
	const n = 3 * checkEntries
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	problems := 0
	for _, err := range Check(ctx, reader(make([]byte, n*EntrySize+EntrySize)), n, strings.NewReader(""), 0) {
		if err == nil {
			problems++
			stop()
			continue
		}
		require.ErrorIs(t, err, context.Canceled)
	}
	require.Equal(t, checkEntries, problems)
}

func TestCheckFile(t *testing.T) {
	records := "{\"n\":0}\n{\"n\":1}\n{\"n\":2}\n{\"n"
	partial := Problem{Partial, 2, 0, "the index ends in 3 bytes of entry 2"}
	for _, test := range []struct {
		name     string
		idx      []byte
		report   Report
		problems []Problem
	}{
		{"fits", entries(0, 8, 16, 24), Report{Records: 3, End: 24, Size: 27, Tail: 3}, nil},
		{"behind", entries(0, 8), Report{Records: 1, End: 8, Size: 27, Behind: 2, Tail: 3}, nil},
		{"empty", nil, Report{Size: 27, Behind: 3, Tail: 3}, nil},
		{"partial", append(entries(0, 8), 1, 2, 3), Report{Records: 1, End: 8, Size: 27, Behind: 2, Tail: 3}, []Problem{partial}},
		{"wrong", entries(0, 9), Report{Records: 1, End: 9, Size: 27}, []Problem{
			{InnerNewline, 0, 7, "record 0 (0 to 9) holds a newline at 7"}}},
		{"huge", append(entries(0), huge...), Report{Records: 1, Size: 27}, []Problem{
			{PastEnd, 0, 0, "entry 1 (18446744073709551615) lies past the end of the records (27)"}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := newLog(t, records)
			l.write(l.idx, test.idx)
			r, problems, err := CheckFile(t.Context(), l.records, l.idx, nil)
			require.NoError(t, err)
			require.Equal(t, test.report, r)
			require.Equal(t, test.problems, problems)
			require.Equal(t, string(test.idx), string(l.read(l.idx)))
		})
	}
}

func TestCheckFileBoundsItsList(t *testing.T) {
	l := newLog(t, "{}\n")
	l.write(l.idx, make([]byte, 8*1000))
	for limit, want := range map[int]int{0: 100, 1: 1, 5: 5, 998: 998, 999: 999, 2000: 999, -1: 999} {
		r, problems, err := CheckFile(t.Context(), l.records, l.idx, &Options{MaxProblems: limit})
		require.NoError(t, err)
		require.Len(t, problems, want)
		require.Equal(t, want < 999, r.Stopped)
	}
}

func TestCheckFileErrors(t *testing.T) {
	l := newLog(t, manyBlocks)
	_, _, err := CheckFile(t.Context(), l.records, l.idx, nil)
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.ErrorContains(t, err, l.idx)

	_, err = l.build(nil)
	require.NoError(t, err)
	_, _, err = CheckFile(t.Context(), l.records, l.idx, during(func() { require.NoError(t, os.Truncate(l.records, 5)) }))
	require.ErrorIs(t, err, errCut)
	require.NoError(t, os.Remove(l.records))
	_, _, err = CheckFile(t.Context(), l.records, l.idx, nil)
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.ErrorContains(t, err, l.records)
}
