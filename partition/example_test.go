package partition_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"
	"time"

	"example.com/jlq/partition"
)

// dir returns a place for the log of an example.
func dir() (path string, remove func()) {
	parent, err := os.MkdirTemp("", "jlq")
	if err != nil {
		log.Fatal(err)
	}
	return filepath.Join(parent, "orders"), func() { os.RemoveAll(parent) }
}

// open opens a log with three records.
func open() (p *partition.Partition, done func()) {
	path, remove := dir()
	p, err := partition.Open(path, nil)
	if err != nil {
		log.Fatal(err)
	}
	for n := range 3 {
		if _, err := p.Append(fmt.Appendf(nil, `{"id":%d}`, n)); err != nil {
			log.Fatal(err)
		}
	}
	return p, func() { p.Close(); remove() }
}

func Example() {
	path, remove := dir()
	defer remove()
	p, err := partition.Open(path, nil) // nil: the safest options
	if err != nil {
		log.Fatal(err)
	}
	defer p.Close()

	offset, err := p.Append([]byte(`{"id":17,"total":42.50}`))
	if err != nil {
		log.Fatal(err) // nil error: it survives a power loss
	}
	data, err := p.Get(offset)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(offset, string(data))
	// Output: 0 {"id":17,"total":42.50}
}

func ExampleOpen_options() {
	path, remove := dir()
	defer remove()
	p, err := partition.Open(path, &partition.Options{Sync: partition.SyncInterval, Interval: 200 * time.Millisecond})
	if err != nil {
		log.Fatal(err)
	}
	defer p.Close()
	for _, line := range p.Recovery().Lines() {
		fmt.Println(line) // what a crash left, and what was done about it
	}
	_, next := p.Bounds()
	fmt.Println("next offset:", next)
	// Output: next offset: 0
}

func ExampleOpenReader() {
	p, done := open()
	defer done()
	r, err := partition.OpenReader(p.Path(), nil) // in any process, beside the writer
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	_, err = r.Append([]byte("{}"))
	fmt.Println(errors.Is(err, partition.ErrReadOnly))
	// Output: true
}

func ExamplePartition_AppendBatch() {
	p, done := open()
	defer done()
	first, err := p.AppendBatch([][]byte{[]byte(`{"id":3}`), []byte(`{"id":4`)})
	if refused, ok := errors.AsType[*partition.RecordError](err); ok {
		fmt.Printf("record %d: %v\n", refused.Index, refused.Err)
	}
	if batch, ok := errors.AsType[*partition.BatchError](err); ok {
		fmt.Println("stored:", batch.Stored)
	}
	first, err = p.AppendBatch([][]byte{[]byte(`{"id":3}`), []byte(`{"id":4}`)})
	fmt.Println(first, err)
	// Output:
	// record 1: invalid record at byte 7: unexpected end where a comma or } should be
	// stored: 0
	// 3 <nil>
}

func ExamplePartition_ReadFrom() {
	p, done := open()
	defer done()
	n, err := p.ReadFrom(strings.NewReader("{\"id\":3}\n{\"id\":4}\n{\"id\":\n{\"id\":6}\n"))
	if refused, ok := errors.AsType[*partition.LineError](err); ok {
		fmt.Printf("line %d, %q: %v\n", refused.Line, refused.Data, refused.Err)
	}
	if batch, ok := errors.AsType[*partition.BatchError](err); ok {
		fmt.Println("stored:", batch.Stored, "from offset", batch.First)
	}
	fmt.Println("read:", n)
	// Output:
	// line 3, "{\"id\":": invalid record at byte 6: unexpected end where a value should be
	// stored: 2 from offset 3
	// read: 34
}

func ExamplePartition_AppendAt() {
	p, done := open()
	defer done()
	// The outcome of an append is unknown, say because the process died: the
	// retry stores nothing twice.
	err := p.AppendAt(2, []byte(`{"id":2}`))
	if conflict, ok := errors.AsType[*partition.ConflictError](err); ok {
		fmt.Println("already there, next is", conflict.Next)
	}
	// Output: already there, next is 3
}

func ExamplePartition_AppendValue() {
	p, done := open()
	defer done()
	offset, err := p.AppendValue(struct {
		ID   int    `json:"id"`
		Note string `json:"note"`
	}{17, "two\nlines"})
	if err != nil {
		log.Fatal(err)
	}
	data, err := p.Get(offset)
	fmt.Println(string(data), err)
	// Output: {"id":17,"note":"two\nlines"} <nil>
}

func ExamplePartition_Get() {
	p, done := open()
	defer done()
	_, err := p.Get(7)
	if out, ok := errors.AsType[*partition.RangeError](err); ok {
		fmt.Printf("%d is not in [%d, %d)\n", out.Offset, out.Start, out.Next)
	}
	// Output: 7 is not in [0, 3)
}

func ExamplePartition_Records() {
	p, done := open()
	defer done()
	for rec, err := range p.Records(1) {
		if err != nil {
			log.Fatal(err)
		}
		var order struct{ ID int }
		if err := rec.Decode(&order); err != nil {
			log.Fatal(err)
		}
		fmt.Println(rec.Offset, order.ID)
	}
	// Output:
	// 1 1
	// 2 2
}

func ExamplePartition_Backward() {
	p, done := open()
	defer done()
	for rec, err := range p.Backward(3) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(rec.Offset)
	}
	// Output:
	// 2
	// 1
	// 0
}

func ExamplePartition_Follow() {
	p, done := open()
	defer done()
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	for rec, err := range p.Follow(ctx, 2) {
		if err != nil {
			fmt.Println(err)
			break
		}
		fmt.Println(string(rec.Data))
	}
	// Output:
	// {"id":2}
	// context deadline exceeded
}

func ExamplePartition_OffsetAt() {
	p, done := open()
	defer done()
	for _, ts := range []string{"2026-03-02T08:00:00Z", "2026-03-02T09:00:00Z"} {
		if _, err := p.AppendValue(map[string]string{"ts": ts}); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(p.OffsetAt(time.Date(2026, 3, 2, 8, 30, 0, 0, time.UTC), "ts"))
	// Output: 4 <nil>
}

func ExamplePartition_Reader() {
	p, done := open()
	defer done()
	r := p.Reader(1)
	rec, err := r.Next()
	fmt.Println(rec.Offset, string(rec.Data), err)
	n, err := r.WriteTo(os.Stdout) // the rest, as lines
	fmt.Println(n, err)
	// Output:
	// 1 {"id":1} <nil>
	// {"id":2}
	// 9 <nil>
}

func ExamplePartition_Verify() {
	p, done := open()
	defer done()
	problems := 0
	for problem, err := range p.Verify(context.Background()) {
		if err != nil {
			log.Fatal(err)
		}
		problems++
		fmt.Println(problem.Offset, problem.Position, problem.Reason)
	}
	fmt.Println("problems:", problems)
	// Output: problems: 0
}
