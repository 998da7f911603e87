// Package writer is the write policy of a log: what is checked, how records
// become batches, when they are synced, and what a failure means. Most users
// need package partition only, which opens and closes a Writer.
//
// # The way of a batch
//
// Each step closes a crash window:
//
//	0  check every record            nothing invalid ever reaches a file
//	1  one O_APPEND write            a short write is cut back to the last good end
//	2  fdatasync (SyncAlways)        from here the batch survives a power loss
//	3  compare name, inode, size     another program's save is not acknowledged as ours
//	4  append the index entries      this publishes the batch to all processes
//	5  acknowledge
//
// In the weaker modes 5 follows 1, and 3 and 4 follow within 2 ms, so that one
// record costs one system call. The index is derived data: it is never synced
// before its records. Every 64 MiB a background sync makes records, index and
// partition.json durable, so that recovery never looks further back than the
// 256 MiB at which appends wait for it.
//
// # Rolling
//
// A batch that would take the active segment beyond Options.SegmentBytes or
// SegmentRecords begins a new one, and so does a segment whose first record is
// older than SegmentAge. Whoever rolls keeps all others from appending: he has
// the turn, or leads a group. Everything is published and synced first, most of
// it in the background before; then the owner of the log makes the next pair of
// files and promises it in partition.json, and only then is anything appended
// there. Where the files cannot be made, appends go on in the old segment and it
// is tried again a second later.
//
// # Failures
//
// A failed or short write stores nothing of its batch, is cut back, and
// leaves the writer usable. A failed fsync is never retried: the kernel may
// have dropped the pages and marked them clean. The writer is poisoned then,
// as it is when cutting back fails or the files are not what they should be:
// see [ErrPoisoned].
package writer
