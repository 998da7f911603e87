// Package partition is a log whose files people can read: open one, append
// records, get the n-th, read, follow.
//
//	p, err := partition.Open("orders", nil)
//	...
//	offset, err := p.Append([]byte(`{"id":17,"total":42}`))
//	for rec, err := range p.Records(0) {
//		...
//	}
//
// # Files
//
// A partition is a directory. Its records are JSON lines, one record a line:
// an editor, grep, tail and jq work on them.
//
//	orders/00000000000000000000.jsonl    records
//	orders/00000000000000000000.index    where each of them begins
//	orders/partition.json                what the writer promised
//
// The index is an array of big-endian uint64 positions, one more than there
// are records: record n is the bytes from entry n up to the newline before
// entry n+1. Package index describes it to the byte.
//
// Any other JSON-lines file opens as well, as a bare file. Its index lies
// beside it, as app.jsonl.index. Every line of it is a record, blank ones
// included, so that record n is line n+1 of an editor.
//
// # Concurrency
//
// One process may append to a log, any number may read it, at the same time.
// A second writer gets [ErrLocked] at once. A [Partition] is safe for
// concurrent use.
//
// # Crashes
//
// What an acknowledged record survives depends on [Options.Sync]; the zero
// value is [SyncAlways], power loss. Opening recovers: whole lines that the
// index does not know are adopted, a torn tail is set aside in a file of its
// own before it is cut, and the index is mended from the records.
// [Partition.Recovery] says what was done. Damage to records that were
// promised is never touched: it is a [*CorruptError].
package partition
