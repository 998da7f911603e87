package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// proc is a child.
type proc struct {
	name   string
	cmd    *exec.Cmd
	stdin  io.Closer
	stderr bytes.Buffer
	killed bool
	trace  trace
}

// event is a line that a child said; ended: it says nothing any more.
type event struct {
	from  *proc
	line  string
	ended bool
}

// start starts a child, whose lines go to events.
func start(r role, events chan<- event) (*proc, error) {
	text, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p := &proc{name: r.Name, cmd: exec.Command(self)}
	p.cmd.Env = append(os.Environ(), roleEnv+"="+string(text))
	p.cmd.Stderr = &p.stderr
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go p.listen(out, events)
	return p, nil
}

func (p *proc) listen(out io.Reader, events chan<- event) {
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			break // what a kill cut is no line
		}
		events <- event{from: p, line: strings.TrimSuffix(line, "\n")}
	}
	events <- event{from: p, ended: true}
}

// kill ends the process without a word, as the system does when memory runs
// out.
func (p *proc) kill() error {
	p.killed = true
	return p.cmd.Process.Kill()
}

// wait returns an error where the process did not end as it should. Its
// output has ended.
func (p *proc) wait() error {
	err := p.cmd.Wait()
	if err == nil || p.killed {
		return nil
	}
	return fmt.Errorf("%s: %w: %s", p.name, err, strings.TrimSpace(p.stderr.String()))
}
