//go:build linux || darwin

package vfs

import "golang.org/x/sys/unix"

// OpenLimit is how many files this process may have open at once, 0 where that
// is not known.
func OpenLimit() int {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return 0
	}
	return int(min(limit.Cur, 1<<30))
}
