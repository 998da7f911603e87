// Package faulttest puts the real program on a real kernel under the faults
// that a log meets, and holds what is left against one oracle: acknowledged ⊆
// stored ⊆ sent, in order, without a gap, and appends go on. It has tests
// only.
//
//	oracle_test.go   the oracle; control_test.go and control_*_test.go show that it notices
//	harness_test.go  builds jlq, feeds it and collects what it acknowledges
//	spoil_test.go    what crashes leave
//	trace_*_test.go  fails or kills at the n-th system call (ptrace)
//	matrix_*, workload_*_test.go  many such cases beside each other
//	sys_*_test.go    system calls, limits, full and read-only media, what lies in the place of a file
//	kill_*_test.go   processes that are killed or stopped at any time, beside readers that remember
//
// # Why a tracer of our own
//
// strace counts the occurrences for its when=N for each thread on its own,
// and the runtime moves a goroutine to another thread at almost any system
// call: the n-th write of a file may be the first of its thread, and cannot be
// named. The tracer counts by file, over all threads. strace says whether the
// tracer knows every system call that the program makes on a log
// (TestCallsKnown).
//
// # Running
//
// What needs root, strace or another facility skips where it is missing and
// says so; with CI=true it fails instead. A plain run takes samples, whose
// seed is printed; JLQ_FAULTS=all runs every case, JLQ_FAULTS_SEED=N another
// sample.
package faulttest
