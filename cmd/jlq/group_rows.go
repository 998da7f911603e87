package main

import (
	"strconv"
	"time"

	"example.com/jlq/group"
)

// groupRow is where one group stands on one partition; its JSON names are
// those of --json.
type groupRow struct {
	Group string `json:"group"`
	group.PartitionLag
	Age     float64 `json:"age_seconds"` // of the oldest record that is not consumed
	Problem string  `json:"problem,omitempty"`
}

func rowOf(name string, l group.PartitionLag, now time.Time) groupRow {
	row := groupRow{Group: name, PartitionLag: l, Age: l.Age(now).Seconds()}
	switch {
	case l.Err != nil:
		row.Problem = l.Err.Error()
	case l.Lost > 0:
		row.Problem = recordsText(l.Lost) + " dropped before they were consumed"
	case l.Member == nil && l.Held:
		row.Problem = "its consumer died with records in hand"
	}
	return row
}

func (r *groupRow) age() time.Duration { return time.Duration(r.Age * float64(time.Second)) }

// pid is the process that consumes it, or 0.
func (r *groupRow) pid() int {
	if r.Member == nil {
		return 0
	}
	return r.Member.PID
}

// groupTable is rows for people.
func groupTable(rows []groupRow) string {
	t := table{right: []bool{false, true, true, true, true, true, true, false}}
	t.add("group", "partition", "committed", "next", "lag", "oldest", "member", "")
	for _, r := range rows {
		t.add(r.cells()...)
	}
	return t.text("")
}

func (r *groupRow) cells() []string {
	age, pid := "-", "-"
	if r.Lag > 0 {
		age = durationText(r.age())
	}
	if r.pid() > 0 {
		pid = strconv.Itoa(r.pid())
	}
	return []string{
		r.Group, strconv.Itoa(r.Partition), uintText(r.Committed), uintText(r.Next), uintText(r.Lag), age, pid, r.Problem,
	}
}

// durationText says a length of time in its two largest units: 3d4h, 5m12s.
func durationText(d time.Duration) string {
	switch {
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	case d < time.Hour:
		return d.Round(time.Second).String()
	}
	minutes := int64(d / time.Minute)
	if d < 24*time.Hour {
		return strconv.FormatInt(minutes/60, 10) + "h" + strconv.FormatInt(minutes%60, 10) + "m"
	}
	return strconv.FormatInt(minutes/60/24, 10) + "d" + strconv.FormatInt(minutes/60%24, 10) + "h"
}

// printRows prints a table, or one JSON object a line.
func printRows[R any](out *output, asJSON bool, rows []R, table func([]R) string) error {
	if !asJSON {
		if len(rows) == 0 {
			return nil
		}
		if err := out.WriteText(table(rows)); err != nil {
			return err
		}
		return out.Flush()
	}
	for i := range rows {
		if err := out.WriteJSON(&rows[i]); err != nil {
			return err
		}
	}
	return out.Flush()
}

// backlogOf sums up rows: all that is not consumed, and the age of the oldest.
func backlogOf(rows []groupRow) (b backlog) {
	for _, r := range rows {
		b.lag += r.Lag
		b.age = max(b.age, r.age())
	}
	return b
}
