// Package topic is a log of several partitions: a key chooses the partition of a
// record, and what has the same key stays in order.
//
//	err := topic.Create("orders", 4, nil)
//	...
//	t, err := topic.Open("orders", nil)
//	...
//	defer t.Close()
//	id, err := t.Append([]byte("customer-17"), []byte(`{"total":42}`)) // orders-0@0
//	for rec, err := range t.Records(nil) { // all partitions, by time
//		...
//	}
//
// # On disk
//
// A topic is a directory. Each partition is a log of its own, see package
// partition, in a directory that is named by its number:
//
//	orders/topic.json        name and number of partitions, see [Meta]
//	orders/topic.json.lock   guards topic.json
//	orders/0/ orders/1/ …    the partitions
//	orders/offsets.json      what consumer groups have consumed, see package group
//	orders/groups/           their members and claims
//	orders/dead/             their dead letters
//
// # Keys
//
// [PartitionOf] is a part of the format: (h ^ h>>32) % n, h being FNV-1a of 64
// bits and n the number of partitions that there ever were. While the partition
// of a key is hidden from producers, or deleted, its records go to another one,
// which the rest of the same hash chooses among those that are visible; keys of
// visible partitions never move for that. To add partitions changes n, and with
// it where most keys go.
//
// # Administration
//
// [Create], [AddPartitions], [Hide], [Unhide] and [Delete] need no open topic.
// They change topic.json under its lock, by replacement. Topics that are open
// notice within a second: a partition that was added gets records, one that
// was hidden from producers gets none, and one that was deleted is a
// [*PartitionError] and never begins anew. The number of a deleted partition is
// not used again, so that an [ID] never means another record.
//
// # Concurrency
//
// A partition has one writer at a time, so a topic has one producer process,
// unless all of them set Options.Partition.Shared. Any number of processes may
// read. A Topic is safe for use by many goroutines.
//
// # Crashes
//
// topic.json names a partition only once that is on the disk, and files are
// removed only once topic.json says that their partition is deleted; [Create]
// and [Delete] have the tables. A topic.json that is damaged is a
// *partition.CorruptError, and one that is lost is not taken for a topic
// without partitions. It is one line, which a person can write again.
package topic
