package group

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"time"

	"example.com/jlq/internal/jsonl"
	"example.com/jlq/internal/offsets"
	"example.com/jlq/reader"
)

// PartitionLag says how far a group is in one partition.
type PartitionLag struct {
	Partition int    `json:"partition"`
	Start     uint64 `json:"start"`     // first record that is kept
	Committed uint64 `json:"committed"` // next record of the group
	Next      uint64 `json:"next"`      // high watermark
	Lag       uint64 `json:"lag"`       // records that are there and not consumed
	Lost      uint64 `json:"lost"`      // records that were dropped before they were consumed

	// Oldest is the time of the first record that is not consumed: the one it
	// has in it, or, where Estimated, when its segment was last written to. Zero
	// where there is no such record.
	Oldest    time.Time `json:"oldest,omitzero"`
	Estimated bool      `json:"estimated,omitempty"`

	Attempts int         `json:"attempts,omitempty"` // times that a consumer died with the record at Committed in its hands
	Held     bool        `json:"held,omitempty"`     // records are in flight, or were when the member died
	Member   *MemberInfo `json:"member,omitempty"`   // who has it, where somebody has

	// Err is why the partition cannot be consumed, such as a [*TruncatedError];
	// nil where it can.
	Err error `json:"-"`
}

// Age is how old the first record that is not consumed is; 0 where there is
// none, or where it has a time that is still to come.
func (l PartitionLag) Age(now time.Time) time.Duration {
	if l.Oldest.IsZero() {
		return 0
	}
	return max(0, now.Sub(l.Oldest))
}

// Lag says how far the group is in each partition that consumers see. It
// takes no claim and writes nothing. Who has a partition is not said to a user who
// may not look at the group's locks.
func (g *Group) Lag(ctx context.Context) ([]PartitionLag, error) {
	numbers, err := g.src.numbers()
	if err != nil {
		return nil, err
	}
	file, err := g.read()
	if err != nil {
		return nil, err
	}
	if file.Groups[g.name] == nil {
		return nil, g.unknown()
	}
	members, err := newRoster(g, nil).live()
	if errors.Is(err, fs.ErrPermission) {
		err = nil // who may not look at the locks of others is told the rest
	}
	if err != nil {
		return nil, err
	}
	lags := make([]PartitionLag, len(numbers))
	for i, n := range numbers {
		e, _ := file.Lookup(g.name, g.src.key(n))
		lags[i] = g.lagOf(ctx, n, e)
		if h := g.holder(n, members); h.ID != "" {
			lags[i].Member = &h
		}
	}
	return lags, nil
}

// lagOf says it of one partition, where that can be opened.
func (g *Group) lagOf(ctx context.Context, number int, e offsets.Entry) (l PartitionLag) {
	l = PartitionLag{Partition: number, Committed: e.Next, Attempts: e.Attempts, Held: e.Held}
	c := g.newClaim(number)
	if l.Err = c.openLog(); l.Err != nil {
		return l
	}
	defer func() { l.Err = errors.Join(l.Err, c.close()) }()
	if l.Start, l.Next, l.Err = c.log.Bounds(ctx); l.Err != nil {
		return l
	}
	_, l.Err = c.compare(ctx, e)
	from := max(e.Next, l.Start)
	l.Lost = from - e.Next
	if from < l.Next {
		l.Lag = l.Next - from
		l.Oldest, l.Estimated = timeOf(c.log, from)
	}
	return l
}

// timeOf is the time of a record: the one in it, or that of its file.
func timeOf(log *reader.Log, offset uint64) (t time.Time, estimated bool) {
	if data, err := log.Get(offset); err == nil {
		if t, ok := jsonl.Time(data, ""); ok {
			return t, false
		}
	}
	for _, s := range log.Info().Segments {
		if s.Base <= offset {
			t = s.ModTime
		}
	}
	return t, true
}

// Members are those of the group that live, the oldest first, also when they
// have no partition or are stopped.
func (g *Group) Members() ([]MemberInfo, error) { return newRoster(g, nil).live() }

// List returns the names of the groups that are registered on what path
// denotes, in order.
func List(path string, opts *Options) ([]string, error) {
	o := opts.withDefaults()
	place, err := offsets.Locate(o.FS, path)
	if err != nil {
		return nil, err
	}
	file, fallback, err := offsets.Read(o.FS, place)
	if fallback != nil {
		o.Logger.Warn(fallback.String())
	}
	return slices.Sorted(maps.Keys(file.Groups)), err
}
