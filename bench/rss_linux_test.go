package bench

import (
	"os"
	"syscall"
)

// peakMemory returns the most memory that a process had at once, in bytes. The
// kernel counts the pages of files that it had mapped, in a number as wide as
// the machine.
func peakMemory(state *os.ProcessState) int64 {
	return int64(state.SysUsage().(*syscall.Rusage).Maxrss) << 10
}
