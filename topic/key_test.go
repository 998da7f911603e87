package topic

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// goldenCounts are the numbers of partitions of the columns of
// testdata/partition_of.txt.
var goldenCounts = []int{1, 2, 3, 4, 5, 7, 8, 16, 100, 10000}

// TestPartitionOfGolden: the vectors were computed from the definition by
// another program. They are part of the format and never change.
func TestPartitionOfGolden(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "partition_of.txt"))
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")[1:]
	require.Len(t, lines, 34)
	for _, line := range lines {
		spelling, want, _ := strings.Cut(line, "\t")
		var key string
		require.NoError(t, json.Unmarshal([]byte(spelling), &key))
		var got []string
		for _, n := range goldenCounts {
			got = append(got, fmt.Sprint(PartitionOf([]byte(key), n)))
		}
		require.Equal(t, want, strings.Join(got, " "), "%q", key)
	}
}

// TestPartitionOfSpread: no partition of a power of two is left out or gets
// far more than its share.
func TestPartitionOfSpread(t *testing.T) {
	const keys = 16_000
	for _, n := range []int{2, 4, 8, 16, 7} {
		counts := make([]int, n)
		for i := range keys {
			counts[PartitionOf(fmt.Appendf(nil, "user-%d", i), n)]++
		}
		for p, c := range counts {
			require.InDelta(t, keys/n, c, float64(keys/n)/5, "partition %d of %d", p, n)
		}
	}
}

// TestPlaceHidden: what hiding moves are the keys of the hidden partitions and
// no others, and these go everywhere.
func TestPlaceHidden(t *testing.T) {
	m := Meta{Partitions: 8, Hidden: Hidden{Producers: []int{1, 6}}, Deleted: []int{3}}
	v := newView(m)
	moved := map[int]map[int]int{}
	for i := range 40_000 {
		key := fmt.Appendf(nil, "user-%d", i)
		own, got := PartitionOf(key, 8), place(key, 8, v.visible, v.targets)
		if v.visible[own] {
			require.Equal(t, own, got)
			continue
		}
		if moved[own] == nil {
			moved[own] = map[int]int{}
		}
		moved[own][got]++
	}
	require.Len(t, moved, 3)
	for own, to := range moved {
		require.Len(t, to, 5, "the keys of partition %d go to all that are visible", own)
		for p, n := range to {
			require.Contains(t, []int{0, 2, 4, 5, 7}, p)
			require.InDelta(t, 1000, n, 300, "from %d to %d", own, p)
		}
	}
}
