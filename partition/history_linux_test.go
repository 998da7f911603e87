package partition

import (
	"bufio"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"
)

// historyEvent is a line that a process of a history prints before and after
// each operation.
type historyEvent struct {
	ID      int           // of the operation, in its process
	Kind    string        // open, append, append at, get, bounds, scan
	At      uint64        // the expected offset, or where to read
	Values  []string      // appended, or read
	Outcome historyResult // "" before the operation
	Next    uint64        // what the log said is its end
	Time    int64         // on the clock that all processes share
}

type historyResult string

const (
	historyDone     historyResult = "done"
	historyConflict historyResult = "conflict" // AppendAt met another end
	historyAbsent   historyResult = "absent"   // Get of an offset that is not there
	historyUnknown  historyResult = "unknown"  // the process died within it
)

// history gathers the events of all processes.
type history struct {
	mu      sync.Mutex
	process int
	ops     []porcupine.Operation
}

// historyProcess is a process whose events are being read.
type historyProcess struct {
	cmd     *exec.Cmd
	ended   chan struct{}        // closed when its output ends
	done    chan struct{}        // one for each operation that has ended
	started map[int]historyEvent // those that have not
}

// start runs role in another process.
func (h *history) start(t *testing.T, role, path string) *historyProcess {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "JLQ_HISTORY="+role+":"+path)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	p := &historyProcess{cmd: cmd, ended: make(chan struct{}), done: make(chan struct{}, 1<<16), started: map[int]historyEvent{}}
	h.mu.Lock()
	h.process++
	process := h.process
	h.mu.Unlock()
	go func() {
		defer close(p.ended)
		lines := bufio.NewScanner(out)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			var e historyEvent
			if json.Unmarshal(lines.Bytes(), &e) == nil { // the last line may be cut
				h.take(process, p, e)
			}
		}
	}()
	return p
}

func (h *history) take(process int, p *historyProcess, e historyEvent) {
	if e.Outcome == "" {
		p.started[e.ID] = e
		return
	}
	begin := p.started[e.ID]
	delete(p.started, e.ID)
	if e.Kind != "open" {
		h.add(process, begin.Time, e, e.Time)
	}
	p.done <- struct{}{}
}

func (h *history) add(process int, call int64, e historyEvent, end int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ops = append(h.ops, porcupine.Operation{ClientId: process, Input: e, Call: call, Output: e, Return: end})
}

// kill ends a process by SIGKILL and returns the operations that were under
// way.
func (p *historyProcess) kill(t *testing.T) []historyEvent {
	require.NoError(t, p.cmd.Process.Kill())
	<-p.ended
	_ = p.cmd.Wait()
	var pending []historyEvent
	for _, e := range p.started {
		e.Outcome = historyUnknown
		pending = append(pending, e)
	}
	return pending
}

// waitFor returns when n operations have ended.
func (p *historyProcess) waitFor(t *testing.T, n int) {
	for range n {
		select {
		case <-p.done:
		case <-p.ended:
			t.Fatal("a process of the history ended by itself")
		case <-time.After(time.Minute):
			t.Fatal("a process of the history hangs")
		}
	}
}

// TestHistory lets one process after the other append to a log and be killed,
// while others read, and looks for an order of all operations in which the log
// is a list that only grows: what was acknowledged is seen by every later read
// of every process, nothing that was read goes away, and an append whose
// process died took place, in part from the front on, or did not, before the
// next writer had the log open.
func TestHistory(t *testing.T) {
	rounds := 15
	if testing.Short() || raceEnabled {
		rounds = 2
	}
	for _, name := range []string{"p", "p.jsonl"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := recordHistory(t, filepath.Join(t.TempDir(), name), rounds)
			require.Equal(t, porcupine.Ok, checkHistory(h.ops), "%d operations", len(h.ops))
			t.Logf("%d operations", len(h.ops))
			requireNoticed(t, h.ops)
		})
	}
}

