package faulttest

import (
	"testing"
	"time"
)

// rollWorkloads roll at most batches. The last one fits, and makes sure that a
// log goes on after a roll.
func rollWorkloads() []*workload {
	var all []*workload
	for _, mode := range []string{"always", "interval", "os"} {
		w := &workload{
			name: "rolls", mode: mode, log: "p", prepare: nothingThere, batches: []int{1, 3, 2, 4, 1},
			flags: []string{"--segment-records", "3"},
		}
		if mode != "always" {
			w.pause = 4 * time.Millisecond // longer than an entry waits to be published
		}
		all = append(all, w)
	}
	return all
}

// TestRollFaults fails and kills append at every system call of a log that
// rolls: the old segment, the new one, or a roll that is put off and told.
func TestRollFaults(t *testing.T) { runMatrix(t, rollWorkloads(), 150) }
