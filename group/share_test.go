package group

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func member(id string) MemberInfo { return MemberInfo{ID: id} }

func only(id string, number int) MemberInfo { return MemberInfo{ID: id, Only: &number} }

func TestShareOf(t *testing.T) {
	numbers := []int{0, 1, 2, 3, 5}
	two := []MemberInfo{member("a"), member("b")}
	require.Equal(t, share{Any: 3, Free: numbers}, shareOf("a", numbers, two), "the oldest has the odd one")
	require.Equal(t, share{Any: 2, Free: numbers}, shareOf("b", numbers, two))

	wish := []MemberInfo{member("a"), only("b", 5), only("c", 5), only("d", 4)}
	free := []int{0, 1, 2, 3}
	require.Equal(t, share{Any: 4, Free: free}, shareOf("a", numbers, wish), "what is asked for alone is not shared")
	require.Equal(t, share{Own: []int{5}, Free: free}, shareOf("b", numbers, wish))
	require.Equal(t, share{Free: free}, shareOf("c", numbers, wish), "the second waits")
	require.Equal(t, share{Free: free}, shareOf("d", numbers, wish), "there is no partition 4")
}

func TestSurplusAndMissing(t *testing.T) {
	s := share{Own: []int{7}, Any: 2, Free: []int{0, 1, 2, 3}}
	require.Equal(t, []int{2, 9}, s.surplus([]int{0, 1, 2, 7, 9}), "the last of too many, and what is not there any more")
	own, free, count := s.missing([]int{1})
	require.Equal(t, []int{7}, own)
	require.Equal(t, []int{0, 2, 3}, free)
	require.Equal(t, 1, count)
	_, _, count = s.missing([]int{0, 1, 2})
	require.Zero(t, count)
}

// Members that come, go and take in any order end with fair shares, and one
// that keeps its share loses nothing of it on the way.
func TestSharesSettle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		numbers := make([]int, rapid.IntRange(0, 12).Draw(t, "partitions"))
		for i := range numbers {
			numbers[i] = i
		}
		held := map[string][]int{}
		for _, n := range numbers {
			if who := rapid.SampledFrom([]string{"", "a", "b", "c", "d", "gone"}).Draw(t, "holder"); who != "" && who != "gone" {
				held[who] = append(held[who], n)
			}
		}
		var members []MemberInfo
		for _, id := range []string{"a", "b", "c", "d"} {
			switch rapid.IntRange(0, 2).Draw(t, "kind") {
			case 0:
				delete(held, id) // it died
			case 1:
				members = append(members, member(id))
			case 2:
				delete(held, id)
				members = append(members, only(id, rapid.IntRange(0, 12).Draw(t, "only")))
			}
		}
		before := clone(held)
		for range 2 { // those who have too many, then those who have too few
			for _, m := range rapid.Permutation(members).Draw(t, "order") {
				turn(numbers, members, m.ID, held)
			}
		}
		check(t, numbers, members, held, before)
	})
}

// turn is what Member.balance does, with a map for the locks.
func turn(numbers []int, members []MemberInfo, id string, held map[string][]int) {
	s := shareOf(id, numbers, members)
	held[id] = without(held[id], s.surplus(held[id]))
	own, free, count := s.missing(held[id])
	take := func(numbers []int, count int) {
		for _, n := range numbers {
			taken := false
			for _, h := range held {
				taken = taken || slices.Contains(h, n)
			}
			if !taken && count > 0 {
				held[id] = append(held[id], n)
				count--
			}
		}
	}
	take(own, len(own))
	take(free, count)
	slices.Sort(held[id])
}

func check(t *rapid.T, numbers []int, members []MemberInfo, held, before map[string][]int) {
	var all []int
	for _, m := range members {
		s := shareOf(m.ID, numbers, members)
		require.Len(t, held[m.ID], len(s.Own)+s.Any, "%s of %v", m.ID, held)
		all = append(all, held[m.ID]...)
		if m.Only == nil {
			require.Len(t, without(before[m.ID], held[m.ID]), len(s.surplus(before[m.ID])), "%s gave up only what it had to", m.ID)
		}
	}
	slices.Sort(all)
	require.Equal(t, all, slices.Compact(slices.Clone(all)), "nobody has the same")
	if slices.ContainsFunc(members, func(m MemberInfo) bool { return m.Only == nil }) {
		require.Equal(t, len(numbers), len(all), "and nothing is left")
	}
}

func clone(held map[string][]int) map[string][]int {
	out := map[string][]int{}
	for id, h := range held {
		out[id] = slices.Clone(h)
	}
	return out
}
