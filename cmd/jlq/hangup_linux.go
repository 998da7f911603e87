package main

import (
	"io"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// watchHangup calls gone when the reader of a pipe goes away, so that a
// follower of a quiet log ends at once and not with the next record.
func watchHangup(w io.Writer, gone func()) {
	f, ok := w.(*os.File)
	if !ok {
		return
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&(fs.ModeNamedPipe|fs.ModeSocket) == 0 {
		return
	}
	// No event is asked for: errors are reported all the same, and the write
	// end of a pipe without reader is one. The descriptor is asked for here,
	// because stdout may be closed before the goroutine gets to it.
	fds := []unix.PollFd{{Fd: int32(f.Fd())}}
	go func() {
		for {
			n, err := unix.Poll(fds, -1)
			if err == unix.EINTR {
				continue
			}
			if n == 1 && fds[0].Revents&unix.POLLERR != 0 {
				gone()
			}
			return
		}
	}()
}
