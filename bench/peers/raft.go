package peers

import (
	"errors"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/raft"
	wal "github.com/hashicorp/raft-wal"
	"github.com/hashicorp/raft-wal/metadb"
)

// raftWAL is a log of github.com/hashicorp/raft-wal. It numbers from 1, wants
// its numbers in order, and syncs every call.
type raftWAL struct {
	log  *wal.WAL
	meta *metadb.BoltMetaDB
	next uint64
}

func openRaft(dir string, _ bool) (Log, error) {
	meta := new(metadb.BoltMetaDB)
	log, err := wal.Open(dir, wal.WithLogger(hclog.NewNullLogger()), wal.WithMetaStore(meta))
	if err != nil {
		return nil, err
	}
	last, err := log.LastIndex()
	return &raftWAL{log: log, meta: meta, next: last + 1}, err
}

func openRaftTogether(dir string, _ int) (Log, error) {
	log, err := openRaft(dir, true)
	return &turns{Log: log}, err
}

// Append implements bench.Appender.
func (r *raftWAL) Append(batch [][]byte) error {
	entries := make([]raft.Log, len(batch))
	logs := make([]*raft.Log, len(batch))
	for i, record := range batch {
		entries[i] = raft.Log{Index: r.next + uint64(i), Term: 1, Type: raft.LogCommand, Data: record}
		logs[i] = &entries[i]
	}
	if err := r.log.StoreLogs(logs); err != nil {
		return err
	}
	r.next += uint64(len(batch))
	return nil
}

// Scan implements Log.
func (r *raftWAL) Scan(each func([]byte)) error {
	var entry raft.Log
	for i := uint64(1); i < r.next; i++ {
		if err := r.log.GetLog(i, &entry); err != nil {
			return err
		}
		each(entry.Data)
	}
	return nil
}

// Get implements Getter.
func (r *raftWAL) Get(dst []byte, offset uint64) ([]byte, error) {
	var entry raft.Log
	err := r.log.GetLog(offset+1, &entry)
	return append(dst[:0], entry.Data...), err
}

// Close implements bench.Appender. The log leaves its store of metadata open
// and locked.
func (r *raftWAL) Close() error { return errors.Join(r.log.Close(), r.meta.Close()) }
