// Package group lets processes share the work of reading a log: each record
// goes to one member of a group, and the group's place is kept on the disk.
//
//	g, err := group.Open("orders", "billing", nil)
//	...
//	m, err := g.Join(ctx)
//	...
//	defer m.Close()
//	for msg, err := range m.Messages(ctx) {
//		...
//		msg.Ack()
//	}
//
// What is consumed is a topic, a lone partition directory or a bare file. A
// partition directory of a topic is consumed as the topic's.
//
// # Files
//
//	orders/offsets.json                  where each group is
//	orders/offsets.json.lock             held while that is changed
//	orders/groups/billing/0/             locked by the member that has partition 0
//	orders/groups/billing/0/holder       which member that is
//	orders/groups/billing/members/ID     locked by the member for as long as it lives
//
// A lone partition has them in its own directory, a bare file F beside it, as
// F.offsets.json and F.groups/. The locks are the kernel's: they end with the
// process, however it ends. No directory of these holds anything that is needed
// to go on; offsets.json does, and package offsets keeps it.
//
// # Protocol
//
// A member registers the group first, then announces itself with its locked
// file, then takes partitions. Twice a second it looks which members live: each
// may have its share of the partitions, the oldest members one more where
// they do not divide evenly. Who has too many gives up some, who has too few
// takes free ones. A member that asked for one partition alone goes before those
// that take any. Nobody decides for others, so there is nobody to be lost.
//
// Taking a partition: lock its directory; compare the committed offset with the
// log; durably add one to its generation, and one to its attempts where the
// last holder died with records in its hands. Before the first record is
// delivered, the entry is durably marked as held, and with it those of other
// partitions whose first record is about to be; a commit that finds nothing
// in flight takes the mark away again. Giving up: no more deliveries; wait for
// those in flight, for a bounded time; commit; unlock.
//
// A commit compares the generation under the lock of the offsets: a member that
// lost its partition, because somebody removed the lock directory or reset the
// group, gets [ErrFenced] and changes nothing. Commits of several partitions are
// one replacement of the file.
//
// # Delivery
//
// The loop over [Member.Messages] pulls: it reads on its own goroutine, and an
// ack costs one atomic operation. What is delivered and not answered is in
// flight, bounded by [Options.MaxInFlight]; no commit passes it. What failed comes
// again behind others, later each time, and then becomes a dead letter, in the
// partition orders/dead/billing/0/, which is on the disk before a commit passes
// the record:
//
//	{"time":"…","group":"billing","partition":"orders-0","offset":42,"attempts":5,"error":"…","record":{…}}
//
// Beside it, redrive.json has the numbers of letters that are to be delivered
// again (wanted), how often they were (tried), and that are dealt with (settled).
// It is replaced as a whole, under redrive.json.lock. A letter is marked as tried
// before it is delivered, and as settled when it is acked or a new letter is on
// the disk.
//
// # Crashes
//
//	died after                           the next holder
//	registering the group                begins at its start position, as this one would have
//	making the lock directories          the same
//	taking the generation                begins at the committed offset; nothing was delivered
//	marking it as held                   delivers again from the committed offset, one record at a time,
//	                                     and counts an attempt: the record may be what killed it
//	delivering, before the commit        the same: at least once
//	writing a dead letter, before the    the same; a second letter may come of it, which counts instead
//	commit
//	acking a redriven letter, before     delivers it once more
//	it is marked as settled
//	the commit's rename, before the      begins at the old or the new offset: the same, or
//	directory was synced (power loss)    nothing twice
//	the commit, before unlocking         begins at the new offset
package group
