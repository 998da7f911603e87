package reader

import (
	"errors"
	"io/fs"
)

// turns bounds how often a read is begun again because the files changed, while
// the log itself stays where it is.
const turns = 16

// attempts counts how often something was begun again. Where the log has moved
// on meanwhile, because it was rolled or trimmed, they are counted anew: a
// reader is overtaken, or gets there.
type attempts struct {
	n           int
	start, last uint64 // of the log
}

// another reports whether there is to be another one.
func (t *attempts) another(l *Log, most int) bool {
	ly := l.layout.Load()
	start, last := ly.start, uint64(0)
	if s := ly.last(); s != nil {
		last = s.Base
	}
	if t.n > 0 && (start > t.start || last > t.last) {
		t.n = 0
	}
	t.n, t.start, t.last = t.n+1, start, last
	return t.n <= most
}

func (l *Log) restless() error {
	return &fs.PathError{Op: "read", Path: l.place.Path, Err: errors.New("its files change faster than they can be read")}
}
