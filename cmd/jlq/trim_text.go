package main

import (
	"fmt"
	"time"

	"example.com/jlq/partition"
)

// show prints the plan on stdout.
func (c *trimCommand) show(path string, plan *partition.TrimPlan) error {
	if c.json {
		segments, records, bytes := plan.Dropped()
		return c.out.WriteJSON(trimOutput{path, segments, records, bytes, plan})
	}
	if err := c.out.WriteText(trimTable(plan)); err != nil {
		return err
	}
	return c.out.Flush()
}

// trimOutput is the JSON of a plan.
type trimOutput struct {
	Log      string `json:"log"`
	Segments int    `json:"dropped_segments"`
	Records  uint64 `json:"dropped_records"`
	Bytes    int64  `json:"dropped_bytes"`
	*partition.TrimPlan
}

// Of a run of segments with the same fate, so many are shown at each end.
const trimShown = 10

// trimTable is the plan for people.
func trimTable(plan *partition.TrimPlan) string {
	t := table{right: make([]bool, 6)}
	t.add("segment", "records", "bytes", "last append", "action", "reason")
	segs := plan.Segments
	for i := 0; i < len(segs); i++ {
		s := &segs[i]
		t.add(uintText(s.Base), uintText(s.Records), trimBytes(s), trimTime(s), s.Action, s.Reason)
		if run := sameAction(segs[i:]); i >= trimShown && run > 2*trimShown && alike(segs[i-trimShown:i+1]) {
			skipped := run - trimShown
			t.add("…", "", "", "", s.Action, fmt.Sprintf("%d more segments, all of them with --json", skipped))
			i += skipped
		}
	}
	return t.text("")
}

// sameAction is how many segments behind the first share its fate.
func sameAction(segs []partition.TrimSegment) (n int) {
	for n+1 < len(segs) && segs[n+1].Action == segs[0].Action {
		n++
	}
	return n
}

func alike(segs []partition.TrimSegment) bool { return sameAction(segs) == len(segs)-1 }

func trimBytes(s *partition.TrimSegment) string {
	if s.Away {
		return "away"
	}
	return bytesText(s.Bytes)
}

func trimTime(s *partition.TrimSegment) string {
	if s.LastAppend.IsZero() {
		return "-"
	}
	return s.LastAppend.Local().Format(time.RFC3339)
}

// losses says on stderr who still needed what goes.
func (c *trimCommand) losses(path string, plan *partition.TrimPlan) {
	loses := "would lose"
	if plan.Done {
		loses = "has lost"
	}
	for _, l := range plan.Lost {
		c.report("%s: %s %s %s from offset %d on", path, l.Name, loses, recordsText(l.Records), l.Offset)
	}
	if plan.HoldsUnknown != "" {
		c.report("%s: it is not known who %s records: %s", path, loses, plan.HoldsUnknown)
	}
}

// verdict says on stderr what it comes to.
func (c *trimCommand) verdict(path string, plan *partition.TrimPlan) {
	for _, h := range plan.Held {
		c.report("%s: held by %s, which needs offset %d; --force drops it all the same", path, h.Name, h.Offset)
	}
	c.losses(path, plan)
	n, records, bytes := plan.Dropped()
	what := fmt.Sprintf("%s, %s (%s)", countText(uint64(n), "segment"), recordsText(records), bytesText(bytes))
	switch {
	case n == 0 && len(plan.Segments) == 0:
		c.report("%s: nothing to drop: there are no segments", path)
	case n == 0:
		c.report("%s: nothing to drop: segment %d %s", path, plan.Segments[0].Base, plan.Segments[0].Reason)
	case plan.Done:
		c.report("%s: dropped %s; the log begins with offset %d now", path, what, plan.NewStart)
	default:
		c.report("%s: would drop %s, so that the log begins with offset %d; nothing was changed yet: --execute does it", path, what, plan.NewStart)
	}
}
