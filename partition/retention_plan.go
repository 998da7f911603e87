package partition

import (
	"fmt"
	"math"
	"strings"
	"time"

	"example.com/jlq/internal/segment"
)

// decision finds out what a policy drops of a log. It looks at numbers only.
type decision struct {
	policy *TrimPolicy
	log    trimLog
	holds  []Hold
	now    time.Time
	seal   bool        // the active segment may go as well
	times  []time.Time // of the last appends, without those in the future
	behind []remains   // what lies behind each segment
}

// remains is what a log would still hold.
type remains struct {
	records  uint64
	bytes    int64
	segments int
}

// decide makes the plan. Segments go from the front, up to the first that no
// limit drops, or that somebody holds.
func (d *decision) decide() TrimPlan {
	d.saneTimes()
	d.count()
	plan := TrimPlan{Start: d.log.start, NewStart: d.log.start, Next: d.log.next, Segments: make([]TrimSegment, len(d.log.segs))}
	front := true // all before it go
	for i := range d.log.segs {
		seg, out := &d.log.segs[i], &plan.Segments[i]
		*out = seg.described()
		why, held := d.judge(i, front, out)
		if out.Reason = why; out.Action == TrimDrop {
			plan.NewStart = seg.end
			continue
		}
		if front && held {
			plan.Held = d.holding(seg)
		}
		front = false
	}
	plan.Lost = d.lost(&plan)
	return plan
}

// lost are those who needed what goes, which takes force or the end of patience.
func (d *decision) lost(plan *TrimPlan) (lost []Loss) {
	for _, h := range d.holds {
		if from := max(h.Offset, plan.Start); from < plan.NewStart {
			lost = append(lost, Loss{Name: h.Name, Offset: from, Records: plan.NewStart - from})
		}
	}
	return lost
}

// overheld says why segment i goes although it is held, if it does.
func (d *decision) overheld(i int) (why string, drop bool) {
	switch p := d.policy; {
	case p.MaxHeldBytes > 0 && d.behind[i].bytes >= p.MaxHeldBytes:
		return kept(bytesText(p.MaxHeldBytes)), true
	case p.MaxHeldAge > 0 && d.older(i, p.MaxHeldAge):
		return fmt.Sprintf("was last appended to %s, more than %v", d.ago(i), p.MaxHeldAge), true
	}
	return "", false
}

func (s *trimSeg) described() TrimSegment {
	return TrimSegment{
		Base: s.base, Records: s.end - s.from, Bytes: s.bytes, LastAppend: s.last,
		Active: s.active, Away: s.away, Action: TrimKeep,
	}
}

// judge decides about segment i and says why; front says that all before it go.
// held is true where nothing but a hold keeps it.
func (d *decision) judge(i int, front bool, out *TrimSegment) (why string, held bool) {
	seg := &d.log.segs[i]
	limit, drops := d.drops(i)
	holder := d.holder(seg)
	if patience, over := d.overheld(i); holder != nil && over {
		limit = fmt.Sprintf("is held by %s, which needs offset %d, but %s", holder.Name, holder.Offset, patience)
		holder = nil
	}
	switch {
	case seg.from == seg.end:
		return "is empty, and the next record goes there", false
	case seg.tangled():
		return "tells of more records than fit before the next segment; jlq verify says more", false
	case !drops:
		return d.keeps(i), false
	case holder != nil:
		return fmt.Sprintf("held by %s, which needs offset %d", holder.Name, holder.Offset), true
	case seg.active && !d.seal:
		return "is being appended to", false
	case !front:
		return "lies behind a segment that is kept", false
	}
	out.Action = TrimDrop
	if seg.away {
		limit += "; its files are away"
	}
	return limit, false
}

// count sums up what lies behind each segment. An empty active segment is
// none: it would make the last of the others go right after a roll.
func (d *decision) count() {
	segs := d.log.segs
	d.behind = make([]remains, len(segs))
	var r remains
	for i := len(segs) - 1; i >= 0; i-- {
		d.behind[i] = r
		r.records += segs[i].end - segs[i].from
		r.bytes += segs[i].bytes
		if segs[i].end > segs[i].from {
			r.segments++
		}
	}
}

