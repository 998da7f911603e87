package topic

import (
	"io/fs"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestID(t *testing.T) {
	for text, want := range map[string]ID{
		"orders-0@42":                    {"orders", 0, 42},
		"a-9999@18446744073709551615":    {"a", 9999, math.MaxUint64},
		"my-topic-3@0":                   {"my-topic", 3, 0},
		"a.b_c--1@7":                     {"a.b_c-", 1, 7},
		"0@42":                           {"", 0, 42},
		"3@0":                            {"", 3, 0},
		strings.Repeat("x", 63) + "-1@1": {strings.Repeat("x", 63), 1, 1},
	} {
		got, err := ParseID(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got)
		require.Equal(t, text, got.String())
	}
}

func TestIDRefused(t *testing.T) {
	for _, text := range []string{
		"", "@", "orders", "orders-0", "orders-0@", "orders@42", "orders-@42", "-0@42", "orders-00@42", "orders-0@042",
		"orders-0@-1", "orders-0@+1", "orders--0@1@2", "orders-10000@1", "orders-0@18446744073709551616", "Orders-0@1",
		"../x-0@1", "a/b-0@1", ".x-0@1", "orders-0@42 ", "orders-0@4 2", "01@3", "orders-0x1@2", "ö-0@1",
		strings.Repeat("x", 64) + "-1@1", "orders-99999999999@1",
	} {
		_, err := ParseID(text)
		require.ErrorContains(t, err, "is no record id, such as orders-0@42", "%q", text)
	}
}

// FuzzParseID: what parses is written as it was.
func FuzzParseID(f *testing.F) {
	for _, text := range []string{"orders-0@42", "0@1", "a-b-1@2", "x-00@1", "@"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		id, err := ParseID(text)
		if err == nil && id.String() != text {
			t.Fatalf("%q parses as %q", text, id)
		}
	})
}

func TestNames(t *testing.T) {
	for _, name := range []string{"a", "0", "orders", "a.b", "a-b_c.9", "a..", strings.Repeat("z", 63)} {
		require.NoError(t, CheckName(name), name)
	}
	for _, name := range []string{
		"", ".", "..", "../x", "/x", "a/b", `a\b`, "-a", "_a", ".a", "A", "aB", "ä", "a b", "a\n", "a\x00", "a:b", "a@b", "~", "con ",
		strings.Repeat("z", 64),
	} {
		require.ErrorIs(t, CheckName(name), ErrName, "%q", name)
		_, opts := newTopic(t, 1)
		opts.Name = name
		if name != "" { // which stands for that of the directory
			require.ErrorIs(t, Create("other", 1, opts), ErrName)
			_, err := opts.Partition.FS.Stat("other")
			require.ErrorIs(t, err, fs.ErrNotExist)
		}
	}
}
