package partition_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"example.com/jlq/partition"
)

// damaged makes a log of three records, of which the second loses its bytes.
func damaged() (path string, remove func()) {
	path, remove = dir()
	p, err := partition.Open(path, nil)
	if err != nil {
		log.Fatal(err)
	}
	for n := range 3 {
		if _, err := p.Append(fmt.Appendf(nil, `{"n":%d}`, n)); err != nil {
			log.Fatal(err)
		}
	}
	if err := p.Close(); err != nil {
		log.Fatal(err)
	}
	f, err := os.OpenFile(filepath.Join(path, "00000000000000000000.jsonl"), os.O_WRONLY, 0)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := f.WriteAt(make([]byte, 8), 8); err != nil {
		log.Fatal(err)
	}
	return path, remove
}

// A disk lost the bytes of a record. The plan comes first, then the repair:
// the records behind it keep their offsets.
func ExampleRepair() {
	path, remove := damaged()
	defer remove()
	for _, execute := range []bool{false, true} {
		report, err := partition.Repair(context.Background(), path, nil, partition.RepairOptions{Execute: execute})
		if err != nil {
			log.Fatal(err)
		}
		for _, action := range report.Actions {
			fmt.Println(report.Done, strings.TrimPrefix(action.String(), path))
		}
	}
	p, err := partition.Open(path, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer p.Close()
	rec, err := p.Get(2)
	fmt.Println(string(rec), err)
	// Output:
	// false /00000000000000000000.jsonl: record 1, 8 bytes from position 8: NUL bytes: save them in 00000000000000000000.torn-8 and leave 1 blank line in their place
	// true /00000000000000000000.jsonl: record 1, 8 bytes from position 8: NUL bytes: saved in 00000000000000000000.torn-8 and left 1 blank line in their place
	// {"n":2} <nil>
}

// A damaged log is refused for appending and opens for reading. Skip decides
// whether reading goes on behind what cannot be read.
func ExampleOptions_skip() {
	path, remove := damaged()
	defer remove()
	_, err := partition.Open(path, nil)
	corrupt, ok := errors.AsType[*partition.CorruptError](err)
	fmt.Println(ok && corrupt.Offset == 1)

	p, err := partition.OpenReader(path, &partition.Options{Skip: func(bad partition.Damage) error {
		fmt.Printf("skipped %d from offset %d, positions %d to %d\n", bad.Records, bad.Offset, bad.Position, bad.End)
		return nil
	}})
	if err != nil {
		log.Fatal(err)
	}
	defer p.Close()
	for rec, err := range p.Records(0) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(rec.Offset, string(rec.Data))
	}
	// Output:
	// true
	// 0 {"n":0}
	// skipped 1 from offset 1, positions 8 to 16
	// 2 {"n":2}
}