// saneTimes leaves out times in the future, and unknown ones: in their place
// stands that of the next segment that has a sane one, before which the last
// append must have been.
func (d *decision) saneTimes() {
	segs := d.log.segs
	d.times = make([]time.Time, len(segs))
	var next time.Time
	for i := len(segs) - 1; i >= 0; i-- {
		if last := segs[i].last; !last.IsZero() && !last.After(d.now) {
			next = last
		}
		d.times[i] = next
	}
}

// drops says by which limit segment i goes, if by any.
func (d *decision) drops(i int) (why string, drop bool) {
	p, seg, behind := d.policy, &d.log.segs[i], d.behind[i]
	switch {
	case p.Before == math.MaxUint64:
		return "all records go", true
	case p.Before > 0 && seg.end <= p.Before:
		return fmt.Sprintf("lies below offset %d", p.Before), true
	case p.MaxRecords > 0 && behind.records >= p.MaxRecords:
		return kept(segment.Plural(p.MaxRecords, "record")), true
	case p.MaxBytes > 0 && behind.bytes >= p.MaxBytes:
		return kept(bytesText(p.MaxBytes)), true
	case p.MaxSegments > 0 && behind.segments >= p.MaxSegments:
		return kept(segment.Plural(uint64(p.MaxSegments), "segment")), true
	case p.MaxAge > 0 && d.old(i):
		return fmt.Sprintf("was last appended to %s, more than %v", d.ago(i), p.MaxAge), true
	}
	return "", false
}

// old reports whether segment i goes by its age. That of one that is away is
// not known, whatever lies around it.
func (d *decision) old(i int) bool { return d.older(i, d.policy.MaxAge) }

func (d *decision) older(i int, age time.Duration) bool {
	return !d.log.segs[i].away && !d.times[i].IsZero() && d.now.Sub(d.times[i]) > age
}

// ago says when the last append was, and from where that is known.
func (d *decision) ago(i int) string {
	switch last := d.log.segs[i].last; {
	case d.times[i].IsZero():
		return "at an unknown time: no file has one that is not in the future"
	case d.times[i].Equal(last):
		return fmt.Sprintf("%v ago", d.now.Sub(last).Round(time.Second))
	}
	return fmt.Sprintf("in the future, which counts as the time of the next segment, %v ago", d.now.Sub(d.times[i]).Round(time.Second))
}

// keeps says why no limit makes segment i go.
func (d *decision) keeps(i int) string {
	p := d.policy
	if p.brief {
		return ""
	}
	var why []string
	if p.Before > 0 {
		why = append(why, fmt.Sprintf("reaches beyond offset %d", p.Before-1))
	}
	if p.MaxRecords > 0 {
		why = append(why, "is needed for the last "+segment.Plural(p.MaxRecords, "record"))
	}
	if p.MaxBytes > 0 {
		why = append(why, "is needed for the last "+bytesText(p.MaxBytes))
	}
	if p.MaxSegments > 0 {
		why = append(why, "is among the last "+segment.Plural(uint64(p.MaxSegments), "segment"))
	}
	switch {
	case p.MaxAge == 0:
	case d.log.segs[i].away:
		why = append(why, "is away, so nobody knows when it was last appended to")
	default:
		why = append(why, "was last appended to "+d.ago(i))
	}
	if len(why) == 0 {
		return "stays, because no limit is set"
	}
	return strings.Join(why, ", ")
}

// holder is who needs a record of the segment, or one before it: of several,
// who needs the earliest.
func (d *decision) holder(seg *trimSeg) *Hold {
	if d.policy.Force {
		return nil
	}
	var first *Hold
	for i := range d.holds {
		if h := &d.holds[i]; h.Offset < seg.end && (first == nil || h.Offset < first.Offset) {
			first = h
		}
	}
	return first
}

// holding are those who need a record of the segment, or one before it.
func (d *decision) holding(seg *trimSeg) []Hold {
	var holding []Hold
	for _, h := range d.holds {
		if h.Offset < seg.end {
			holding = append(holding, h)
		}
	}
	return holding
}

// kept says what is left without a segment.
func kept(what string) string { return what + " or more are behind it" }
