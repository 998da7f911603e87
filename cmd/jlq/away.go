package main

import (
	"fmt"
	"os"
	"slices"

	"example.com/jlq/index"
	"example.com/jlq/internal/segment"
	"example.com/jlq/internal/vfs"
	"example.com/jlq/reader"
)

// awayHint says what to do about a segment that is not there: it comes back,
// or the log goes on without it. Empty where nothing but the first helps.
func awayHint(path string, base uint64) string {
	hint := packedBeside(segment.PairAt(path, base))
	pairs, err := (segment.Place{Path: path}).Pairs(vfs.OS)
	i := slices.IndexFunc(pairs, func(p segment.Pair) bool { return p.Base > base })
	if err != nil || i < 0 {
		return hint
	}
	if hint != "" {
		hint += "; "
	}
	next := pairs[i].Base
	return hint + fmt.Sprintf("jlq cat -o %d: %s reads behind it; where it is lost for good, jlq trim --before %d --execute %s goes on without all that lies before offset %d", next, path, next, path, next)
}

// withoutAway is the hint about the first segment that is missing in front of
// another one, as far as the files tell.
func withoutAway(path string) string {
	log, err := reader.Open(path, nil)
	if err != nil {
		return ""
	}
	defer log.Close() // it was only read
	info := log.Info()
	if info.Bare {
		return ""
	}
	next := info.Start
	for i, s := range info.Segments {
		if s.Base > next {
			return awayHint(path, next)
		}
		if next = s.Base + index.Count(s.IndexBytes); i == len(info.Segments)-1 || s.IndexBytes < index.EntrySize {
			return ""
		}
	}
	return ""
}

// packedBeside names what looks like the packed files of a segment.
func packedBeside(pair segment.Pair) string {
	for _, name := range []string{pair.Records, pair.Index} {
		for _, ending := range []string{".gz", ".zst"} {
			if _, err := os.Stat(name + ending); err == nil {
				return name + ending + " lies there packed: unpack the two files"
			}
		}
	}
	return ""
}
