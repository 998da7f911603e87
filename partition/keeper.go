package partition

import (
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"example.com/jlq/internal/segment"
	"example.com/jlq/internal/vfs"
)

// keeper is the one owner of partition.json while the partition is open for
// appending. Syncs in the background, rolls and trims change different fields
// of it at the same time; each change is made to what the one before it
// wrote, so that none is lost.
type keeper struct {
	fs   vfs.FS
	dir  string
	perm fs.FileMode

	mu   sync.Mutex
	meta segment.Meta // as it was written last
	err  error        // why it is not changed any more
}

// change writes partition.json anew, durably, with what do changes. Where that
// fails, do may have come into effect on the disk or not; the next change
// begins at what was before.
func (k *keeper) change(do func(*segment.Meta)) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.write(do)
}

// write is change for a caller that holds mu.
func (k *keeper) write(do func(*segment.Meta)) error {
	if k.err != nil {
		return k.err
	}
	m := k.meta
	do(&m)
	if err := segment.WriteMeta(k.fs, k.dir, m, k.perm); err != nil {
		return err
	}
	k.meta = m
	return nil
}

// roll makes the segment that begins at base the active one. Where that fails,
// partition.json is read back, by read: if it names another one than before, or
// cannot be read, it is not known which one a power loss leaves, and the error
// matches [segment.ErrUncertain]. From then on nothing is changed any more: a
// trim that is under way would write the old segment into it again.
func (k *keeper) roll(base uint64, read func() (*segment.Meta, error)) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	err := k.write(func(m *segment.Meta) { *m = m.Rolled(base, time.Now()) })
	if err == nil || k.err != nil {
		return err
	}
	now, readErr := read()
	if readErr == nil && now != nil && now.Synced.Base == k.meta.Synced.Base {
		return err
	}
	k.err = segment.Uncertain(errors.Join(fmt.Errorf("roll: it is not known which segment is the active one: %w", err), readErr))
	return k.err
}

// restart begins anew with what partition.json says: another process may have
// changed it.
func (k *keeper) restart(m segment.Meta) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.meta, k.err = m, nil
}

// now is what partition.json says.
func (k *keeper) now() segment.Meta {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.meta
}
