package main

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// sample is what one process had at one moment.
type sample struct {
	anon  int64 // bytes of memory that are its own
	all   int64 // with the pages of files that it has mapped
	files int   // descriptors
}

// trace is the samples of one process, in order.
type trace []sample

// take reads /proc. Where there is none, nothing is sampled.
func take(pid int) (s sample, ok bool) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return s, false
	}
	s.anon, s.all = statusBytes(string(text), "RssAnon:"), statusBytes(string(text), "VmRSS:")
	names, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	s.files = len(names)
	return s, err == nil && s.all > 0
}

func statusBytes(status, name string) int64 {
	_, rest, _ := strings.Cut(status, name)
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return 0
	}
	kib, err := strconv.ParseInt(fields[0], 10, 64)
	if err != nil {
		return 0
	}
	return kib << 10
}

// of returns one column of the trace.
func (t trace) of(column func(sample) int64) []int64 {
	var out []int64
	for _, s := range t {
		out = append(out, column(s))
	}
	return out
}

func anon(s sample) int64  { return s.anon }
func all(s sample) int64   { return s.all }
func files(s sample) int64 { return int64(s.files) }

// growth is how much the last quarter has above the second one: the first is
// for warming up.
func growth(values []int64) int64 {
	quarter := len(values) / 4
	if quarter == 0 {
		return 0
	}
	return median(values[len(values)-quarter:]) - median(values[quarter:2*quarter])
}

func median(values []int64) int64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}

// A process grows where it has this much more of its own memory in the end
// than after the first quarter: the heap of Go breathes by some MiB, and 20
// million records would leak more than that with a byte each. Descriptors come
// as more segments are read, up to a bound: 16 segments with two each are kept
// open, and those that are being read.
const (
	mayGrow  = 16 << 20
	maxFiles = 80
)

// steady reports a process that grows.
func (t trace) steady(name string) error {
	if g := growth(t.of(anon)); g > mayGrow {
		return fmt.Errorf("%s: memory grew by %d bytes", name, g)
	}
	for _, n := range t.of(files) {
		if n > maxFiles {
			return fmt.Errorf("%s: it has %d descriptors", name, n)
		}
	}
	return nil
}
