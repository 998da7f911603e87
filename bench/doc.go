// Package bench holds the work that jlq is measured with, and what it is
// measured against: the records, the naive log that a good programmer would
// first write, the bare system calls beneath every log, and the loops that
// time them. The benchmarks are the package's tests; the nested module peers
// gives the same work to other logs, so that they stay out of go.mod.
//
//	go run ./bench/cmd/results          # everything, writes bench/RESULTS.md
//	go test ./bench -run - -bench Scan  # one workload
//
// Every contestant of a workload gets the same bytes in the same order on the
// same file system, and a loop of this package holds the clock. Nothing here
// asserts a time. What may not rise is counted instead: allocations and system
// calls, in the guard tests.
//
// # Files
//
// The naive log writes what jlq writes, byte for byte:
//
//	00000000000000000000.jsonl     records, one a line
//	00000000000000000000.index     big-endian uint64 positions, n+1 of them
//
// so both read the same files, and a test compares them.
package bench
