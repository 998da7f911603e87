//go:build unix

package main

import (
	"os"
	"syscall"
)

// canBeNobody: root can become any user, and any other user who does not own
// the files will do.
func canBeNobody() bool { return os.Geteuid() == 0 }

func nobodyAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
}
