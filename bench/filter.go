package bench

import (
	"context"
	"encoding/json"
	"iter"

	"example.com/jlq/internal/filter"
	"example.com/jlq/reader"
)

// sift returns how many records of the log the filter is true of, found on all
// processors. checked says that the records were checked when they were stored.
func sift(log *reader.Log, f *filter.Filter, checked bool) (matched int, err error) {
	s := &filter.Sieve{Filter: f, Checked: checked}
	for c := range s.Sift(context.Background(), blocksOf(log)) {
		matched += c.Matched
		for _, bad := range c.Bad {
			return matched, bad.Err
		}
		if c.Err != nil {
			return matched, c.Err
		}
	}
	return matched, nil
}

func blocksOf(log *reader.Log) iter.Seq[iter.Seq2[filter.Block, error]] {
	return func(yield func(iter.Seq2[filter.Block, error]) bool) {
		for piece := range log.Pieces(context.Background(), 0, reader.UnknownOffset) {
			blocks := func(yield func(filter.Block, error) bool) {
				for lines, err := range piece {
					if !yield(filter.Block{First: lines.First, Data: lines.Data}, err) {
						return
					}
				}
			}
			if !yield(blocks) {
				return
			}
		}
	}
}

// wanted is what a program that knows its records makes of one.
type wanted struct {
	Level  string  `json:"level"`
	Amount float64 `json:"amount"`
}

// NaiveFilter counts the records of the log in dir that keep is true of: lines
// by bufio, decoded by encoding/json, which is what one writes first.
func NaiveFilter(dir string, keep func(*wanted) bool) (matched int, err error) {
	var wrong error
	err = ScanLines(dir, func(line []byte) {
		var w wanted
		if err := json.Unmarshal(line, &w); err != nil && wrong == nil {
			wrong = err
		}
		if keep(&w) {
			matched++
		}
	})
	if err == nil {
		err = wrong
	}
	return matched, err
}
