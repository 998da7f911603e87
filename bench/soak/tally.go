package main

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"time"
)

// tally is the figures of a run.
type tally struct {
	took, read time.Duration // until all had ended; until the last record was read by all
	busy, life time.Duration // spent in appends by the lives before, by this one
	kills      int
	recovered  int             // openings that had something to mend
	opens      []time.Duration // of the lives but the first
	create     time.Duration
	reads      uint64 // by the random reader
	gone       uint64 // of these, records that were dropped meanwhile
	start      uint64 // of the log in the end

	seen    map[string]bool // segments, by name; true while it is there
	maxDisk int64
	disk    int64
}

// opened: a life has its log open.
func (t *tally) opened(life int, took time.Duration) {
	t.busy, t.life = t.busy+t.life, 0
	if life == 1 {
		t.create = took
		return
	}
	t.opens = append(t.opens, took)
}

// appending: the present life has spent this long in appends.
func (t *tally) appending(busy time.Duration) { t.life = busy }

// look looks at the files, as anybody can from outside.
func (t *tally) look(dir string) error {
	names, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it is not made yet
	}
	if err != nil {
		return err
	}
	if t.seen == nil {
		t.seen = map[string]bool{}
	}
	for name := range t.seen {
		t.seen[name] = false
	}
	t.disk = 0
	for _, name := range names {
		if strings.HasSuffix(name.Name(), ".jsonl") {
			t.seen[name.Name()] = true
		}
		if info, err := name.Info(); err == nil { // else it is gone by now
			t.disk += info.Size()
		}
	}
	t.maxDisk = max(t.maxDisk, t.disk)
	return nil
}

// segments returns how many there were, and how many of them were dropped.
func (t *tally) segments() (made, dropped int) {
	for _, there := range t.seen {
		if !there {
			dropped++
		}
	}
	return len(t.seen), dropped
}