func recordHistory(t *testing.T, path string, rounds int) *history {
	h := &history{}
	require.NoError(t, mustOpen(t, path, nil).Close())
	var readers []*historyProcess
	for range 2 {
		readers = append(readers, h.start(t, "read", path))
	}
	var pending []historyEvent
	for range rounds {
		w := h.start(t, "write", path)
		w.waitFor(t, 1) // it is open
		h.settle(pending)
		w.waitFor(t, 10+rand.IntN(20))
		time.Sleep(time.Duration(rand.IntN(3000)) * time.Microsecond)
		pending = w.kill(t)
	}
	require.NoError(t, mustOpen(t, path, nil).Close())
	h.settle(pending)
	for _, r := range readers {
		r.kill(t) // a read that was under way says nothing
	}
	h.finalScan(t, path)
	return h
}

// settle ends the operations of a killed writer: the next one has recovered
// the log.
func (h *history) settle(pending []historyEvent) {
	now := historyNow()
	for _, e := range pending {
		if e.Kind != "open" {
			h.add(0, e.Time, e, now)
		}
	}
}

// finalScan reads the whole log.
func (h *history) finalScan(t *testing.T, path string) {
	r, err := OpenReader(path, nil)
	require.NoError(t, err)
	begin := historyNow()
	values := read(t, r, 0)
	h.add(0, begin, historyEvent{Kind: "scan", Values: values, Outcome: historyDone}, historyNow())
	require.NoError(t, r.Close())
	require.NotEmpty(t, values)
}

// requireNoticed changes a history as a fault would have, and makes sure that
// it is noticed.
func requireNoticed(t *testing.T, ops []porcupine.Operation) {
	for _, kind := range []string{"get", "scan", "bounds"} {
		at := lastOf(ops, kind)
		require.GreaterOrEqual(t, at, 0, "no %s in the history", kind)
		e := ops[at].Output.(historyEvent)
		e.Values = slices.Clone(e.Values)
		switch kind {
		case "bounds":
			e.Next += 1 << 20 // one more may be of an append that was under way
		default:
			e.Values[len(e.Values)-1] = historyValue(99)
		}
		bad := slices.Clone(ops)
		bad[at].Input, bad[at].Output = e, e
		require.Equal(t, porcupine.Illegal, checkHistory(bad), "%s: %+v", kind, e)
	}
}

// lastOf is the last operation of a kind that read something.
func lastOf(ops []porcupine.Operation, kind string) int {
	for i, op := range slices.Backward(ops) {
		if e := op.Output.(historyEvent); e.Kind == kind && e.Outcome == historyDone && (kind == "bounds" || len(e.Values) > 0) {
			return i
		}
	}
	return -1
}

func checkHistory(ops []porcupine.Operation) porcupine.CheckResult {
	return porcupine.CheckOperationsTimeout(historyModel.ToModel(), ops, time.Minute)
}

// historyModel is a list that only grows. Its state is the values one behind
// the other; they all have the same length.
var historyModel = porcupine.NondeterministicModel{
	Init: func() []any { return []any{""} },
	Step: func(state, _, output any) []any { return historyStep(state.(string), output.(historyEvent)) },
}

// historyStep returns the states that an operation may have led to from list;
// none where its outcome contradicts it.
func historyStep(list string, e historyEvent) []any {
	next := uint64(len(list) / historyWidth)
	same := []any{list}
	appended := func(n int) any {
		for _, v := range e.Values[:n] {
			list += v
		}
		return list
	}
	ok := false
	switch {
	case e.Outcome == historyUnknown:
		return historyUnknownStep(list, next, e)
	case e.Kind == "append" || e.Kind == "append at" && e.Outcome == historyDone:
		if e.At == next {
			return []any{appended(len(e.Values))}
		}
	case e.Kind == "append at": // a conflict
		ok = e.At != next && e.Next == next
	case e.Outcome == historyAbsent:
		ok = e.At >= next
	case e.Kind == "get":
		ok = e.At < next && list[e.At*historyWidth:][:historyWidth] == e.Values[0]
	case e.Kind == "bounds":
		ok = e.Next == next
	case e.Kind == "scan":
		ok = e.At <= next && slices.Equal(historySplit(list[e.At*historyWidth:]), e.Values)
	}
	if ok {
		return same
	}
	return nil
}

// historyUnknownStep: the first of the values are there, or some more of
// them, or all.
func historyUnknownStep(list string, next uint64, e historyEvent) []any {
	states := []any{list}
	if e.Kind == "append at" && e.At != next {
		return states
	}
	for _, v := range e.Values {
		list += v
		states = append(states, list)
	}
	return states
}

