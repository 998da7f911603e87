// Package index reads, builds and checks .index files: the positions of the
// lines of a JSON-lines file, so that record number i is one look-up away.
//
// [BuildFile] makes or extends the index of any JSON-lines file in one pass,
// [Span] finds a record through it, [Trusted] and [CheckFile] compare the two:
//
//	if _, err := index.BuildFile(ctx, "app.jsonl", index.Path("app.jsonl"), nil); err != nil {
//		return err
//	}
//	start, end, err := index.Span(idx, 900_000_000) // idx is the open index
//
// # Bytes on disk
//
// An index is a sequence of entries and nothing else: no header, no padding,
// no checksum. An entry is an unsigned 64-bit position in big-endian byte
// order. An index of n records has n+1 entries: entry 0 is 0, entry i is the
// position of record i, and the last entry is the position just after the
// newline of the last published line.
//
//	records  {"n":0}⏎{"n":1}⏎{"n":22}⏎          25 bytes
//	         ^0      ^8      ^16      ^25
//	index    00 00 00 00 00 00 00 00             entry 0 =  0
//	         00 00 00 00 00 00 00 08             entry 1 =  8
//	         00 00 00 00 00 00 00 10             entry 2 = 16
//	         00 00 00 00 00 00 00 19             entry 3 = 25, the end
//
// So 16 bytes at 8·i give the start and the end of record i, newline included;
// size/8 − 1 is the number of records; and the last entry says where the
// published lines end. Lines behind it are not in the index yet. A file
// shorter than 8 bytes is an empty index, and bytes after the last whole entry
// are a partial entry, which every reader ignores.
//
// Every newline ends a record: blank lines count, a CR before the newline and
// a byte order mark belong to the record, and bytes after the last newline are
// no record yet.
//
// On Linux a writer of a bare file also leaves an extended attribute on its
// index, "user.jlq", which says up to where it synced the records. It saves the
// next one work, and nothing is lost with it.
//
// # Concurrency and crashes
//
// The functions on [io.ReaderAt] keep no state and may be used concurrently
// as far as their arguments may. An index only grows at its end, by whole
// entries, so it can be read while it is written: a reader that takes the size
// of the index before that of the records sees entries whose lines are there.
//
// The index is derived data: whatever a crash leaves of it can be made again
// from the records. A new index is written to a temporary file, synced and
// renamed over the old one, so that a crash leaves the old one or the new one;
// an index that is extended keeps its inode, and what a crash leaves of the
// added entries is found by [Trusted] and cut or built again.
package index

import (
	"path/filepath"
	"strings"
)

// EntrySize is the number of bytes of one entry. It is part of the format.
const EntrySize = 8

// baseDigits is the number of digits of a segment's name.
const baseDigits = 20

// Path returns the name of the index of a records file: "app.jsonl.index" for
// "app.jsonl", and the extension replaced for "x.records" and for the segment
// of a partition, "00000000000000000000.jsonl".
func Path(records string) string {
	name := filepath.Base(records)
	if stem, ok := strings.CutSuffix(name, ".records"); ok && stem != "" {
		return strings.TrimSuffix(records, ".records") + ".index"
	}
	if stem, ok := strings.CutSuffix(name, ".jsonl"); ok && isBase(stem) {
		return strings.TrimSuffix(records, ".jsonl") + ".index"
	}
	return records + ".index"
}

// isBase reports whether stem is the base offset in a segment's name.
func isBase(stem string) bool {
	return len(stem) == baseDigits && strings.Trim(stem, "0123456789") == ""
}

// Count returns how many records an index file of size bytes describes. It is
// 0 for an empty index; a partial entry at the end does not count.
func Count(size int64) uint64 {
	if size < 2*EntrySize {
		return 0
	}
	return uint64(size)/EntrySize - 1
}
