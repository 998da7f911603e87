package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"

	"example.com/jlq/index"
	"example.com/jlq/internal/jsonl"
	"example.com/jlq/internal/segment"
)

// firstLine is how much of a segment's first line is looked at.
const firstLine = 64 << 10

// editorHint says how to take out again what some editors put into a file that
// they save: a byte order mark, or carriage returns. It is empty where the
// segment at base shows neither. Repair does not guess at that, and takes out
// the record that has the mark.
func editorHint(path string, base uint64) string {
	pair := segment.PairAt(path, base)
	f, err := os.Open(pair.Records)
	if err != nil {
		return "" // what is wrong has been told
	}
	defer f.Close() // it was only read
	line, err := bufio.NewReaderSize(f, firstLine).ReadSlice('\n')
	switch {
	case bytes.HasPrefix(line, []byte(jsonl.BOM)):
		return fmt.Sprintf(`%s begins with a byte order mark, three bytes that an editor put there; sed -i '1s/^\xef\xbb\xbf//' %s takes out these, and repair the record with them`, pair.Records, pair.Records)
	case err == nil && bytes.HasSuffix(line, []byte("\r\n")) && endOfFirst(pair) == int64(len(line)-1):
		return fmt.Sprintf(`lines of %s end in a carriage return that an editor put there; sed -i 's/\r$//' %s takes it out again`, pair.Records, pair.Records)
	}
	return ""
}

// endOfFirst is where the first record ends, as the index knows it; -1 where it
// does not.
func endOfFirst(pair segment.Pair) int64 {
	f, err := os.Open(pair.Index)
	if err != nil {
		return -1
	}
	defer f.Close() // it was only read
	end, err := index.Entry(f, 1)
	if err != nil {
		return -1
	}
	return end
}
