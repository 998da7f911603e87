package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"

	"golang.org/x/sys/unix"
)

// record runs a command in a place, with a terminal as its stdout and stderr,
// and returns what it sent there.
func record(place, command string) ([]byte, error) {
	terminal, program, err := openTerminal()
	if err != nil {
		return nil, err
	}
	defer terminal.Close()
	cmd := exec.Command("bash", "-c", command)
	cmd.Dir, cmd.Stdout, cmd.Stderr = place, program, program
	cmd.Env = []string{
		"PATH=" + place + "/bin:" + os.Getenv("PATH"), "HOME=" + place, "TERM=xterm-256color", "LC_ALL=C.UTF-8", "TZ=UTC", "PAGER=cat",
	}
	err = cmd.Start()
	if closed := program.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return nil, err
	}
	shown, err := io.ReadAll(terminal)
	if errors.Is(err, unix.EIO) {
		err = nil // so Linux says that the last program has left a terminal
	}
	failed := &exec.ExitError{}
	if ended := cmd.Wait(); err == nil && !errors.As(ended, &failed) {
		err = ended // a status is part of the session
	}
	return shown, err
}

// openTerminal returns the two ends of a new terminal.
func openTerminal() (terminal, program *os.File, err error) {
	if terminal, err = os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0); err != nil {
		return nil, nil, fmt.Errorf("%w: %w", errNoTerminal, err)
	}
	defer func() {
		if err != nil {
			_ = terminal.Close()
		}
	}()
	fd := int(terminal.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		return nil, nil, err
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		return nil, nil, err
	}
	if err := unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: rows, Col: columns}); err != nil {
		return nil, nil, err
	}
	program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	return terminal, program, err
}
