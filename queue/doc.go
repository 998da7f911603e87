// Package queue is a queue of typed values in files that people can read.
//
//	q, err := queue.Open[Job]("jobs", nil)
//	...
//	defer q.Close()
//	_, err = q.Enqueue(Job{ID: 17})
//	...
//	item, err := q.Dequeue(ctx)
//	...
//	work(item.Value)
//	item.Ack()
//
// # Files
//
// A queue is a partition and a consumer group, and nothing besides: each value
// is a line of JSON in the partition, which cat, grep, jq and jlq read while it
// is in use, and where the queue stands is in offsets.json.
//
//	jobs/00000000000000000000.jsonl      the values, one a line
//	jobs/00000000000000000000.index      where each begins
//	jobs/partition.json
//	jobs/offsets.json                    how far the group "queue" is
//	jobs/groups/queue/                   locks: who consumes
//	jobs/dead/queue/0/                   dead letters: what could not be decoded, or failed too often
//
// What a Codec makes of a value is on the line as it is. Text and Bytes put
// theirs into an object: {"text":"…"} and {"base64":"…"}. People may append by
// hand what the codec decodes; what it does not goes to the dead letters when
// its turn comes, and the next value is served.
//
// # Delivery
//
// Enqueue returns when the value is stored, as durably as [partition.Options]
// say in Options.Log; the zero value is "survives a power loss". Dequeue gives
// values in the order in which they were enqueued. Each is in flight from then
// until it is answered: Ack is done; Nack has it delivered again after a while,
// others going on meanwhile, and after MaxAttempts to the dead letters; Dead has
// it go there at once. What is not answered when the process ends, however it
// ends, is delivered again: at least once, never lost, and twice only what was
// not committed. A commit covers everything that was answered before it; it is
// made once a second while answers come in, by Sync and by Close. So an Ack costs
// no system call.
//
// A Dequeue whose context ends returns the context's cause and has taken
// nothing. Waiting costs no processor time. An empty value is a value.
//
// # Processes
//
// One process opens a queue to enqueue; Options.Log.Shared lets several. One
// process at a time consumes it, since a partition has one consumer in a group:
// it is the first that calls Dequeue, TryDequeue or Peek, and when it closes or
// dies, another that waits in Dequeue takes over. A process that only consumes,
// beside one that enqueues, sets Options.ConsumeOnly; the queue is there by then. All goroutines of these
// processes may use their queue at once.
//
// # Space
//
// With Options.DropConsumed segments that were consumed are removed, so that a
// queue takes the space of what waits in it and of two segments. What another
// group of the same log has still to read stays.
package queue
