package reader_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

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
