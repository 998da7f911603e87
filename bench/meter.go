package bench

import (
	"runtime"
	"slices"
	"testing"
	"time"
)

// Meter holds the clock of a benchmark whose iterations consist of more than
// the work: it counts the measured parts only, and reports the median of the
// iterations, so that one that was disturbed does not matter. It is for one
// goroutine.
type Meter struct {
	parts map[string][]float64
}

// Measure runs work, which handles n records, and counts it.
func (m *Meter) Measure(n int, work func()) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	work()
	elapsed := time.Since(start)
	runtime.ReadMemStats(&after)
	m.add("ns/rec", float64(elapsed.Nanoseconds())/float64(n))
	m.add("ms/run", millis(elapsed))
	m.add("allocs/rec", float64(after.Mallocs-before.Mallocs)/float64(n))
}

// Beside runs work that is not part of the measured one, and reports its time
// beside it as unit, in milliseconds.
func (m *Meter) Beside(unit string, work func()) {
	start := time.Now()
	work()
	m.add(unit, millis(time.Since(start)))
}

// Rate reports the bytes that each measured part handled as GB/s beside it.
func (m *Meter) Rate(bytes int64) {
	for _, ms := range m.parts["ms/run"] {
		m.add("GB/s", float64(bytes)/1e6/ms)
	}
}

// Report ends the benchmark. The time of whole iterations, which the testing
// package would print, says nothing here and is left out.
func (m *Meter) Report(b *testing.B) {
	b.Helper()
	for unit, values := range m.parts {
		b.ReportMetric(median(values), unit)
	}
	b.ReportMetric(0, "ns/op")
}

func (m *Meter) add(unit string, value float64) {
	if m.parts == nil {
		m.parts = make(map[string][]float64)
	}
	m.parts[unit] = append(m.parts[unit], value)
}

func millis(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e6 }

// median returns the middle of values, of which there is at least one.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
