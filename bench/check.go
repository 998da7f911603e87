package bench

import (
	"bytes"
	"errors"
	"io"
	"os"
)

var errNoNewline = errors.New("no newline at the end")

// CheckLines reads the records file in dir in large blocks, on one goroutine,
// and checks each line where it lies. It is the least that finding a bad
// record takes: it knows no index, and keeps and reports nothing.
func CheckLines(dir string, check func(record []byte) error) (lines int, err error) {
	f, err := os.Open(RecordsPath(dir))
	if err != nil {
		return 0, err
	}
	defer f.Close()
	block, rest := make([]byte, 2*readBlock), 0
	for {
		n, err := f.Read(block[rest : rest+readBlock])
		if err == io.EOF && rest == 0 {
			return lines, nil
		}
		if err == io.EOF {
			err = errNoNewline
		}
		if err != nil {
			return lines, err
		}
		left := block[:rest+n]
		for i := bytes.IndexByte(left, '\n'); i >= 0; i = bytes.IndexByte(left, '\n') {
			if err := check(left[:i]); err != nil {
				return lines, err
			}
			lines++
			left = left[i+1:]
		}
		if rest = copy(block, left); rest > readBlock {
			return lines, errLongLine
		}
	}
}

var errLongLine = errors.New("a line longer than a block")
