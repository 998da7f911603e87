package filter

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// cut makes pieces of so many lines each, in blocks of at most three; fail is
// the piece that ends with an error.
func cut(lines []string, n, fail int, err error) iter.Seq[iter.Seq2[Block, error]] {
	return func(yield func(iter.Seq2[Block, error]) bool) {
		for number, at := 0, 0; at < len(lines); number, at = number+1, at+n {
			part := lines[at:min(at+n, len(lines))]
			piece := func(yield func(Block, error) bool) {
				for i := 0; i < len(part); i += 3 {
					block := strings.Join(part[i:min(i+3, len(part))], "\n") + "\n"
					if !yield(Block{First: uint64(at + i), Data: []byte(block)}, nil) {
						return
					}
				}
				if number == fail {
					yield(Block{}, err)
				}
			}
			if !yield(piece) {
				return
			}
		}
	}
}

func numbered(n int) (lines []string) {
	for i := range n {
		lines = append(lines, fmt.Sprintf(`{"n":%d,"even":%v}`, i, i%2 == 0))
	}
	return lines
}

// TestSift: what is chosen comes in order, and what is not JSON with its place.
func TestSift(t *testing.T) {
	lines := numbered(1000)
	lines[7], lines[500], lines[999] = "text", strings.Repeat("x", 2*keptBytes), ""
	for _, checked := range []bool{false, true} {
		for _, n := range []int{1, 10, 5000} {
			s := &Sieve{Filter: compile(t, `.even == true || !(.n != 11)`), Checked: checked}
			var got bytes.Buffer
			var bad []Bad
			matched := 0
			for c := range s.Sift(t.Context(), cut(lines, n, -1, nil)) {
				require.NoError(t, c.Err)
				got.Write(c.Lines)
				matched += c.Matched
				bad = append(bad, c.Bad...)
			}
			want := ""
			for i, line := range lines {
				if i%2 == 0 && i != 500 || i == 11 {
					want += line + "\n"
				}
			}
			require.Equal(t, want, got.String())
			require.Equal(t, 500, matched)
			require.Len(t, bad, 3)
			for i, offset := range []uint64{7, 500, 999} {
				require.Equal(t, offset, bad[i].Offset)
				require.Equal(t, len(lines[offset]), bad[i].Size)
				require.Equal(t, lines[offset][:min(len(lines[offset]), keptBytes)], string(bad[i].Data))
				require.Error(t, bad[i].Err)
			}
		}
	}
}

// TestSiftEnds: by an error of a piece, at a line that is not JSON, when the
// caller leaves, and when the context ends; what came before is whole.
func TestSiftEnds(t *testing.T) {
	lines := numbered(1000)
	all := compile(t, `exists(.n)`)
	failure := errors.New("cannot be read")
	matched := 0
	for c := range (&Sieve{Filter: all}).Sift(t.Context(), cut(lines, 10, 30, failure)) {
		matched += c.Matched
		if c.Err != nil {
			require.Equal(t, failure, c.Err)
			break
		}
	}
	require.Equal(t, 310, matched)

	lines[444] = "text"
	matched = 0
	for c := range (&Sieve{Filter: all, Stop: true}).Sift(t.Context(), cut(lines, 10, -1, nil)) {
		if matched += c.Matched; len(c.Bad) > 0 {
			require.Len(t, c.Bad, 1)
			require.Equal(t, uint64(444), c.Bad[0].Offset)
			break
		}
	}
	require.Equal(t, 444, matched)

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	rounds := 0
	for range (&Sieve{Filter: all}).Sift(ctx, forever(lines)) {
		if rounds++; rounds == 5 {
			cancel()
		}
	}
	require.GreaterOrEqual(t, rounds, 5)
}

// forever is more pieces than anyone can read.
func forever(lines []string) iter.Seq[iter.Seq2[Block, error]] {
	return func(yield func(iter.Seq2[Block, error]) bool) {
		for {
			for piece := range cut(lines, 100, -1, nil) {
				if !yield(piece) {
					return
				}
			}
		}
	}
}

// TestSelectNumbers: a block without a last newline, and lines that are passed
// over, do not change the numbers of those that are told.
func TestSelectNumbers(t *testing.T) {
	f := compile(t, `.s == "wanted"`)
	block := "{}\n{\"s\":\"wanted\"}\n\n{\"s\":\"wanted\"\n[]\n\\\n{\"s\":\"wan\\u0074ed\"}"
	for _, c := range []struct {
		checked bool
		bad     []int
	}{{true, []int{3, 5}}, {false, []int{2, 3, 5}}} {
		out, matched, bad := f.Select([]byte("x"), nil, []byte(block), c.checked)
		require.Equal(t, "x{\"s\":\"wanted\"}\n{\"s\":\"wan\\u0074ed\"}\n", string(out))
		require.Equal(t, 2, matched)
		var numbers []int
		for _, b := range bad {
			numbers = append(numbers, b.Line)
		}
		require.Equal(t, c.bad, numbers)
	}
}

// Choosing among many lines allocates nothing for each of them.
func TestSelectAllocatesNothing(t *testing.T) {
	block := sampleBlock()
	dst := make([]byte, 0, 2*len(block))
	for _, expr := range []string{`.level == "error"`, `.amount > 990`, `.user.id > 5 && .level in ["info", "warn"]`} {
		f := compile(t, expr)
		for _, checked := range []bool{false, true} {
			require.Zero(t, testing.AllocsPerRun(5, func() {
				if _, matched, bad := f.Select(dst, nil, block, checked); matched == 0 || len(bad) > 0 {
					t.Error(expr, matched, bad)
				}
			}), expr)
		}
	}
}
