package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"example.com/jlq/partition"
)

// roleEnv holds the role, as JSON, that this process is to play instead of
// being the parent.
const roleEnv = "JLQ_SOAK_ROLE"

// role is what a child does.
type role struct {
	config
	Name string // writer, follower or random
	Life int    // of a writer, from 1
	At   [followers]position
}

// How long followers go without saying where they are.
const sayEvery = 50 * time.Millisecond

func runRole(text string) int {
	var r role
	err := json.Unmarshal([]byte(text), &r)
	if err == nil {
		err = map[string]func(*role) error{"writer": (*role).write, "follower": (*role).follow, "random": (*role).random}[r.Name](&r)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func (r *role) log() string { return filepath.Join(r.Dir, "log") }

// dismissed is closed when the parent closes our standard input, which it
// does when all is done, and the system when the parent dies.
var dismissed = sync.OnceValue(func() <-chan struct{} {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = io.Copy(io.Discard, os.Stdin) // any end is one
	}()
	return ended
})

// said is what goes to the parent. Lines go with one write each, and a kill
// cuts between them.
var said struct {
	sync.Mutex
	out *bufio.Writer
}

func say(format string, args ...any) {
	said.Lock()
	defer said.Unlock()
	if said.out == nil {
		said.out = bufio.NewWriter(os.Stdout)
	}
	fmt.Fprintf(said.out, format+"\n", args...)
	if said.out.Flush() != nil {
		os.Exit(1) // the parent is gone
	}
}

// openReader waits until a writer has made the log.
func (r *role) openReader() (*partition.Partition, error) {
	p, err := partition.OpenReader(r.log(), nil)
	for end := time.Now().Add(10 * time.Second); err != nil && time.Now().Before(end); {
		time.Sleep(5 * time.Millisecond)
		p, err = partition.OpenReader(r.log(), nil)
	}
	return p, err
}

// rangeError returns the RangeError in err.
func rangeError(err error) (*partition.RangeError, bool) {
	return errors.AsType[*partition.RangeError](err)
}
