package partition

import (
	"fmt"
	"io/fs"
	"time"

	"example.com/jlq/internal/segment"
)

// Retention bounds how much a log keeps. Whole sealed segments go, from the
// front: each one only while what remains still holds MaxRecords records,
// MaxBytes bytes or MaxSegments segments, so that the log holds at most that
// and one segment, and what is appended while a round is under way. Where
// several limits are set, the strictest decides. The zero value keeps
// everything. The writer applies it in the background, after opening, after
// each roll and as time goes by; what it drops is gone, and readers are told so
// by a [*RangeError].
type Retention struct {
	// MaxBytes is how many bytes of records are kept; 0 means all. The index
	// takes 8 bytes a record besides.
	MaxBytes int64
	// MaxRecords is how many records are kept; 0 means all.
	MaxRecords uint64
	// MaxSegments is how many segments are kept, the one that is appended to
	// among them unless it is empty; 0 means all.
	MaxSegments int
	// MaxAge is how old the last append to a segment may be; 0 means any age.
	// That is the modification time of its records file: not a field of the
	// records, which anybody can set to anything. A time in the future
	// counts as that of the next segment that has none; where no segment has
	// one, nothing is too old. A segment that is away (in cold storage) has no
	// age: it stays a part of the log, and so does what lies behind it.
	// Recovery after a crash writes the end of a segment again, which counts as
	// an append: what it wrote goes later than it would have, never earlier.
	MaxAge time.Duration

	// Hold, where it is not nil, says what must not go although a limit says
	// so. It is asked before each round; where it fails, nothing is dropped.
	// Where it is nil, the consumer groups that are registered with the log, or
	// with the topic that it is part of, hold what they have not consumed: see
	// package group. One that holds nothing, [HoldNothing], ignores them.
	Hold HoldFunc

	// MaxHeldBytes and MaxHeldAge end the patience with who holds: a segment
	// that a limit above drops goes although it is held, once so many bytes of
	// records lie behind it, or once its last append is so long ago. What is
	// lost to whom is in [TrimPlan], in [RetentionStats] and told to the
	// Logger. 0 means that a hold always counts.
	MaxHeldBytes int64
	MaxHeldAge   time.Duration
}

// HoldNothing is a [HoldFunc] for logs from which records go unseen by their
// consumer groups.
func HoldNothing() (holds []Hold, release func(), err error) { return nil, nil, nil }

// HoldFunc returns who still needs records, and from which offset on. release,
// which may be nil, is called once it is decided, durably, what goes: until
// then the holds must stay as they are.
type HoldFunc func() (holds []Hold, release func(), err error)

// Hold keeps every record from Offset on, for Name.
type Hold struct {
	Name   string `json:"name"`
	Offset uint64 `json:"offset"`
}

// any reports whether anything is limited.
func (r *Retention) any() bool {
	return r.MaxBytes > 0 || r.MaxRecords > 0 || r.MaxSegments > 0 || r.MaxAge > 0
}

// check reports limits that are none.
func (r *Retention) check() error {
	if r.MaxBytes < 0 || r.MaxSegments < 0 || r.MaxAge < 0 {
		return fmt.Errorf("%w: retention of %d bytes, %d segments, %v", fs.ErrInvalid, r.MaxBytes, r.MaxSegments, r.MaxAge)
	}
	if r.MaxHeldBytes < 0 || r.MaxHeldAge < 0 {
		return fmt.Errorf("%w: holds count up to %d bytes, %v", fs.ErrInvalid, r.MaxHeldBytes, r.MaxHeldAge)
	}
	return nil
}

// TrimPolicy says what [Partition.ApplyTrim] drops: the segments that lie
// below Before, and those that Retention does not keep.
type TrimPolicy struct {
	// Before is the offset below which whole segments go. 0 drops nothing,
	// math.MaxUint64 everything.
	Before uint64
	// Retention says what is kept besides. Where its Hold is nil, that of
	// Options.Retention is asked, and where that is nil, the consumer groups.
	Retention
	// Force drops what is held, too, also where it cannot be found out what that
	// is.
	Force bool

	brief bool // why segments are kept is not asked
}

