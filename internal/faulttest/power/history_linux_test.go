package power

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"example.com/jlq/partition"
)

// history is what the world outside knows of a log: what was acknowledged to
// it, what it read, and what was there when the log was last opened. Against
// that a log is held after its power was cut.
//
// Of a bare file only what was acknowledged is held against it: readers go on
// past its index and see lines that are not synced yet, and what a loss leaves
// behind those that are stays there.
type history struct {
	kept []string // all records, when the log was last opened for appending
	bare bool     // it is a bare file
	keep int      // records that retention has to leave; 0: nothing may be dropped

	mu      sync.Mutex
	epochs  map[int]partition.SyncMode // the processes since then
	trusted bool                       // all of them promised to survive a power loss
	fresh   []fact                     // what they said since the power came back

	acked   map[uint64]string // what they acknowledged before it went
	seen    map[uint64]string // what a reader in another process saw
	durable uint64            // what they called durable
}

// fact is what a process said, and when. Processes outlive their file system
// here, as they never do a power loss, and XFS lets an fsync succeed that the
// shutdown overtook: so what is said after the cut began does not count.
type fact struct {
	at     int64 // of [now]
	what   string
	offset uint64
	rec    string
}

// now is a clock that all processes share.
func now() int64 {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &t); err != nil {
		panic(err)
	}
	return t.Nano()
}

func newHistory() *history {
	h := &history{}
	h.begin(nil)
	return h
}

// begin takes over what the log holds: from now on all of it has to stay.
func (h *history) begin(stored []string) {
	h.kept = stored
	h.epochs, h.acked, h.seen = map[int]partition.SyncMode{}, map[uint64]string{}, map[uint64]string{}
	h.durable, h.trusted = 0, true
}

// expect announces a process that appends.
func (h *history) expect(epoch int, mode partition.SyncMode) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.epochs[epoch] = mode
	h.trusted = h.trusted && mode == partition.SyncAlways
}

// note takes in a line that a process printed: "TIME ack OFFSET RECORD",
// "TIME saw OFFSET RECORD" or "TIME durable OFFSET".
func (h *history) note(line string) error {
	words := append(strings.SplitN(line, " ", 4), "", "", "")
	at, err := strconv.ParseInt(words[0], 10, 64)
	offset, err2 := strconv.ParseUint(words[2], 10, 64)
	if err := errors.Join(err, err2); err != nil {
		return fmt.Errorf("a process printed %q: %w", line, err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.fresh = append(h.fresh, fact{at, words[1], offset, words[3]})
	return nil
}

// cut takes over what was said before the power went.
func (h *history) cut(at int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, f := range h.fresh {
		switch {
		case f.at >= at:
		case f.what == "ack":
			h.acked[f.offset] = f.rec
		case f.what == "saw":
			h.seen[f.offset] = f.rec
		case f.what == "durable":
			h.durable = max(h.durable, f.offset)
		}
	}
	h.fresh = nil
}

// complaints holds the records of a log that was cut and opened again against
// what is known of it. Every one of them is a broken promise.
func (h *history) complaints(stored []string) []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var c complaints
	gone := 0 // retention takes from the front
	for gone < len(stored) && stored[gone] == dropped {
		gone++
	}
	if gone > 0 && (h.keep == 0 || len(stored)-gone < h.keep) {
		c.say("%d of %d records are dropped, %d have to stay", gone, len(stored), h.keep)
	}
	for offset, rec := range h.kept {
		c.want(stored, uint64(offset), rec, true, "was there before")
	}
	for offset, rec := range h.acked {
		c.want(stored, offset, rec, h.trusted || offset < h.durable, "was acknowledged")
	}
	if !h.bare {
		for offset, rec := range h.seen {
			c.want(stored, offset, rec, h.trusted, "was read by another process")
		}
	}
	if h.durable > uint64(len(stored)) {
		c.say("%d records are there, %d were durable", len(stored), h.durable)
	}
	if !h.bare {
		h.invented(stored, &c)
	}
	return c
}

// lost is how many acknowledged records a log of that many records lacks.
func (h *history) lost(stored int) (n int) {
	for offset := range h.acked {
		if offset >= uint64(stored) {
			n++
		}
	}
	return n
}

// invented complains about records that nobody sent, and about gaps: each
// goroutine sends a record only when it was told that the one before is stored.
func (h *history) invented(stored []string, c *complaints) {
	next := map[record]int{}
	for offset := len(h.kept); offset < len(stored); offset++ {
		if stored[offset] == dropped {
			next = nil // what came before is not known any more
			continue
		}
		r, ok := parseRecord(stored[offset])
		if _, known := h.epochs[r.Epoch]; !ok || !known {
			c.say("record %d was never sent: %s", offset, brief(stored[offset]))
			continue
		}
		who := record{Epoch: r.Epoch, Giver: r.Giver}
		if next == nil {
			next = h.firstOf(stored[offset:])
		}
		if r.N != next[who] {
			c.say("record %d is number %d of its goroutine, not %d", offset, r.N, next[who])
		}
		next[who] = r.N + 1
	}
}

// firstOf is the number with which each goroutine begins in a part of a log.
func (h *history) firstOf(stored []string) map[record]int {
	first := map[record]int{}
	for _, rec := range stored {
		r, _ := parseRecord(rec)
		who := record{Epoch: r.Epoch, Giver: r.Giver}
		if _, known := first[who]; !known {
			first[who] = r.N
		}
	}
	return first
}

// complaints are broken promises, in words.
type complaints []string

func (c *complaints) say(format string, args ...any) {
	*c = append(*c, fmt.Sprintf(format, args...))
}

// want complains where record offset is another one; where it is missing, only
// if it must be there.
func (c *complaints) want(stored []string, offset uint64, rec string, must bool, why string) {
	switch {
	case offset >= uint64(len(stored)):
		if must {
			c.say("record %d %s and is lost: %s", offset, why, brief(rec))
		}
	case stored[offset] == dropped: // whether it may be is judged for all of them
	case stored[offset] != rec:
		c.say("record %d %s as %s and is %s", offset, why, brief(rec), brief(stored[offset]))
	}
}

func brief(rec string) string {
	if len(rec) <= 60 {
		return rec
	}
	return rec[:60] + "…"
}
