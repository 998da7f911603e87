package main

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/spf13/cobra"
)

// defaultPager shows what does not fit on the screen.
const defaultPager = "less"

// pagerFlag is --pager.
type pagerFlag string

func (f *pagerFlag) add(cmd *cobra.Command) {
	*f = "auto"
	cmd.Flags().Var(f, "pager", "what shows output that does not fit on a terminal: auto ($PAGER, or less), never, or a command")
}

func (f *pagerFlag) String() string    { return string(*f) }
func (f *pagerFlag) Type() string      { return "auto|never|CMD" }
func (f *pagerFlag) offered() []string { return []string{"auto", "never", "less"} }

func (f *pagerFlag) Set(text string) error {
	if text == "" {
		return errors.New("want auto, never or a command")
	}
	*f = pagerFlag(text)
	return nil
}

// pagerCommand is the command line of the pager; "" for none.
func pagerCommand(flag string, getenv func(string) string) string {
	switch flag {
	case "never", "cat":
		return ""
	case "auto", "":
		if term := getenv("TERM"); term == "dumb" || term == "" {
			return ""
		}
		flag = getenv("PAGER")
	}
	switch flag {
	case "":
		return defaultPager
	case "cat":
		return ""
	}
	return flag
}

// paginate lets a pager show what is printed from now on, if stdout is a terminal
// on which that has no room.
func (a *app) paginate(flag string) {
	if !a.out.tty {
		return
	}
	terminal, ok := a.out.raw.(*os.File)
	if !ok {
		return
	}
	command := pagerCommand(flag, os.Getenv)
	columns, rows, err := term.GetSize(int(terminal.Fd()))
	if command == "" || err != nil || rows < 2 || columns < 1 || !pagerThere(command) {
		return
	}
	a.out.through(&pager{terminal: terminal, command: command, columns: columns, room: rows - 1})
}

// pagerThere reports whether a command can be run, as far as its name tells.
func pagerThere(command string) bool {
	if strings.ContainsAny(command, "|&;<>()$`\\\"'*?[#~=%") {
		return true // it is for the shell to say
	}
	words := strings.Fields(command)
	if len(words) == 0 {
		return false
	}
	_, err := exec.LookPath(words[0])
	return err == nil
}

// pager holds back what is printed until that has no room on the screen, and
// then starts a program that shows it. As with git, the keyboard belongs to
// that program from then on: an interrupt does not end jlq, leaving it does.
type pager struct {
	terminal *os.File
	command  string
	columns  int
	room     int // lines of the screen that are left

	held    []byte
	direct  bool // it goes to the terminal: it has room, or waits for nobody
	process *exec.Cmd
	in      *os.File
}

// Write implements [io.Writer].
func (p *pager) Write(data []byte) (int, error) {
	switch {
	case p.direct:
		return p.terminal.Write(data)
	case p.in != nil:
		return p.in.Write(data)
	}
	p.held = append(p.held, data...)
	p.room -= screenLines(data, p.columns)
	if p.room >= 0 {
		return len(data), nil
	}
	if err := p.start(); err != nil {
		p.direct = true // as it was without one
	}
	if err := p.release(); err != nil {
		return 0, err
	}
	return len(data), nil
}

// release writes what is held back, to the pager where there is one.
func (p *pager) release() error {
	held, to := p.held, p.in
	p.held = nil
	if to == nil {
		p.direct, to = true, p.terminal
	}
	if len(held) == 0 {
		return nil
	}
	_, err := to.Write(held)
	return err
}

func (p *pager) start() error {
	out, in, err := os.Pipe()
	if err != nil {
		return err
	}
	p.process = exec.Command("sh", "-c", p.command)
	p.process.Stdin, p.process.Stdout, p.process.Stderr = out, p.terminal, os.Stderr
	p.process.Env = pagerEnv(os.Environ())
	err = errors.Join(p.process.Start(), out.Close())
	if err != nil {
		return errors.Join(err, in.Close())
	}
	p.in = in
	signal.Ignore(os.Interrupt)
	return nil
}

// pagerEnv tells less, where the user did not, to show colours and to leave
// short text on the screen.
func pagerEnv(environ []string) []string {
	for _, set := range []string{"LESS=FRX", "LV=-c", "LESSCHARSET=utf-8"} {
		name, _, _ := strings.Cut(set, "=")
		if _, there := os.LookupEnv(name); !there {
			environ = append(environ, set)
		}
	}
	return environ
}

// started reports whether the pager has the terminal.
func (p *pager) started() bool { return p != nil && p.in != nil }

// close writes what is held back, and waits until the pager is left.
func (p *pager) close() error {
	if !p.started() {
		return p.release()
	}
	err := p.in.Close()
	// How the pager ended is between it and its user.
	_ = p.process.Wait()
	return err
}

// screenLines is how many lines of the screen text takes, about: it wraps, and
// control sequences of colours take no room.
func screenLines(text []byte, columns int) (lines int) {
	column, sequence := 0, false
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		i += size
		switch {
		case sequence:
			sequence = r < '@' || r > '~' || r == '['
		case r == '\x1b':
			sequence = true
		case r == '\n':
			lines, column = lines+1, 0
		case column == columns:
			lines, column = lines+1, 1
		default:
			column++
		}
	}
	return lines
}
