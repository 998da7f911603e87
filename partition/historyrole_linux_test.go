package partition

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// The other processes of a history: each prints an event before and after
// every operation, with the time of a clock that all processes share.

func init() {
	if role := os.Getenv("JLQ_HISTORY"); role != "" {
		playHistory(role)
	}
}

func playHistory(role string) {
	role, path, _ := strings.Cut(role, ":")
	var err error
	if role == "write" {
		err = (&historyLog{}).write(path)
	} else {
		err = (&historyLog{}).read(path)
	}
	fmt.Fprintln(os.Stderr, role, err)
	os.Exit(1)
}

// historyWidth is the length of every record.
const historyWidth = 8

func historyValue(n int) string { return fmt.Sprint(10_000_000 + n) }

func historyNow() int64 {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		panic(err)
	}
	return now.Nano()
}

// historyLog prints events.
type historyLog struct {
	mu sync.Mutex
	id int
}

// begin prints what is about to be done. What it returns prints the outcome.
func (l *historyLog) begin(e historyEvent) func(historyEvent) {
	l.mu.Lock()
	l.id++
	e.ID = l.id
	l.mu.Unlock()
	e.Time = historyNow()
	l.print(e)
	return func(result historyEvent) {
		result.Time = historyNow()
		result.ID, result.Kind = e.ID, e.Kind
		l.print(result)
	}
}

// print writes a line with one write(2), so that a kill cuts between lines.
func (l *historyLog) print(e historyEvent) {
	line, err := json.Marshal(e)
	if err == nil {
		_, err = os.Stdout.Write(append(line, '\n'))
	}
	if err != nil {
		panic(err)
	}
}

// write appends from several goroutines until it is killed.
func (l *historyLog) write(path string) error {
	end := l.begin(historyEvent{Kind: "open"})
	p, err := Open(path, nil)
	if err != nil {
		return err
	}
	end(historyEvent{Outcome: historyDone})
	failed := make(chan error)
	for g := range 3 {
		go func() { failed <- l.appendOn(p, g) }()
	}
	return <-failed
}

func (l *historyLog) appendOn(p *Partition, goroutine int) error {
	for {
		values := make([]string, 1+rand.IntN(3))
		data := make([][]byte, len(values))
		for i := range values {
			values[i] = historyValue(rand.IntN(90_000_000))
			data[i] = []byte(values[i])
		}
		do := l.append
		if goroutine == 0 {
			do = l.appendAt
		}
		if err := do(p, values, data); err != nil {
			return err
		}
		time.Sleep(time.Duration(rand.IntN(1000)) * time.Microsecond)
	}
}

func (l *historyLog) append(p *Partition, values []string, data [][]byte) error {
	end := l.begin(historyEvent{Kind: "append", Values: values})
	first, err := p.AppendBatch(data)
	if err == nil {
		end(historyEvent{At: first, Values: values, Outcome: historyDone})
	}
	return err
}

func (l *historyLog) appendAt(p *Partition, values []string, data [][]byte) error {
	_, expect := p.Bounds()
	end := l.begin(historyEvent{Kind: "append at", At: expect, Values: values})
	err := p.AppendAt(expect, data...)
	if conflict, ok := errors.AsType[*ConflictError](err); ok {
		end(historyEvent{At: expect, Values: values, Outcome: historyConflict, Next: conflict.Next})
		return nil
	}
	if err == nil {
		end(historyEvent{At: expect, Values: values, Outcome: historyDone})
	}
	return err
}

// read reads in all ways until it is killed.
func (l *historyLog) read(path string) error {
	p, err := OpenReader(path, nil)
	if err != nil {
		return err
	}
	next := uint64(0)
	for {
		switch rand.IntN(3) {
		case 0:
			end := l.begin(historyEvent{Kind: "bounds"})
			_, next = p.Bounds()
			end(historyEvent{Next: next, Outcome: historyDone})
		case 1:
			err = l.get(p, rand.Uint64N(next+3))
		default:
			err = l.scan(p, next-min(next, rand.Uint64N(20)))
		}
		if err != nil {
			return err
		}
		time.Sleep(time.Duration(1+rand.IntN(4)) * time.Millisecond)
	}
}

func (l *historyLog) get(p *Partition, at uint64) error {
	end := l.begin(historyEvent{Kind: "get", At: at})
	data, err := p.Get(at)
	if _, absent := errors.AsType[*RangeError](err); absent {
		end(historyEvent{At: at, Outcome: historyAbsent})
		return nil
	}
	if err == nil {
		end(historyEvent{At: at, Values: []string{string(data)}, Outcome: historyDone})
	}
	return err
}

func (l *historyLog) scan(p *Partition, from uint64) error {
	end := l.begin(historyEvent{Kind: "scan", At: from})
	var values []string
	for rec, err := range p.Records(from) {
		if err != nil {
			return err
		}
		values = append(values, string(rec.Data))
	}
	end(historyEvent{At: from, Values: values, Outcome: historyDone})
	return nil
}
