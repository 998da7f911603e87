// Package peers gives the work of package bench to other logs: tidwall/wal,
// the write-ahead logs of Prometheus (tsdb/wlog) and etcd, hashicorp/raft-wal,
// bbolt, badger and a NATS JetStream server within the process; and the queue
// workloads to dque, the persistent queue of VictoriaMetrics and JetStream. It is
// a module of its own, so that none of them is a dependency of jlq.
//
//	go test -run - -bench . ./...      # in this directory
//	go run ./bench/cmd/results         # in the project's root: with jlq beside them
//
// Each is used as its documentation tells to use it for a log: consecutive
// numbers as keys, the batch calls where there are some, and the setting that
// is the fastest one for the work at hand. What a row cannot be compared in is
// said in the results, which name the durability and visibility of each.
package peers

import "example.com/jlq/bench"

// fillBatch is how many records are appended at once where that is not what is
// measured.
const fillBatch = 1000

// Log is a peer with records in it or to be added.
type Log interface {
	bench.Appender
	// Scan hands all records to each, in order.
	Scan(each func(record []byte)) error
}

// Getter is a Log that finds a record by its number.
type Getter interface {
	Log
	// Get copies the record into dst, if it is large enough, and returns it.
	Get(dst []byte, offset uint64) ([]byte, error)
}

// Peer is a contestant.
type Peer struct {
	Name string
	// Open opens or creates the log in dir. It is for one goroutine unless
	// Together is set.
	Open func(dir string, sync bool) (Log, error)
	// Together opens a log to which so many goroutines append at once, each
	// record synced before it is acknowledged.
	Together func(dir string, goroutines int) (Log, error)
	// AlwaysSyncs says that the peer cannot be told not to sync.
	AlwaysSyncs bool
	// Gathers says that appends which wait at the same time share a sync. The
	// others have to sync for each, so fewer appends say as much.
	Gathers bool
	// Slow says that the peer takes so long to read that it is measured with
	// fewer records and fewer reads; Slowest, that it takes as long to fill, and
	// is measured with small logs only.
	Slow, Slowest bool
}

// All returns the contestants.
func All() []Peer {
	return []Peer{
		{Name: "tidwall", Open: openTidwall, Together: openTidwallTogether},
		{Name: "tidwall-json", Open: openTidwallJSON, Slow: true},
		{Name: "wlog", Open: openWlog, Together: openWlogTogether},
		{Name: "raft-wal", Open: openRaft, Together: openRaftTogether, AlwaysSyncs: true, Slow: true},
		{Name: "bbolt", Open: openBolt, Together: openBoltTogether, Gathers: true},
		{Name: "badger", Open: openBadger, Together: openBadgerTogether},
		{Name: "etcd-wal", Open: openEtcd, Together: openEtcdTogether, Slow: true},
		{Name: "jetstream", Open: openJetStream, Together: openJetStreamTogether, Slow: true, Slowest: true},
	}
}
