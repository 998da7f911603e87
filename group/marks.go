package group

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"example.com/jlq/internal/vfs"
	"example.com/jlq/partition"
)

// marks say what became of dead letters: they are in redrive.json, beside
// them. A letter that is in none of them is waiting for somebody to decide.
// Numbers are offsets in the partition of dead letters.
type marks struct {
	Format  int            `json:"format"`
	Wanted  ranges         `json:"wanted,omitempty"`  // to be delivered again
	Settled ranges         `json:"settled,omitempty"` // dealt with, or dropped
	Tried   map[uint64]int `json:"tried,omitempty"`   // of those wanted, how often they were
}

const (
	marksFormat   = 1
	marksName     = "redrive.json"
	maxMarksBytes = 256 << 20
	lockPatience  = 10 * time.Second
)

func (m *marks) want(n uint64) {
	if !m.Settled.has(n) {
		m.Wanted.add(n)
	}
}

func (m *marks) settle(n uint64) {
	m.unwant(n)
	m.Settled.add(n)
}

func (m *marks) unwant(n uint64) {
	m.Wanted.remove(n)
	delete(m.Tried, n)
}

func (m *marks) try(n uint64) {
	if m.Tried == nil {
		m.Tried = map[uint64]int{}
	}
	m.Tried[n]++
}

func (d *deadLetters) marksPath() string { return filepath.Join(d.dir, marksName) }

// marks reads them.
func (d *deadLetters) marks() (marks, error) {
	data, err := vfs.ReadFile(d.opts.FS, d.marksPath(), maxMarksBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return marks{Format: marksFormat}, nil
	}
	if err != nil {
		return marks{}, err
	}
	var m marks
	if err := json.Unmarshal(data, &m); err != nil || m.Format < 1 {
		return m, &partition.CorruptError{Path: d.marksPath(), End: int64(len(data)),
			Err: errors.Join(errors.New("not a file of marks; where it is removed, no dead letter counts as dealt with"), err)}
	}
	if m.Format > marksFormat {
		return m, fmt.Errorf("%s: %w", d.marksPath(), partition.ErrNewerFormat)
	}
	return m, nil
}

// change changes the marks, durably, under a lock: members and those who ask for
// letters change them at the same time.
func (d *deadLetters) change(do func(*marks)) (err error) {
	lock, err := d.lockMarks()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	m, err := d.marks()
	if err != nil {
		return err
	}
	do(&m)
	data, err := json.Marshal(&m)
	if err != nil {
		return err
	}
	return vfs.ReplaceFile(d.opts.FS, d.marksPath(), append(data, '\n'), d.opts.fileMode())
}

// lockMarks waits for the lock. Its file is never removed, so that everybody
// locks the same one.
func (d *deadLetters) lockMarks() (vfs.Lock, error) {
	name := d.marksPath() + ".lock"
	f, err := d.opts.FS.Open(name, os.O_RDWR|os.O_CREATE, d.opts.fileMode())
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		return nil, err
	}
	for waited := time.Duration(0); ; waited += 2 * time.Millisecond {
		lock, err := lockNamed(d.opts.FS, name)
		if err == nil || !errors.Is(err, vfs.ErrLocked) || waited >= lockPatience {
			return lock, err
		}
		time.Sleep(2 * time.Millisecond)
	}
}
