package main

import (
	"bufio"
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// key names a figure: that of a benchmark in one of the units it reports.
type key struct {
	bench, unit string // "Scan/jlq", "ns/rec"
}

// samples holds one figure of each kind for each round.
type samples struct {
	rounds int
	values map[key]map[int]float64
}

func newSamples(rounds int) *samples {
	return &samples{rounds: rounds, values: make(map[key]map[int]float64)}
}

// parse takes in the output of a benchmark run. A line of it is
//
//	BenchmarkScan/jlq-2    3    0.00002 allocs/rec    26.9 ms/run    26.9 ns/rec
func (s *samples) parse(round int, out string) error {
	for sc := bufio.NewScanner(strings.NewReader(out)); sc.Scan(); {
		fields := strings.Fields(sc.Text())
		if len(fields) < 4 || !strings.HasPrefix(fields[0], "Benchmark") {
			continue
		}
		bench := benchName(fields[0], runtime.GOMAXPROCS(0))
		for i := 2; i+1 < len(fields); i += 2 {
			value, err := strconv.ParseFloat(fields[i], 64)
			if err != nil {
				return fmt.Errorf("benchmark output %q: %w", sc.Text(), err)
			}
			s.add(round, key{bench, fields[i+1]}, value)
		}
	}
	return nil
}

// benchName strips what the testing package adds to the name.
func benchName(field string, procs int) string {
	name := strings.TrimPrefix(field, "Benchmark")
	if procs > 1 {
		name = strings.TrimSuffix(name, "-"+strconv.Itoa(procs))
	}
	return name
}

func (s *samples) add(round int, k key, value float64) {
	if s.values[k] == nil {
		s.values[k] = make(map[int]float64)
	}
	s.values[k][round] = value
}

// of returns the figure of each round that has it.
func (s *samples) of(k key) series {
	var out series
	for round := range s.rounds {
		if v, ok := s.values[k][round]; ok {
			out = append(out, v)
		}
	}
	return out
}

// ratio returns, for each round that has all of them, a figure divided by the
// sum of others.
func (s *samples) ratio(of key, to ...key) series {
	var out series
	for round := range s.rounds {
		num, ok := s.values[of][round]
		den := 0.0
		for _, k := range to {
			v, there := s.values[k][round]
			ok = ok && there
			den += v
		}
		if ok && den > 0 {
			out = append(out, num/den)
		}
	}
	return out
}

// contestants lists those of a workload, the fastest first.
func (s *samples) contestants(bench, unit string) []string {
	var names []string
	for k := range s.values {
		if name, ok := strings.CutPrefix(k.bench, bench+"/"); ok && k.unit == unit {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(
			cmp.Compare(s.of(key{bench + "/" + a, unit}).median(), s.of(key{bench + "/" + b, unit}).median()),
			cmp.Compare(a, b),
		)
	})
	return names
}

// series is a figure over the rounds.
type series []float64

// median returns the middle one, 0 where there is none.
func (s series) median() float64 {
	if len(s) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(s))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// spread returns the least and the greatest.
func (s series) spread() (least, greatest float64) {
	if len(s) == 0 {
		return 0, 0
	}
	return slices.Min(s), slices.Max(s)
}
