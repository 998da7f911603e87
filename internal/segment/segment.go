// Package segment is the mechanism beneath reader, writer and partition: the
// pair of files, how a log's files are found, what partition.json promises,
// how a pair is appended to and recovered, and what a writer shares with the
// readers of its own process. It decides nothing about policy.
//
// # Files
//
// A partition is a directory:
//
//	partition.json                 what was promised, see [Meta]
//	00000000000000000000.jsonl     records, one JSON value a line
//	00000000000000000000.index     big-endian uint64 positions, see package index
//
// The 20 digits are the segment's base offset. A partition that was rolled
// has one pair for each segment; the last is active, the others sealed.
//
// A bare file is any other JSON-lines file: one segment with base 0, whose
// index, if there is one, lies beside it under its full name plus ".index".
package segment

import (
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"example.com/jlq/index"
)

// File names within a partition directory.
const (
	MetaName    = "partition.json"
	TopicName   = "topic.json"
	TopicLock   = "topic.json.lock" // is made before topic.json, and stays
	recordsExt  = ".jsonl"
	indexExt    = ".index"
	baseDigits  = 20
	tornInfix   = ".torn-"
	maxBaseText = "09223372036854775807"
)

// MaxOffset bounds the offsets that files may name. No log comes near it, and
// records that are counted from there do not wrap around.
const MaxOffset = math.MaxInt64

// Pair names the two files of one segment.
type Pair struct {
	Base    uint64
	Records string
	Index   string
}

// PairAt names the segment of the partition directory dir that begins at
// base.
func PairAt(dir string, base uint64) Pair {
	return pairOf(stemOf(dir), base)
}

// BarePair names the two files of a bare file.
func BarePair(records string) Pair {
	return Pair{Records: records, Index: index.Path(records)}
}

// InPartition reports whether a file of that name is one of a partition, or a
// file whose index would be: 00000000000000000000.records has the index of the
// segment.
func InPartition(name string) bool {
	_, _, own := ParseName(name)
	_, _, shared := ParseName(filepath.Base(index.Path(name)))
	return own || shared || name == MetaName
}

// ParseName is the inverse of the names that [PairAt] gives: it splits a file
// name into base and extension. ok is false for every other name.
func ParseName(name string) (base uint64, ext string, ok bool) {
	stem, ext := name, filepath.Ext(name)
	stem = strings.TrimSuffix(stem, ext)
	if len(stem) != baseDigits || (ext != recordsExt && ext != indexExt) {
		return 0, "", false
	}
	if strings.Trim(stem, "0123456789") != "" || stem > maxBaseText {
		return 0, "", false
	}
	base, err := strconv.ParseUint(stem, 10, 64)
	return base, ext, err == nil
}
