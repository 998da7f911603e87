package faulttest

import (
	"testing"
	"time"
)

// nothingThere prepares a log that does not exist.
func nothingThere(string) (*account, error) { return &account{}, nil }

// appendWorkloads make a new log in each mode.
func appendWorkloads() []*workload {
	var all []*workload
	for _, mode := range []string{"always", "interval", "os"} {
		for _, log := range []string{"p", "f.jsonl"} {
			w := &workload{mode: mode, log: log, prepare: nothingThere, batches: []int{1, 3, 2}}
			if mode != "always" {
				w.pause = 4 * time.Millisecond // longer than an entry waits to be published
			}
			all = append(all, w)
		}
	}
	// Long enough for a background sync.
	return append(all, &workload{
		name: "slowly", mode: "interval", log: "p", prepare: nothingThere, batches: []int{2, 1}, pause: 1200 * time.Millisecond,
	})
}

// TestAppendFaults fails and kills append at every system call that it makes
// on the files of a log.
func TestAppendFaults(t *testing.T) { runMatrix(t, appendWorkloads(), 500) }
