package bench

import (
	"slices"
	"time"
)

// Latency takes in how long each record of an iteration was on its way, and
// reports the median and the 99th percentile in microseconds beside the
// measured part.
func (m *Meter) Latency(took []time.Duration) {
	sorted := slices.Sorted(slices.Values(took))
	m.add("p50-µs", micros(sorted[len(sorted)/2]))
	m.add("p99-µs", micros(sorted[len(sorted)*99/100]))
}

func micros(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e3 }
