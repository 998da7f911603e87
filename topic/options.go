package topic

import (
	"io/fs"
	"log/slog"
	"time"

	"example.com/jlq/internal/vfs"
	"example.com/jlq/partition"
)

// Options configure a topic. nil means &Options{}. They are copied.
type Options struct {
	// Partition is how each partition is opened, among it the Mode of all files
	// that are made, whether the topic may lie on a network, and the FS.
	Partition partition.Options

	// Name is what [Create] calls the topic; "" means the name of its
	// directory. It is a part of every record's [ID].
	Name string

	// Skip is Partition.Skip where several partitions are read: it is told
	// the number, too.
	Skip func(partition int, d partition.Damage) error

	// Reload is how often a topic that is open for appending, or followed,
	// looks whether partitions were added, hidden or deleted; 0 means one second.
	Reload time.Duration
}

// withDefaults returns a copy in which what may be nil is not.
func (o *Options) withDefaults() Options {
	var c Options
	if o != nil {
		c = *o
	}
	if c.Partition.FS == nil {
		c.Partition.FS = vfs.OS
	}
	if c.Partition.Logger == nil {
		c.Partition.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Reload <= 0 {
		c.Reload = time.Second
	}
	// Only what topic.json names is a partition, and its directory was made
	// with it: one that is not there was deleted or lost, and must not begin
	// again at offset 0.
	c.Partition.NoCreate = true
	return c
}

func (o *Options) fs() vfs.FS { return o.Partition.FS }

func (o *Options) filePerm() fs.FileMode {
	if o.Partition.Mode == 0 {
		return 0o600
	}
	return o.Partition.Mode.Perm()
}

// dirPerm is filePerm with a search bit for everyone who may read.
func (o *Options) dirPerm() fs.FileMode {
	perm := o.filePerm()
	return perm | perm&0o444>>2
}
