package vfs

import (
	"bytes"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// lockHolder finds the process that holds the flock of a file in /proc/locks,
// whose lines read
//
//	1: FLOCK  ADVISORY  WRITE 4711 08:02:131074 0 EOF
//
// with the device in hexadecimal. It returns 0 where the kernel counts
// devices differently there than stat does (btrfs, overlayfs): the same inode
// number on another device would name an innocent process.
func lockHolder(info Info) int {
	table, err := os.ReadFile("/proc/locks")
	if err != nil {
		return 0
	}
	return flockHolder(table, info)
}

// flockHolder is lockHolder on the text of /proc/locks.
func flockHolder(table []byte, info Info) int {
	file := fmt.Sprintf("%02x:%02x:%d", unix.Major(info.Dev), unix.Minor(info.Dev), info.Ino)
	for line := range bytes.Lines(table) {
		// A waiting process has "->" in the second field, so it is passed over.
		f := bytes.Fields(line)
		if len(f) < 6 || string(f[1]) != "FLOCK" || string(f[5]) != file {
			continue
		}
		if pid, err := strconv.Atoi(string(f[4])); err == nil && pid > 0 {
			return pid
		}
	}
	return 0
}
