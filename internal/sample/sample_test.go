package sample

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// chiSquare is how far counts are from being all the same.
func chiSquare(counts []int) (sum float64) {
	total := 0
	for _, n := range counts {
		total += n
	}
	expected := float64(total) / float64(len(counts))
	for _, n := range counts {
		sum += (float64(n) - expected) * (float64(n) - expected) / expected
	}
	return sum
}

// uniform requires counts to be as far from each other as chance makes them:
// within five deviations of what chi-square is on average. Where the elements
// are drawn without being put back, they are a little closer.
func uniform(t *testing.T, counts []int) {
	t.Helper()
	free := float64(len(counts) - 1)
	require.InDelta(t, free, chiSquare(counts), 5*math.Sqrt(2*free), "%v", counts)
}

func TestDistinctIsUniform(t *testing.T) {
	for _, n := range []uint64{1, 5, 24, 25, 60} { // drawn below 25, walked from there on
		counts := make([]int, 100)
		for seed := range uint64(4000) {
			for _, offset := range slices.Collect(Distinct(1000, 1100, n, seed)) {
				counts[offset-1000]++
			}
		}
		spread := 1 - float64(n)/100 // of counts without putting back
		for i := range counts {
			mean := float64(4000*n) / 100
			counts[i] = int(1e6 + (float64(counts[i])-mean)/math.Sqrt(mean*spread)*1e3)
		}
		uniform(t, counts)
	}
}

// TestDistinctPairs: not only each offset but each two of them are as likely as
// any other two.
func TestDistinctPairs(t *testing.T) {
	for _, size := range []uint64{6, 12} {
		counts := make([]int, size*size)
		for seed := range uint64(20000) {
			pair := slices.Collect(Distinct(0, size, 2, seed))
			counts[pair[0]*size+pair[1]]++
		}
		counts = slices.DeleteFunc(counts, func(n int) bool { return n == 0 })
		require.Len(t, counts, int(size*(size-1)/2))
		uniform(t, counts)
	}
}

func TestDistinct(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		from := rapid.Uint64Max(math.MaxUint64-2000).Draw(t, "from")
		size := rapid.Uint64Range(0, 2000).Draw(t, "size")
		n := rapid.Uint64Range(0, 2100).Draw(t, "n")
		chosen := slices.Collect(Distinct(from, from+size, n, rapid.Uint64().Draw(t, "seed")))
		if uint64(len(chosen)) != min(n, size) {
			t.Fatalf("%d of %d are %d", n, size, len(chosen))
		}
		for i, offset := range chosen {
			if offset < from || offset >= from+size || i > 0 && offset <= chosen[i-1] {
				t.Fatalf("%v", chosen)
			}
		}
	})
	require.Len(t, slices.Collect(Distinct(0, math.MaxUint64, 3, 1)), 3)
	require.Empty(t, slices.Collect(Distinct(7, 7, 3, 1)))
	require.Empty(t, slices.Collect(Distinct(9, 7, 3, 1)))
	for range Distinct(0, 10, 9, 1) {
		break // the range may end early
	}
	for range Distinct(0, 100, 9, 1) {
		break
	}
}

// TestSeeds holds what seeds choose: it is the same in every version.
func TestSeeds(t *testing.T) {
	require.Equal(t, distinctOf1, slices.Collect(Distinct(0, 1_000_000, 5, 1)))
	require.Equal(t, walkedOf1, slices.Collect(Distinct(0, 10, 5, 1)))
	var taken []uint64
	share := NewShare(0.01, 1)
	for offset := range uint64(600) {
		if share.Takes(offset) {
			taken = append(taken, offset)
		}
	}
	require.Equal(t, takenOf1, taken)
	mixed := []int{0, 1, 2, 3, 4}
	Shuffle(mixed, 1)
	require.Equal(t, shuffledOf1, mixed)
	require.Equal(t, reservoirOf1, keep(3, 1000, 1))
}

func TestShuffle(t *testing.T) {
	counts := make([]int, 24)
	for seed := range uint64(24000) {
		all := []int{0, 1, 2, 3}
		Shuffle(all, seed)
		code := 0
		for i, v := range all {
			smaller := 0
			for _, w := range all[i+1:] {
				if w < v {
					smaller++
				}
			}
			code = code*(4-i) + smaller
		}
		counts[code]++
	}
	uniform(t, counts)
}

// keep runs a reservoir over the numbers below size.
func keep(n, size, seed uint64) []uint64 {
	r := NewReservoir(n, seed)
	var slots []uint64
	for v := range size {
		i, taken := r.Slot()
		switch {
		case taken && i == len(slots):
			slots = append(slots, v)
		case taken:
			slots[i] = v
		}
	}
	slices.Sort(slots)
	return slots
}

func TestReservoirIsUniform(t *testing.T) {
	for _, n := range []uint64{1, 3, 10} {
		counts := make([]int, 50)
		for seed := range uint64(20000) {
			kept := keep(n, 50, seed)
			require.Len(t, kept, int(n))
			for _, v := range kept {
				counts[v]++
			}
		}
		mean, spread := float64(20000*n)/50, 1-float64(n)/50
		for i := range counts {
			counts[i] = int(1e6 + (float64(counts[i])-mean)/math.Sqrt(mean*spread)*1e3)
		}
		uniform(t, counts)
	}
	require.Equal(t, []uint64{0, 1}, keep(5, 2, 1), "fewer than asked for")
}

func TestShare(t *testing.T) {
	for _, p := range []float64{0.001, 0.01, 0.25, 0.5, 1} {
		const size = 200_000
		taken, follow, last := 0, 0, false
		share := NewShare(p, 7)
		for offset := range uint64(size) {
			now := share.Takes(offset)
			if now {
				taken++
			}
			if now && last {
				follow++
			}
			last = now
		}
		require.InDelta(t, size*p, taken, 5*math.Sqrt(size*p*(1-p))+1e-9)
		require.InDelta(t, size*p*p, follow, 8*math.Sqrt(size*p*p)*(1-p)+1e-9+2*p, "neighbours are independent")
	}
	a, b := NewShare(0.5, 1), NewShare(0.5, 2)
	same := 0
	for offset := range uint64(100_000) {
		if a.Takes(offset) == b.Takes(offset) {
			same++
		}
	}
	require.InDelta(t, 50_000, same, 1000, "seeds next to each other are independent")
}

func TestParseProbability(t *testing.T) {
	for text, want := range map[string]float64{"0.01": 0.01, "1%": 0.01, "1": 1, "100%": 1, "1e-3": 0.001, "12.5%": 0.125} {
		p, err := ParseProbability(text)
		require.NoError(t, err, text)
		require.InDelta(t, want, p, 1e-12, text)
	}
	for _, text := range []string{"", "%", "0", "-1", "2", "101%", "NaN", "inf", "x", "0.5x"} {
		_, err := ParseProbability(text)
		require.Error(t, err, text)
	}
}
