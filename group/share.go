package group

import "slices"

// share is what a member should have: these partitions for certain, and Any
// more of those that nobody asked for alone.
type share struct {
	Own  []int // asked for alone, and this member's turn
	Any  int   // how many of Free
	Free []int // partitions that members without a wish share
}

// shareOf computes the share of one member. Every member computes it from the
// same numbers and the same members, oldest first; while they see different
// ones, the locks keep them apart.
func shareOf(self string, numbers []int, members []MemberInfo) share {
	var s share
	wanted := map[int]bool{}
	var others []string
	for _, m := range members {
		switch {
		case m.Only == nil:
			others = append(others, m.ID)
		case slices.Contains(numbers, *m.Only) && !wanted[*m.Only]:
			wanted[*m.Only] = true
			if m.ID == self {
				s.Own = append(s.Own, *m.Only)
			}
		}
	}
	for _, n := range numbers {
		if !wanted[n] {
			s.Free = append(s.Free, n)
		}
	}
	if rank := slices.Index(others, self); rank >= 0 {
		s.Any = len(s.Free) / len(others)
		if rank < len(s.Free)%len(others) {
			s.Any++
		}
	}
	return s
}

// surplus are those of the held partitions that are to be given up: what is
// not in the share at all, and the last ones of too many.
func (s share) surplus(held []int) []int {
	var out []int
	kept := 0
	for _, n := range held {
		switch {
		case slices.Contains(s.Own, n):
		case slices.Contains(s.Free, n) && kept < s.Any:
			kept++
		default:
			out = append(out, n)
		}
	}
	return out
}

// missing are the partitions to be taken: all of own, and count of free,
// whichever can be had.
func (s share) missing(held []int) (own, free []int, count int) {
	own = without(s.Own, held)
	free = without(s.Free, held)
	count = max(0, s.Any-(len(s.Free)-len(free)))
	return own, free, count
}

// without are the numbers that are not among those.
func without(numbers, those []int) []int {
	return slices.DeleteFunc(slices.Clone(numbers), func(n int) bool { return slices.Contains(those, n) })
}
