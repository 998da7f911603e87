package index_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"example.com/jlq/index"
)

// tempLog writes a records file for an example.
func tempLog(records string) (name string, remove func()) {
	dir, err := os.MkdirTemp("", "index")
	if err != nil {
		log.Fatal(err)
	}
	name = filepath.Join(dir, "app.jsonl")
	if err := os.WriteFile(name, []byte(records), 0o600); err != nil {
		log.Fatal(err)
	}
	return name, func() { os.RemoveAll(dir) }
}

// Index a file, then read one of its lines without those before it.
func Example() {
	name, remove := tempLog("{\"n\":0}\n{\"n\":1}\n{\"n\":22}\n")
	defer remove()

	report, err := index.BuildFile(context.Background(), name, index.Path(name), nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Records, "records")

	idx, err := os.Open(index.Path(name))
	if err != nil {
		log.Fatal(err)
	}
	defer idx.Close()
	records, err := os.Open(name)
	if err != nil {
		log.Fatal(err)
	}
	defer records.Close()

	start, end, err := index.Span(idx, 2)
	if err != nil {
		log.Fatal(err)
	}
	line := make([]byte, end-start-1) // without its newline
	if _, err := records.ReadAt(line, start); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s\n", line)
	// Output:
	// 3 records
	// {"n":22}
}

func ExamplePath() {
	fmt.Println(index.Path("app.jsonl"))
	fmt.Println(index.Path("x.records"))
	fmt.Println(index.Path("00000000000000184467.jsonl"))
	// Output:
	// app.jsonl.index
	// x.index
	// 00000000000000184467.index
}

// The index of two lines has three entries; the third says where they end.
func ExampleBuilder() {
	var idx strings.Builder
	b := index.NewBuilder(&idx, 0, true)
	fmt.Fprintf(b, "{\"n\":0}\n")
	fmt.Fprintf(b, "{\"n\":1}\n{\"torn")
	if err := b.Flush(); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("% x\n", idx.String())
	fmt.Println(b.Records(), b.End())
	// Output:
	// 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 08 00 00 00 00 00 00 00 10
	// 2 16
}

// Find the record that a byte of the records file belongs to.
func ExampleSearch() {
	idx := strings.NewReader("\x00\x00\x00\x00\x00\x00\x00\x00" +
		"\x00\x00\x00\x00\x00\x00\x00\x08" +
		"\x00\x00\x00\x00\x00\x00\x00\x10")
	i, found, err := index.Search(idx, index.Count(idx.Size()), 11)
	if err != nil {
		log.Fatal(err)
	}
	if !found {
		i-- // the entry before is the start of the record
	}
	fmt.Println(i)
	// Output:
	// 1
}

func ExampleTrusted() {
	records := strings.NewReader("{\"new\":true}\n{\"n\":1}\n")
	idx := strings.NewReader("\x00\x00\x00\x00\x00\x00\x00\x00" +
		"\x00\x00\x00\x00\x00\x00\x00\x08")
	ok, why, err := index.Trusted(idx, index.Count(idx.Size()), records, records.Size())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(ok, why)
	// Output:
	// false entry 1 (8) is not behind a newline
}

// An index that was made before the file was edited.
func ExampleCheckFile() {
	name, remove := tempLog("{\"n\":0}\n{\"n\":1,\"edited\":true}\n{\"n\":2}\n")
	defer remove()
	idx := index.AppendEntry(nil, 0)
	for _, position := range []int64{8, 16, 24} {
		idx = index.AppendEntry(idx, position)
	}
	if err := os.WriteFile(index.Path(name), idx, 0o600); err != nil {
		log.Fatal(err)
	}
	report, problems, err := index.CheckFile(context.Background(), name, index.Path(name), nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Records, "records")
	for _, problem := range problems {
		fmt.Println(problem)
	}
	// Output:
	// 3 records
	// entry 2 (16) is not behind a newline
	// entry 3 (24) is not behind a newline
}

func ExampleCheck() {
	records := strings.NewReader("{\"n\":0}\n{\"n\":1}\n")
	idx := strings.NewReader("\x00\x00\x00\x00\x00\x00\x00\x00" +
		"\x00\x00\x00\x00\x00\x00\x00\x10")
	for problem, err := range index.Check(context.Background(), idx, index.Count(idx.Size()), records, records.Size()) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(problem.Offset, problem)
	}
	// Output:
	// 0 record 0 (0 to 16) holds a newline at 7
}
