package reader

import (
	"context"
	"sort"
	"time"
)

// Order is what looking at all records found out about the order of their times.
// A record is late where one before it has a later time.
type Order struct {
	Records     uint64
	Timeless    uint64        // records without a time
	First, Last time.Time     // the earliest and the latest time
	Late        uint64        // how many are late
	MostRecords uint64        // the most places that one lies behind the first that has a later time
	MostTime    time.Duration // the most that one is earlier than one before it
	Places      []LateRecord  // the first that are late
}

// LateRecord is a record that is late.
type LateRecord struct {
	Offset uint64
	Time   time.Time
	Latest time.Time // the latest time before it
	Behind uint64    // how many places it lies behind the first that has a later time
}

const (
	// lateShown is how many late records are told one by one.
	lateShown = 10

	// maxPeaks bounds what is remembered of the times so far: 1.5 MiB. Where
	// there are more, every other of the older ones is forgotten, and how late
	// a record is that lies among those is told as somewhat more than it is.
	maxPeaks = 64 << 10
)

// CheckOrder reads the log and says how far the times of its records ascend, which
// is what [Log.OffsetAt] and [Log.Between] rely on. The time is that of the named
// field, as there. progress, which may be nil, is told how many records of how many
// were read.
func (l *Log) CheckOrder(ctx context.Context, field string, progress func(done, total uint64)) (Order, error) {
	var o orderChecker
	start, next, err := l.Bounds(ctx)
	if err != nil {
		return o.Order, err
	}
	s := &timeSearch{log: l, ctx: ctx, field: field, start: start, next: next}
	for rec, err := range l.Range(start, next) {
		if err == nil && rec.Offset%blockPosts == 0 {
			if err = context.Cause(ctx); progress != nil {
				progress(rec.Offset-start, next-start)
			}
		}
		if err != nil {
			return o.Order, err
		}
		o.Records++
		if t, ok := s.stampOf(rec); ok {
			o.take(stamp{rec.Offset, t})
		} else {
			o.Timeless++
		}
	}
	if o.Records > 0 && o.Timeless == o.Records {
		return o.Order, l.noTime(field)
	}
	return o.Order, nil
}

type orderChecker struct {
	Order
	peaks []stamp // records whose times are later than all before, in order
}

func (o *orderChecker) take(st stamp) {
	if o.First.IsZero() || st.time.Before(o.First) {
		o.First = st.time
	}
	if len(o.peaks) == 0 || st.time.After(o.Last) {
		o.Last = st.time
		o.peaks = append(o.peaks, st)
		if len(o.peaks) > maxPeaks {
			o.thin()
		}
		return
	}
	if st.time.Equal(o.Last) {
		return
	}
	o.Late++
	late := LateRecord{Offset: st.offset, Time: st.time, Latest: o.Last, Behind: o.behind(st)}
	o.MostRecords = max(o.MostRecords, late.Behind)
	o.MostTime = max(o.MostTime, o.Last.Sub(st.time))
	if len(o.Places) < lateShown {
		o.Places = append(o.Places, late)
	}
}

// behind is how far st lies behind the first record that has a later time.
func (o *orderChecker) behind(st stamp) uint64 {
	i := sort.Search(len(o.peaks), func(i int) bool { return o.peaks[i].time.After(st.time) })
	return st.offset - o.peaks[i].offset
}

// thin forgets every other of the older half of the peaks. What is forgotten
// counts as lying where the one before it does.
func (o *orderChecker) thin() {
	half := len(o.peaks) / 2
	kept := o.peaks[:0]
	for i := 0; i+1 < half; i += 2 {
		kept = append(kept, stamp{o.peaks[i].offset, o.peaks[i+1].time})
	}
	o.peaks = append(kept, o.peaks[half&^1:]...)
}
