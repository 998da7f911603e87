package reader_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"example.com/jlq/index"
	"example.com/jlq/reader"
)

// sample writes a JSON-lines file, as any program would.
func sample(lines string) (path string, remove func()) {
	dir, err := os.MkdirTemp("", "jlq")
	if err != nil {
		panic(err)
	}
	path = filepath.Join(dir, "app.jsonl")
	if err := os.WriteFile(path, []byte(lines), 0o600); err != nil {
		panic(err)
	}
	return path, func() { os.RemoveAll(dir) }
}

const threeLines = `{"ts":"2024-05-01T10:00:00Z","msg":"start"}
{"ts":"2024-05-01T10:00:07Z","msg":"work"}
{"ts":"2024-05-01T10:00:09Z","msg":"stop"}
`

func Example() {
	path, remove := sample(threeLines)
	defer remove()
	log, err := reader.Open(path, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer log.Close()
	for rec, err := range log.Records(1) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(rec.Offset, rec.Position, string(rec.Data))
	}
	// Output:
	// 1 44 {"ts":"2024-05-01T10:00:07Z","msg":"work"}
	// 2 87 {"ts":"2024-05-01T10:00:09Z","msg":"stop"}
}

func ExampleLog_Get() {
	path, remove := sample(threeLines)
	defer remove()
	log, err := reader.Open(path, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer log.Close()
	data, err := log.Get(1)
	fmt.Println(string(data), err)
	_, err = log.Get(9)
	fmt.Println(err)
	// Output:
	// {"ts":"2024-05-01T10:00:07Z","msg":"work"} <nil>
	// offset 9 is not there yet: the log holds 0 to 2
}

func ExampleLog_Backward() {
	path, remove := sample(threeLines)
	defer remove()
	log, err := reader.Open(path, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer log.Close()
	for rec, err := range log.Backward(reader.UnknownOffset) {
		if err != nil {
			fmt.Println(err)
			return
		}
		var v struct{ Msg string }
		fmt.Println(rec.Offset, rec.Decode(&v), v.Msg)
	}
	// Output:
	// 2 <nil> stop
	// 1 <nil> work
	// 0 <nil> start
}

func ExampleLog_OffsetAt() {
	path, remove := sample(threeLines)
	defer remove()
	log, err := reader.Open(path, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer log.Close()
	at := time.Date(2024, 5, 1, 10, 0, 5, 0, time.UTC)
	fmt.Println(log.OffsetAt(context.Background(), at, ""))
	// Output: 1 <nil>
}

func ExampleLog_Follow() {
	path, remove := sample(threeLines)
	defer remove()
	log, err := reader.Open(path, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer log.Close()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	for rec, err := range log.Follow(ctx, 1) {
		if err != nil {
			fmt.Println(err) // context canceled
			break
		}
		fmt.Println(rec.Offset)
		if rec.Offset == 2 {
			cancel() // or wait for what another program appends
		}
	}
	// Output:
	// 1
	// 2
	// context canceled
}

// A line that was split by hand is damage to a log that is read through its
// index. Options.Skip is told all of it, and reading goes on.
func ExampleOptions_skip() {
	dir, remove := splitLine()
	defer remove()
	log, err := reader.Open(dir, &reader.Options{Skip: func(bad reader.Damage) error {
		fmt.Printf("%d record from offset %d, bytes %d to %d\n", bad.Records, bad.Offset, bad.Position, bad.End)
		return nil
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer log.Close()
	for rec, err := range log.Records(0) {
		if err != nil {
			fmt.Println(err)
			break
		}
		fmt.Println(rec.Offset, string(rec.Data))
	}
	// Output:
	// 0 {"n":0}
	// 1 record from offset 1, bytes 8 to 16
	// 2 {"n":2}
}

// splitLine makes a partition whose second line was split.
func splitLine() (dir string, remove func()) {
	dir, err := os.MkdirTemp("", "jlq")
	if err != nil {
		panic(err)
	}
	name := filepath.Join(dir, "00000000000000000000")
	var entries []byte
	for _, position := range []int64{0, 8, 16, 24} {
		entries = index.AppendEntry(entries, position)
	}
	lines := "{\"n\":0}\n{\"n\"\n1}\n{\"n\":2}\n"
	err = os.WriteFile(name+".jsonl", []byte(lines), 0o600)
	if err == nil {
		err = os.WriteFile(name+".index", entries, 0o600)
	}
	if err != nil {
		panic(err)
	}
	return dir, func() { os.RemoveAll(dir) }
}

func ExampleReader_WriteTo() {
	path, remove := sample(threeLines)
	defer remove()
	log, err := reader.Open(path, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer log.Close()
	fmt.Println(log.Tail(1).WriteTo(os.Stdout))
	// Output:
	// {"ts":"2024-05-01T10:00:09Z","msg":"stop"}
	// 43 <nil>
}

// All records of a log are looked at by several goroutines at the same time.
func ExampleLog_Pieces() {
	path, remove := sample(threeLines)
	defer remove()
	log, err := reader.Open(path, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer log.Close()
	var records atomic.Int64
	var running sync.WaitGroup
	for piece := range log.Pieces(context.Background(), 0, reader.UnknownOffset) {
		running.Go(func() {
			for lines, err := range piece {
				if err != nil {
					fmt.Println(err)
					return
				}
				records.Add(int64(lines.Count))
			}
		})
	}
	running.Wait()
	fmt.Println(records.Load())
	// Output:
	// 3
}
