//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// shellCommand is a command of its own process group: Ctrl-C in a terminal is
// for jlq, which lets it finish.
func shellCommand(text string) *exec.Cmd {
	cmd := exec.Command("sh", "-c", text)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd
}
