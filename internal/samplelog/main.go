// Samplelog writes the sample log of the README: ninety minutes of a small web
// shop, 3,000 records of five services, with an incident in the middle.
//
//	go run ./internal/samplelog >testdata/sample/shop.jsonl
//
// It writes the same bytes every time: chance comes from a fixed seed, time
// begins at a fixed moment. What it is made for is to have something of
// everything that logs have and tools trip over: order numbers beyond 2^53,
// amounts with two decimals, names that are not ASCII, a user that is null, an
// object in an object in an object, and lines that come a little late.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
)

func main() {
	if err := write(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "samplelog:", err)
		os.Exit(1)
	}
}

// write writes the log, a record a line.
func write(w io.Writer) error {
	out := bufio.NewWriter(w)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false) // paths have an & in them
	for _, r := range newShop().open() {
		if err := encoder.Encode(r); err != nil {
			return err
		}
	}
	return out.Flush()
}
