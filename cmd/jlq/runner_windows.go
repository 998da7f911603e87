package main

import (
	"os/exec"
	"syscall"
)

// shellCommand is a command of its own process group, so that Ctrl-C does not
// end it. cmd.exe has rules of quoting of its own, and gets the text as it is.
func shellCommand(text string) *exec.Cmd {
	cmd := exec.Command("cmd")
	cmd.SysProcAttr = &syscall.SysProcAttr{
		CmdLine:       `cmd /s /c "` + text + `"`,
		CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP,
	}
	return cmd
}
