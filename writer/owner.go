package writer

import (
	"time"

	"example.com/jlq/internal/segment"
)

// Owner is what the owner of a log does for its writer. The writer calls one
// of them at a time.
type Owner struct {
	// Save makes it durable that the active segment is synced up to position,
	// and since when it holds records, where created is not zero. It is nil
	// where there is no partition.json.
	Save func(position int64, created time.Time) error

	// Next makes the segment that begins at offset next and makes it durable
	// that appending goes on there; then it closes the old one, of which
	// everything is synced and published. When it fails, the old segment is as
	// it was, unless the error matches [segment.ErrUncertain]. It is nil where a
	// log cannot be rolled.
	Next func(old *segment.Active, next uint64) (*segment.Active, error)

	// PutOff is told why a roll that was due did not come about.
	PutOff func(err error)

	// Rolled is told that appending goes on in a new segment. It must not wait
	// for anything.
	Rolled func()

	// Created is since when the active segment holds records; zero where that
	// is not known.
	Created time.Time

	// Enter is nil where the log is this writer's alone. Else others append to
	// it as well, and this comes before anything is written or decided: it takes
	// the locks, waiting for them, and returns what there is to append to now.
	// Where it fails nothing has changed, and the next Enter looks again. Leave
	// gives up the locks.
	Enter func(active *segment.Active) (Taken, error)
	Leave func()

	// Retire closes a segment that Enter has returned another one for.
	Retire func(old *segment.Active)
}

// Taken is the state of a log that others append to as well, when its locks have
// been taken.
type Taken struct {
	Active    *segment.Active // the one that was given, or another in its stead
	Next      uint64          // the offset that the next record gets
	Position  int64           // up to where partition.json says that the records are synced
	Created   time.Time       // as in Owner
	Recovered bool            // everything was brought to the disk, as at opening
}
