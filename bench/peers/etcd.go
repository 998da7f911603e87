package peers

import (
	"path/filepath"

	"go.etcd.io/etcd/server/v3/storage/wal"
	"go.etcd.io/etcd/server/v3/storage/wal/walpb"
	"go.etcd.io/raft/v3/raftpb"
)

// etcdWAL is a log of go.etcd.io/etcd/server/v3/storage/wal. It numbers from 1
// and wants its numbers in order. Reading is for the start of a server: all of
// it at once, into memory.
type etcdWAL struct {
	log  *wal.WAL
	dir  string
	next uint64
}

func openEtcd(dir string, sync bool) (Log, error) {
	e := &etcdWAL{dir: filepath.Join(dir, "wal"), next: 1}
	var err error
	if wal.Exist(e.dir) {
		err = e.reopen()
	} else {
		e.log, err = wal.Create(nil, e.dir, nil)
	}
	if err != nil {
		return nil, err
	}
	if !sync {
		e.log.SetUnsafeNoFsync()
	}
	return e, nil
}

// reopen takes the log up behind its last entry, for which it must be read.
func (e *etcdWAL) reopen() error {
	log, err := wal.Open(nil, e.dir, firstSnapshot)
	if err != nil {
		return err
	}
	_, _, entries, err := log.ReadAll()
	e.log, e.next = log, uint64(len(entries))+1
	return err
}

// firstSnapshot is what a new log begins with.
var firstSnapshot = &walpb.Snapshot{Index: new(uint64), Term: new(uint64)}

// openEtcdTogether has the goroutines take turns: Save wants entries in order.
func openEtcdTogether(dir string, _ int) (Log, error) {
	log, err := openEtcd(dir, true)
	return &turns{Log: log}, err
}

// Append implements bench.Appender.
func (e *etcdWAL) Append(batch [][]byte) error {
	term, kind := uint64(1), raftpb.EntryNormal
	numbers := make([]uint64, len(batch))
	entries := make([]raftpb.Entry, len(batch))
	save := make([]*raftpb.Entry, len(batch))
	for i, record := range batch {
		numbers[i] = e.next + uint64(i)
		save[i] = &entries[i]
		save[i].Term, save[i].Index, save[i].Type, save[i].Data = &term, &numbers[i], &kind, record
	}
	if err := e.log.Save(nil, save); err != nil {
		return err
	}
	e.next += uint64(len(batch))
	return nil
}

// Scan implements Log.
func (e *etcdWAL) Scan(each func([]byte)) error {
	log, err := wal.OpenForRead(nil, e.dir, firstSnapshot)
	if err != nil {
		return err
	}
	_, _, entries, err := log.ReadAll()
	for _, entry := range entries {
		each(entry.GetData())
	}
	// ReadAll closed the files; Close fails for want of a directory, which
	// only a log that was opened to write has.
	return err
}

// Close implements bench.Appender.
func (e *etcdWAL) Close() error { return e.log.Close() }
