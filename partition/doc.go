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
// A partition that rolls, by [Options].SegmentBytes, SegmentRecords or
// SegmentAge, or by [Partition.Roll], has a pair for each segment, named by the
// offset of its first record. Only the last one, the active segment, is written
// to; the others are sealed and do not change any more.
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
// With Options.Shared several processes append, in turns: each batch waits for
// the lock, takes in what the others have appended, and is published when it is
// acknowledged. Readers of such a process look at the files, as those of any
// other do. A turn costs some twenty system calls, so batches pay, and calls of
// one process at the same time share one.
//
// # Crashes
//
// What an acknowledged record survives depends on [Options.Sync]; the zero
// value is [SyncAlways], power loss. Opening recovers: whole lines that the
// index does not know are adopted, a torn tail is set aside in a file of its
// own before it is cut, and the index is mended from the records.
// [Partition.Recovery] says what was done. Damage to records that were
// promised is never touched: it is a [*CorruptError].
//
// # Damage
//
// [OpenReader] reads a damaged log, and goes on behind damage with
// Options.Skip or [reader.Reader.Skip]. [Partition.Verify] lists all of it.
// [Repair] puts the log right, on request: what was lost in the middle becomes
// blank lines, so that the records behind it keep their offsets, and every
// damaged byte is kept beside the records, as BASE.torn-POSITION.
//
// # Statistics
//
// [Partition.Stats] is a snapshot of what this process did with the log. It is
// always on, and may be taken every second. What a field counts is said where it
// stands; these are the questions that they answer:
//
//	is the disk slow?               Written.Fsync, times of the syncs of records
//	what does an append wait for?   Written.Group, of a group commit as a whole; Written.Stalls
//	do appends share syncs?         Written.BatchRecords, Written.BatchBytes
//	are index writes gathered?      Written.IndexEntries, entries in each
//	is it rolling?                  Written.Rolls, RollsPutOff, RollError
//	where do reads come from?       Read.Disk, Read.Mapping, Read.Tail; reads and bytes
//	what is held?                   Read.OpenFiles, Read.Mappings, Read.MappedBytes, Read.TailHeld
//	what did retention drop?        Retention, with who held what back
//	which segment is busy?          Read.Segments, Written.Segments
//
// Segments are those that the process touched: of a log of 10,000, those that it
// read have about 60 bytes each (and 1 KiB more once they were mapped), and of those
// it wrote the last 65 are told. A [Histogram] has buckets that double in width.
package partition
