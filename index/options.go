package index

import (
	"context"
	"io/fs"

	"example.com/jlq/internal/vfs"
)

// defaultProblems is how many problems CheckFile lists unless told otherwise.
const defaultProblems = 100

// Options are the choices of BuildFile and CheckFile. nil is &Options{}.
type Options struct {
	// FS is where the files are. nil is the operating system's, and all that
	// can be had outside of this module.
	FS vfs.FS

	// Progress is called before each block is read and at the end, with the
	// position reached in the records file and the position to reach.
	Progress func(done, total int64)

	// Perm is the mode of a new index. 0 keeps the mode of the index that it
	// replaces, and is that of the records where there is none: who may read
	// these may know where they begin.
	Perm fs.FileMode

	// Locked says that the caller holds the locks of the records file and of
	// the index. Without it BuildFile takes them while it works, so that no
	// writer appends to the same index.
	Locked bool

	// Unproven is how many bytes at the end of the records may have entries that
	// were never synced, of which a power loss can have made anything. BuildFile
	// compares them all with each other, and those that [Trusted] does in any
	// case.
	Unproven int64

	// MaxProblems is how many problems CheckFile lists before it stops: 0
	// means 100, a negative number all of them.
	MaxProblems int
}

// withDefaults returns a copy of o, which may be nil, with nothing left open.
func (o *Options) withDefaults() Options {
	var c Options
	if o != nil {
		c = *o
	}
	if c.FS == nil {
		c.FS = vfs.OS
	}
	if c.Progress == nil {
		c.Progress = func(done, total int64) {}
	}
	if c.MaxProblems == 0 {
		c.MaxProblems = defaultProblems
	}
	return c
}

// stepper returns what a window does before each read of records of size
// bytes: end when the context has ended, and report progress.
func (o *Options) stepper(ctx context.Context, size int64) func(int64) error {
	return func(position int64) error {
		o.Progress(position, size)
		return context.Cause(ctx)
	}
}

// Report says what BuildFile made, or CheckFile found.
type Report struct {
	Records uint64 // records in the index
	End     int64  // its last entry: the position after the last line in it
	Size    int64  // bytes of the records file
	Tail    int64  // bytes after the last newline of the records file

	// Behind is the number of whole lines after End: 0 from BuildFile.
	// CheckFile leaves Behind and Tail 0 where it found a problem, because
	// then End says nothing.
	Behind uint64

	Added    uint64 // records whose entries were written
	Rebuilt  bool   // a new index was made
	Extended bool   // entries were appended to the index that was there
	Reason   string // why it was rebuilt

	// Stopped says that CheckFile came to MaxProblems before the end.
	Stopped bool
}