func historySplit(list string) []string {
	var values []string
	for ; list != ""; list = list[historyWidth:] {
		values = append(values, list[:historyWidth])
	}
	return values
}

// TestHistoryModel: the model refuses what must not happen, and nothing else.
func TestHistoryModel(t *testing.T) {
	a, b, c := historyValue(1), historyValue(2), historyValue(3)
	type op struct {
		call, end int64
		e         historyEvent
	}
	done := func(kind string, at uint64, values ...string) historyEvent {
		return historyEvent{Kind: kind, At: at, Values: values, Outcome: historyDone}
	}
	died := func(values ...string) historyEvent {
		return historyEvent{Kind: "append", Values: values, Outcome: historyUnknown}
	}
	absent := func(at uint64) historyEvent { return historyEvent{Kind: "get", At: at, Outcome: historyAbsent} }
	for name, test := range map[string]struct {
		want porcupine.CheckResult
		ops  []op
	}{
		"in order":                     {porcupine.Ok, []op{{1, 2, done("append", 0, a)}, {3, 4, done("append", 1, b)}, {5, 6, done("scan", 0, a, b)}}},
		"read before it is told":       {porcupine.Ok, []op{{1, 9, done("append", 0, a)}, {2, 3, done("get", 0, a)}}},
		"acknowledged and not seen":    {porcupine.Illegal, []op{{1, 2, done("append", 0, a)}, {3, 4, absent(0)}}},
		"seen and gone":                {porcupine.Illegal, []op{{1, 9, done("append", 0, a)}, {2, 3, done("get", 0, a)}, {4, 5, absent(0)}}},
		"lost":                         {porcupine.Illegal, []op{{1, 2, done("append", 0, a)}, {3, 4, done("append", 1, b)}, {5, 6, done("scan", 0, b)}}},
		"invented":                     {porcupine.Illegal, []op{{1, 2, done("append", 0, a)}, {3, 4, done("scan", 0, a, b)}}},
		"in another order":             {porcupine.Illegal, []op{{1, 2, done("append", 0, a, b)}, {3, 4, done("scan", 0, b, a)}}},
		"one offset given twice":       {porcupine.Illegal, []op{{1, 2, done("append", 0, a)}, {3, 4, done("append", 0, b)}}},
		"died and stored":              {porcupine.Ok, []op{{1, 9, died(a, b)}, {10, 11, done("scan", 0, a, b)}}},
		"died and stored in part":      {porcupine.Ok, []op{{1, 9, died(a, b)}, {10, 11, done("scan", 0, a)}}},
		"died and not stored":          {porcupine.Ok, []op{{1, 9, died(a)}, {10, 11, done("scan", 0)}}},
		"died and stored with a gap":   {porcupine.Illegal, []op{{1, 9, died(a, b, c)}, {10, 11, done("scan", 0, a, c)}}},
		"died and stored much later":   {porcupine.Illegal, []op{{1, 9, died(a)}, {10, 11, done("scan", 0)}, {12, 13, done("scan", 0, a)}}},
		"died, seen, and gone":         {porcupine.Illegal, []op{{1, 9, died(a)}, {2, 3, done("get", 0, a)}, {10, 11, absent(0)}}},
		"a conflict that is none":      {porcupine.Illegal, []op{{1, 2, historyEvent{Kind: "append at", At: 0, Next: 0, Outcome: historyConflict, Values: []string{a}}}}},
		"a conditional append, unmet":  {porcupine.Ok, []op{{1, 2, done("append", 0, a)}, {3, 4, historyEvent{Kind: "append at", At: 0, Next: 1, Outcome: historyConflict, Values: []string{b}}}}},
		"a conditional append, forced": {porcupine.Illegal, []op{{1, 2, done("append", 0, a)}, {3, 4, done("append at", 0, b)}}},
	} {
		t.Run(name, func(t *testing.T) {
			var ops []porcupine.Operation
			for i, o := range test.ops {
				ops = append(ops, porcupine.Operation{ClientId: i, Input: o.e, Call: o.call, Output: o.e, Return: o.end})
			}
			require.Equal(t, test.want, checkHistory(ops))
		})
	}
}
