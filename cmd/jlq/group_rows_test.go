package main

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/jlq/group"
)

func TestDurationText(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 1500 * time.Microsecond: "2ms", 61400 * time.Millisecond: "1m1s",
		time.Hour: "1h0m", 23*time.Hour + 59*time.Minute + 59*time.Second: "23h59m", 76 * time.Hour: "3d4h",
	} {
		require.Equal(t, want, durationText(d))
	}
}

func TestGroupTable(t *testing.T) {
	require.Equal(t, ""+
		"group    partition  committed  next  lag  oldest  member\n"+
		"billing          0          7     7    0       -       -\n"+
		"billing         11          2     5    3   1m30s     812  log truncated\n",
		groupTable([]groupRow{
			{Group: "billing", PartitionLag: group.PartitionLag{Committed: 7, Next: 7}},
			{Group: "billing", PartitionLag: group.PartitionLag{Partition: 11, Committed: 2, Next: 5, Lag: 3, Member: &group.MemberInfo{PID: 812}}, Age: 90, Problem: "log truncated"},
		}))
}

func TestBacklogOf(t *testing.T) {
	require.Equal(t, backlog{}, backlogOf(nil))
	require.Equal(t, backlog{lag: 5, age: time.Minute}, backlogOf([]groupRow{
		{PartitionLag: group.PartitionLag{Lag: 2}, Age: 60}, {PartitionLag: group.PartitionLag{Lag: 3}, Age: 1}, {},
	}))
}

func TestRowOf(t *testing.T) {
	now := time.Now()
	row := rowOf("g", group.PartitionLag{Oldest: now.Add(-time.Minute), Lag: 1}, now)
	require.Equal(t, 60.0, row.Age)
	require.Empty(t, row.Problem)
	for want, l := range map[string]group.PartitionLag{
		"no": {Err: errors.New("no"), Lost: 3}, "3 records dropped before they were consumed": {Lost: 3},
		"its consumer died with records in hand": {Held: true},
	} {
		require.Equal(t, want, rowOf("g", l, now).Problem)
	}
	require.Empty(t, rowOf("g", group.PartitionLag{Held: true, Member: &group.MemberInfo{PID: 1}}, now).Problem)
}
