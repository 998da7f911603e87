package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"example.com/jlq/index"
	"example.com/jlq/internal/segment"
	"example.com/jlq/internal/vfs"
	"example.com/jlq/reader"
)

// awayHint says what to do about a segment that is not there: it comes back,
// or the log goes on without it. Empty where nothing but the first helps.
func awayHint(path string, base uint64) string {
	hints := []string{packedBeside(segment.PairAt(path, base))}
	if next, ok := behindAway(path, base); ok {
		hints = append(hints, fmt.Sprintf("jlq cat -o %d: %s reads behind it; where it is lost for good, jlq trim --before %d --execute %s goes on without all that lies before offset %d", next, path, next, path, next))
	} else if endsBefore(path, base) {
		hints = append(hints, fmt.Sprintf("jlq cat -o :%d %s reads what lies before it; where it is lost for good, move %s away: the next append goes on with offset %d, which gives the offsets of the lost records out again",
			base, path, filepath.Join(path, segment.MetaName), base))
	}
	return strings.Join(slices.DeleteFunc(hints, func(hint string) bool { return hint == "" }), "; ")
}

// behindAway is the base of the first segment that is there behind the one at
// base.
func behindAway(path string, base uint64) (next uint64, ok bool) {
	pairs, err := (segment.Place{Path: path}).Pairs(vfs.OS)
	i := slices.IndexFunc(pairs, func(p segment.Pair) bool { return p.Base > base })
	if err != nil || i < 0 {
		return 0, false
	}
	return pairs[i].Base, true
}

// endsBefore reports whether the records of the last segment that is there end
// where those of the one at base begin.
func endsBefore(path string, base uint64) bool {
	pairs, err := (segment.Place{Path: path}).Pairs(vfs.OS)
	if err != nil || len(pairs) == 0 {
		return false
	}
	last := pairs[len(pairs)-1]
	info, err := os.Stat(last.Index)
	if err != nil || info.Size() < index.EntrySize || last.Base+index.Count(info.Size()) != base {
		return false
	}
	_, err = os.Stat(last.Records)
	return err == nil
}

// withoutAway is the hint about the first segment that is missing, as far as
// the files tell.
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
	for _, s := range info.Segments {
		if s.Base > next {
			return awayHint(path, next)
		}
		if next = s.Base + index.Count(s.IndexBytes); s.IndexBytes < index.EntrySize {
			return ""
		}
	}
	meta, _, err := segment.ReadMeta(vfs.OS, path)
	n := len(info.Segments)
	if err != nil || n == 0 || info.Segments[n-1].Base >= meta.Synced.Base || next > meta.Synced.Base {
		return "" // the last one is there
	}
	return awayHint(path, meta.Synced.Base)
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
