package vfs

import (
	"maps"
	"math/rand/v2"
	"path"
	"slices"
)

// DataLoss says what a power loss does to bytes that were not synced.
type DataLoss int

// The zero DataLoss is the plainest. Bytes that were synced are never lost.
const (
	DataLost    DataLoss = iota // the file is as of its last Sync
	DataKept                    // all is there
	DataTorn                    // the writes up to a sector within one of them are there
	DataZeroed                  // the file has its new size, and NUL where it grew
	DataGarbage                 // the file has its new size, and anything where it grew
	DataSubset                  // each sector is as of any time since the last Sync, and so is the size
)

// NameLoss says what a power loss does to names that were not synced.
type NameLoss int

// The zero NameLoss is the plainest. A rename is never half done.
const (
	NamesLost   NameLoss = iota // directories are as of their last SyncDir
	NamesKept                   // all changes are there
	NamesSubset                 // any of the changes are there
)

// CrashConfig chooses what a power loss leaves. The same choice of the same
// state leaves the same.
type CrashConfig struct {
	Data  DataLoss
	Names NameLoss
	Seed  uint64

	// File, if not nil, chooses for each file, by its name after the crash.
	File func(name string) DataLoss
}

// sector is how many bytes a disk writes as a whole or not at all.
const sector = 512

// Kill returns the file system as it is after the process was killed: all
// that was written is there, synced or not; locks are free. m is dead from
// now on.
func (m *Mem) Kill() *Mem {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.dead = true
	return m.clone()
}

// Crash returns the file system as a power loss may leave it, everything in
// it synced. m is dead from now on, but it can be crashed again, with another
// choice, from the same state.
func (m *Mem) Crash(cfg CrashConfig) *Mem {
	c := m.Kill()
	rng := rand.New(rand.NewPCG(cfg.Seed, 0))
	for _, change := range c.names {
		if cfg.Names == NamesKept || cfg.Names == NamesSubset && rng.IntN(2) == 0 {
			change.makeDurable()
		}
	}
	c.names = nil
	if cfg.File == nil {
		cfg.File = func(string) DataLoss { return cfg.Data }
	}
	settle(c.root, "/", cfg.File, rng, map[*node]bool{})
	return c
}

// settle makes what the disk has what processes see. It goes through names
// in order, so that a seed means the same each time.
func settle(n *node, name string, loss func(string) DataLoss, rng *rand.Rand, seen map[*node]bool) {
	if seen[n] {
		n.links++
		return
	}
	seen[n] = true
	n.links = 1
	if n.entries == nil {
		n.data = n.survive(loss(name), rng)
		n.synced, n.pending = slices.Clone(n.data), nil
		return
	}
	n.entries = maps.Clone(n.durable)
	for _, elem := range slices.Sorted(maps.Keys(n.entries)) {
		settle(n.entries[elem], path.Join(name, elem), loss, rng, seen)
	}
}

// survive returns what is left of a file's bytes; n is not used otherwise
// afterwards, so it may be one of its slices.
func (n *node) survive(loss DataLoss, rng *rand.Rand) []byte {
	switch loss {
	case DataKept:
		return n.data
	case DataTorn:
		return n.torn(rng)
	case DataZeroed:
		return n.grown(func([]byte) {})
	case DataGarbage:
		return n.grown(func(b []byte) {
			for i := range b {
				b[i] = byte(rng.Uint32())
			}
		})
	case DataSubset:
		return n.subset(rng)
	default:
		return n.synced
	}
}

// torn applies some of the changes, and of the next some sectors but not all.
func (n *node) torn(rng *rand.Rand) []byte {
	whole := rng.IntN(len(n.pending) + 1)
	b := n.synced
	for _, c := range n.pending[:whole] {
		b = c.apply(b)
	}
	if whole < len(n.pending) && !n.pending[whole].cut {
		parts := slices.Collect(n.pending[whole].sectors)
		for _, part := range parts[:rng.IntN(len(parts))] {
			b = part.apply(b)
		}
	}
	return b
}

// grown lets the file have the sizes that it had, but not the bytes.
func (n *node) grown(fill func([]byte)) []byte {
	b := n.synced
	for _, c := range n.pending {
		if size := int64(len(b)); c.cut {
			b = resize(b, c.off)
		} else if c.end() > size {
			b = resize(b, c.end())
			fill(b[size:])
		}
	}
	return b
}

// subset gives each sector the writes up to some time, chosen for it alone,
// and the file the cuts and the size up to another.
func (n *node) subset(rng *rand.Rand) []byte {
	left := map[int64]int{} // writes of a sector that are still to come
	for _, c := range n.pending {
		for part := range c.sectors {
			left[part.off/sector]++
		}
	}
	keep := map[int64]int{} // of those, how many it will have had
	sizes := rng.IntN(len(n.pending) + 1)
	b, size := n.synced, int64(len(n.synced))
	final := size
	for i, c := range n.pending {
		if size = max(size, c.end()); c.cut {
			size = c.off
			if i < sizes {
				b = resize(b, c.off)
			}
		}
		for part := range c.sectors {
			s := part.off / sector
			if _, ok := keep[s]; !ok {
				keep[s] = rng.IntN(left[s] + 1)
			}
			if keep[s]--; keep[s] >= 0 {
				b = part.apply(b)
			}
		}
		if i < sizes {
			final = size
		}
	}
	return resize(b, final)
}

// sectors ranges over the parts of a write that lie in one sector each.
func (c change) sectors(yield func(change) bool) {
	for len(c.data) > 0 {
		n := min(sector-c.off%sector, int64(len(c.data)))
		if !yield(change{off: c.off, data: c.data[:n]}) {
			return
		}
		c.off, c.data = c.off+n, c.data[n:]
	}
}

// clone copies everything that is on the disk or on its way there.
func (m *Mem) clone() *Mem {
	copies := map[*node]*node{}
	c := &Mem{root: m.root.clone(copies), last: m.last, locks: map[*node]bool{}}
	for _, old := range m.names {
		change := slices.Clone(old)
		for i, e := range change {
			change[i] = entry{e.dir.clone(copies), e.name, e.node.clone(copies)}
		}
		c.names = append(c.names, change)
	}
	return c
}

func (n *node) clone(copies map[*node]*node) *node {
	if n == nil || copies[n] != nil {
		return copies[n]
	}
	c := new(*n)
	copies[n] = c
	c.data, c.synced, c.pending = slices.Clone(n.data), slices.Clone(n.synced), slices.Clone(n.pending)
	c.entries, c.durable = cloneNames(n.entries, copies), cloneNames(n.durable, copies)
	return c
}

func cloneNames(names map[string]*node, copies map[*node]*node) map[string]*node {
	c := maps.Clone(names)
	for name, n := range c {
		c[name] = n.clone(copies)
	}
	return c
}
