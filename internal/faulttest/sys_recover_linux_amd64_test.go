package faulttest

import (
	"testing"

	"example.com/jlq/partition"
)

// recoverWorkloads open what a crash left and append to it.
func recoverWorkloads() []*workload {
	one := func(name, log string, sync partition.SyncMode, spoil func(string, *account) error) *workload {
		return &workload{name: name, mode: "always", log: log, batches: []int{1}, prepare: left(log, sync, spoil)}
	}
	return []*workload{
		one("torn", "p", partition.SyncAlways, tornBehind),
		one("torn, weak before", "p", partition.SyncOS, tornBehind),
		one("wrong entries", "p", partition.SyncOS, wrongEntries),
		one("no promise", "p", partition.SyncAlways, noPromise),
		one("no index", "p", partition.SyncAlways, noIndex),
		one("half a roll", "p", partition.SyncAlways, halfRolled),
		one("a roll, not promised", "p", partition.SyncOS, emptyRolled),
		one("a roll without index", "p", partition.SyncAlways, widowRolled),
		{name: "half a trim", mode: "always", log: "p", batches: []int{1}, prepare: leftRolled(halfTrimmed)},
		one("behind", "f.jsonl", partition.SyncAlways, linesBehind),
		one("wrong entries", "f.jsonl", partition.SyncAlways, wrongEntries),
		one("no index", "f.jsonl", partition.SyncAlways, noIndex),
		one("no newline", "f.jsonl", partition.SyncAlways, noNewline),
	}
}

// TestRecoverFaults fails and kills append at every system call by which it
// recovers what a crash left: nothing that was there is lost, and an error of
// the disk never passes for damage.
func TestRecoverFaults(t *testing.T) { runMatrix(t, recoverWorkloads(), 500) }
