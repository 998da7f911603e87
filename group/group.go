package group

import (
	"fmt"

	"example.com/jlq/internal/offsets"
	"example.com/jlq/internal/vfs"
	"example.com/jlq/partition"
)

// Group is one consumer group of what it was opened on: what joins it and what
// administers it. It holds nothing open, so it has no Close. It is safe for
// concurrent use.
type Group struct {
	name  string
	opts  Options
	src   source
	files int // that this process may have open; 0: it is not known
}

// Open names the group of what path denotes: a topic, a partition directory or
// a JSON-lines file. It takes no lock and writes nothing; whether the group is
// registered already is not asked.
func Open(path, name string, opts *Options) (*Group, error) {
	o := opts.withDefaults()
	if err := offsets.CheckName(name); err != nil {
		return nil, fmt.Errorf("group: %w", err)
	}
	place, err := offsets.Locate(o.FS, path)
	if err != nil {
		return nil, err
	}
	return &Group{name: name, opts: o, files: vfs.OpenLimit(), src: source{fs: o.FS, path: path, place: place}}, nil
}

// OpenOn is [Open] for a partition that this process has open already, which
// must stay open for as long as the group is used. Members read it through the
// writer's memory, and are woken by it.
func OpenOn(p *partition.Partition, name string, opts *Options) (*Group, error) {
	g, err := Open(p.Path(), name, opts)
	if err != nil {
		return nil, err
	}
	g.src.shared = p.Log()
	return g, nil
}

// Name is the group's name.
func (g *Group) Name() string { return g.name }

// claimDir is the directory whose lock is the claim of a partition.
func (g *Group) claimDir(number int) string { return g.src.place.ClaimDir(g.name, number) }

func (g *Group) membersDir() string { return g.src.place.MembersDir(g.name) }

// DeadPath is the partition of the group's dead letters of partition number. It
// need not be there.
func (g *Group) DeadPath(number int) string { return g.src.place.DeadDir(g.name, number) }
