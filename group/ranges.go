package group

import (
	"slices"
	"sort"
)

// ranges is a set of numbers: half-open ranges [from, to), ascending, with gaps
// between them.
type ranges [][2]uint64

// at is the first range that ends behind n.
func (r ranges) at(n uint64) int { return sort.Search(len(r), func(i int) bool { return r[i][1] > n }) }

func (r ranges) has(n uint64) bool {
	i := r.at(n)
	return i < len(r) && r[i][0] <= n
}

func (r *ranges) add(n uint64) {
	if r.has(n) {
		return
	}
	i := r.at(n)
	before, behind := i > 0 && (*r)[i-1][1] == n, i < len(*r) && (*r)[i][0] == n+1
	switch {
	case before && behind:
		(*r)[i-1][1] = (*r)[i][1]
		*r = slices.Delete(*r, i, i+1)
	case before:
		(*r)[i-1][1] = n + 1
	case behind:
		(*r)[i][0] = n
	default:
		*r = slices.Insert(*r, i, [2]uint64{n, n + 1})
	}
}

func (r *ranges) remove(n uint64) {
	if !r.has(n) {
		return
	}
	i := r.at(n)
	from, to := (*r)[i][0], (*r)[i][1]
	switch {
	case to-from == 1:
		*r = slices.Delete(*r, i, i+1)
	case from == n:
		(*r)[i][0]++
	case to == n+1:
		(*r)[i][1]--
	default:
		(*r)[i][1] = n
		*r = slices.Insert(*r, i+1, [2]uint64{n + 1, to})
	}
}

// all are the numbers, ascending.
func (r ranges) all() (out []uint64) {
	for _, x := range r {
		for n := x[0]; n < x[1]; n++ {
			out = append(out, n)
		}
	}
	return out
}