// holdAs takes the hold of the partition where p has none of its own: what
// somebody needs is not dropped by a hand that did not think of it.
func (p *TrimPolicy) holdAs(opts *Options) {
	if p.Hold == nil {
		p.Hold = opts.Retention.Hold
	}
}

// What becomes of a segment.
const (
	TrimDrop = "drop"
	TrimKeep = "keep"
)

// TrimPlan says what a trim drops, or has dropped, and why; and why it keeps
// the rest. Its JSON names are stable.
type TrimPlan struct {
	Done     bool          `json:"done"`      // it was done; else it only would be
	Start    uint64        `json:"start"`     // first offset that was kept before
	NewStart uint64        `json:"new_start"` // first offset that is kept then
	Next     uint64        `json:"next"`      // offset that the next append gets
	Segments []TrimSegment `json:"segments"`
	Held     []Hold        `json:"held,omitempty"` // those that keep segments from being dropped
	Lost     []Loss        `json:"lost,omitempty"` // those that needed what goes
	// HoldsUnknown says why it is not known who needs what, where Force drops
	// it all the same.
	HoldsUnknown string `json:"holds_unknown,omitempty"`
}

// Loss says that Records records from Offset on go that Name still needed.
type Loss struct {
	Name    string `json:"name"`
	Offset  uint64 `json:"offset"`
	Records uint64 `json:"records"`
}

// TrimSegment is one segment in a [TrimPlan].
type TrimSegment struct {
	Base       uint64    `json:"base"`
	Records    uint64    `json:"records"`
	Bytes      int64     `json:"bytes"`
	LastAppend time.Time `json:"last_append,omitzero"`
	Active     bool      `json:"active,omitempty"` // it is the one that is appended to
	Away       bool      `json:"away,omitempty"`   // its records file is not there
	Action     string    `json:"action"`           // TrimDrop or TrimKeep
	Reason     string    `json:"reason"`
}

// Dropped adds up what goes.
func (p *TrimPlan) Dropped() (segments int, records uint64, bytes int64) {
	for i := range p.Segments {
		if s := &p.Segments[i]; s.Action == TrimDrop {
			segments++
			records += s.Records
			bytes += s.Bytes
		}
	}
	return segments, records, bytes
}

// dropped is how many segments go.
func (p *TrimPlan) dropped() (n int) {
	for n < len(p.Segments) && p.Segments[n].Action == TrimDrop {
		n++
	}
	return n
}

// seals reports whether the active segment goes, which has to be sealed first.
func (p *TrimPlan) seals() bool {
	n := len(p.Segments)
	return n > 0 && p.Segments[n-1].Active && p.Segments[n-1].Action == TrimDrop
}

// trimSeg is what a decision is made from: one segment.
type trimSeg struct {
	pair      segment.Pair
	base      uint64
	from, end uint64 // of its offsets that are kept, half-open; end is the base of the next segment, or where the log ends
	bytes     int64
	last      time.Time // zero where it is not known
	whole     uint64    // records that it holds where its index is that of all of them, else 0
	active    bool
	away      bool
	looked    bool // at the files, for this decision
}

// trimLog is a log as a decision sees it.
type trimLog struct {
	start, next uint64
	segs        []trimSeg // in order; the last is the active one
}

// segmentsFrom makes the segments of pairs, the last of which is active and
// ends at next. Each of the others ends where the next one begins, as far as
// the names tell.
func segmentsFrom(start, next uint64, pairs []segment.Pair) trimLog {
	pairs = segment.Kept(pairs, start)
	log := trimLog{start: start, next: next}
	for i, pair := range pairs {
		s := trimSeg{pair: pair, base: pair.Base, from: max(pair.Base, start), end: next, active: i == len(pairs)-1}
		if !s.active {
			s.end = pairs[i+1].Base
		}
		log.segs = append(log.segs, s)
	}
	return log
}
