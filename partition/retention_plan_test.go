package partition

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"example.com/jlq/internal/segment"
	"example.com/jlq/internal/vfs"
)

// planNow is when the decisions of these tests are made.
var planNow = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// tens is a log of segments of ten records and 100 bytes each; ages are how
// long ago the last append to each was, and the last one is active.
func tens(start uint64, ages ...time.Duration) trimLog {
	log := trimLog{start: start}
	for i, age := range ages {
		base := start + uint64(i)*10
		log.segs = append(log.segs, trimSeg{base: base, from: base, end: base + 10, bytes: 100, last: planNow.Add(-age), active: i == len(ages)-1})
		log.next = base + 10
	}
	return log
}

func decide(log trimLog, policy TrimPolicy, holds []Hold, seal bool) TrimPlan {
	d := decision{policy: &policy, log: log, holds: holds, now: planNow, seal: seal}
	return d.decide()
}

// shape shows what goes (x) and what stays (-).
func shape(p TrimPlan) string {
	var b strings.Builder
	for _, s := range p.Segments {
		b.WriteString(map[string]string{TrimDrop: "x", TrimKeep: "-"}[s.Action])
	}
	return b.String()
}

func TestDecide(t *testing.T) {
	const h = time.Hour
	same := tens(0, 4*h, 3*h, 2*h, 1*h)
	empty := tens(0, 4*h, 3*h, 2*h)
	empty.segs = append(empty.segs, trimSeg{base: 30, from: 30, end: 30, last: planNow, active: true})
	for _, c := range []struct {
		name   string
		log    trimLog
		policy TrimPolicy
		holds  []Hold
		want   string // sealing is allowed
		reason string // of the first that is kept, or of the last that goes
	}{
		{"nothing asked for", same, TrimPolicy{}, nil, "----", "stays, because no limit is set"},
		{"before a segment", same, TrimPolicy{Before: 20}, nil, "xx--", "reaches beyond offset 19"},
		{"before the middle of one", same, TrimPolicy{Before: 29}, nil, "xx--", "reaches beyond offset 28"},
		{"before the end", same, TrimPolicy{Before: 40}, nil, "xxxx", "lies below offset 40"},
		{"everything", same, TrimPolicy{Before: math.MaxUint64}, nil, "xxxx", "all records go"},
		{"everything, the last segment is empty", empty, TrimPolicy{Before: math.MaxUint64}, nil, "xxx-", "is empty, and the next record goes there"},
		{"records", same, TrimPolicy{Retention: Retention{MaxRecords: 20}}, nil, "xx--", "is needed for the last 20 records"},
		{"one record more", same, TrimPolicy{Retention: Retention{MaxRecords: 21}}, nil, "x---", "is needed for the last 21 records"},
		{"one record", same, TrimPolicy{Retention: Retention{MaxRecords: 1}}, nil, "xxx-", "is needed for the last 1 record"},
		{"more records than there are", same, TrimPolicy{Retention: Retention{MaxRecords: 1000}}, nil, "----", "is needed for the last 1000 records"},
		{"bytes", same, TrimPolicy{Retention: Retention{MaxBytes: 300}}, nil, "x---", "is needed for the last 300 bytes"},
		{"one byte more", same, TrimPolicy{Retention: Retention{MaxBytes: 301}}, nil, "----", "is needed for the last 301 bytes"},
		{"segments", same, TrimPolicy{Retention: Retention{MaxSegments: 3}}, nil, "x---", "is among the last 3 segments"},
		{"segments, the last is empty", empty, TrimPolicy{Retention: Retention{MaxSegments: 1}}, nil, "xx--", "is among the last 1 segment"},
		{"records, the last is empty", empty, TrimPolicy{Retention: Retention{MaxRecords: 1}}, nil, "xx--", "is needed for the last 1 record"},
		{"age", same, TrimPolicy{Retention: Retention{MaxAge: 150 * time.Minute}}, nil, "xx--", "was last appended to 2h0m0s ago"},
		{"age, to the moment", same, TrimPolicy{Retention: Retention{MaxAge: 3 * h}}, nil, "x---", "was last appended to 3h0m0s ago"},
		{"all too old", same, TrimPolicy{Retention: Retention{MaxAge: time.Minute}}, nil, "xxxx", "was last appended to 1h0m0s ago, more than 1m0s"},
		{"the strictest decides", same, TrimPolicy{Before: 10, Retention: Retention{MaxRecords: 20, MaxAge: 1000 * h}}, nil, "xx--", "reaches beyond offset 9, is needed for the last 20 records, was last appended to 2h0m0s ago"},
		{"one time in the future", tens(0, 4*h, -1000*h, 2*h, 0), TrimPolicy{Retention: Retention{MaxAge: h}}, nil, "xxx-", "was last appended to 0s ago"},
		{"it goes with the next one only", tens(0, 4*h, -1000*h, 0, 0), TrimPolicy{Retention: Retention{MaxAge: h}}, nil, "x---", "was last appended to in the future, which counts as the time of the next segment, 0s ago"},
		{"the last in the future", tens(0, 4*h, 3*h, -h), TrimPolicy{Retention: Retention{MaxAge: h}}, nil, "xx-", "was last appended to at an unknown time: no file has one that is not in the future"},
		{"all in the future", tens(0, -h, -h, -h), TrimPolicy{Retention: Retention{MaxAge: time.Nanosecond}}, nil, "---", "was last appended to at an unknown time: no file has one that is not in the future"},
		{"a young one before an old one", tens(0, 0, 5*h, 0), TrimPolicy{Retention: Retention{MaxAge: h}}, nil, "---", "was last appended to 0s ago"},
		{"held", same, TrimPolicy{Before: 30}, []Hold{{"slow", 12}, {"slower", 11}, {"fast", 40}}, "x---", "held by slower, which needs offset 11"},
		{"held for the last record", same, TrimPolicy{Before: 30}, []Hold{{"slow", 19}}, "x---", "held by slow, which needs offset 19"},
		{"held at a joint", same, TrimPolicy{Before: 30}, []Hold{{"slow", 10}}, "x---", "held by slow, which needs offset 10"},
		{"held beyond what goes", same, TrimPolicy{Before: 10}, []Hold{{"slow", 10}}, "x---", "reaches beyond offset 9"},
		{"held from the beginning", same, TrimPolicy{Before: math.MaxUint64}, []Hold{{"new", 0}}, "----", "held by new, which needs offset 0"},
		{"held and forced", same, TrimPolicy{Before: math.MaxUint64, Force: true}, []Hold{{"new", 0}}, "xxxx", "all records go"},
		{"nobody holds what all have read", same, TrimPolicy{Before: math.MaxUint64}, []Hold{{"done", 40}}, "xxxx", "all records go"},
	} {
		t.Run(c.name, func(t *testing.T) {
			plan := decide(c.log, c.policy, c.holds, true)
			require.Equal(t, c.want, shape(plan))
			at := strings.LastIndexByte(c.want, 'x')
			if kept := strings.IndexByte(c.want, '-'); kept >= 0 {
				at = kept
			}
			require.Equal(t, c.reason, plan.Segments[at].Reason)
			require.Equal(t, strings.HasSuffix(c.want, "x"), plan.seals())
			require.Equal(t, c.log.start+uint64(10*strings.Count(c.want, "x")), plan.NewStart)
			require.Equal(t, strings.Contains(c.reason, "held"), len(plan.Held) > 0)
			n, records, bytes := plan.Dropped()
			require.Equal(t, fmt.Sprint(strings.Count(c.want, "x"), " ", 10*n, " ", 100*n), fmt.Sprint(n, " ", records, " ", bytes))
		})
	}
}

// TestDecideKeepsActive: in the background nothing is sealed.
func TestDecideKeepsActive(t *testing.T) {
	plan := decide(tens(0, 3*time.Hour, 2*time.Hour), TrimPolicy{Before: math.MaxUint64}, nil, false)
	require.Equal(t, "x-", shape(plan))
	require.Equal(t, "is being appended to", plan.Segments[1].Reason)
	require.False(t, plan.seals())
}

// TestDecideAnything: whatever the log and the limits, what goes is a run from
// the front, what remains keeps what every limit wants kept, and one segment
// less would have been more than that.
func TestDecideAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		log := trimLog{start: rapid.Uint64Range(0, 50).Draw(t, "start")}
		log.next = log.start
		for n := rapid.IntRange(1, 8).Draw(t, "segments"); n > 0; n-- {
			s := trimSeg{base: log.next, from: log.next, active: n == 1, bytes: rapid.Int64Range(1, 50).Draw(t, "bytes")}
			s.end = s.base + rapid.Uint64Range(1, 9).Draw(t, "records")
			s.last = planNow.Add(-time.Duration(rapid.Int64Range(-50, 50).Draw(t, "age")))
			log.segs, log.next = append(log.segs, s), s.end
		}
		policy := TrimPolicy{
			Before: rapid.Uint64Range(0, log.next).Draw(t, "before"),
			Retention: Retention{
				MaxRecords: rapid.Uint64Range(0, 40).Draw(t, "max records"), MaxBytes: rapid.Int64Range(0, 200).Draw(t, "max bytes"),
				MaxSegments: rapid.IntRange(0, 9).Draw(t, "max segments"), MaxAge: time.Duration(rapid.Int64Range(0, 40).Draw(t, "max age")),
			},
		}
		holds := []Hold{{"h", rapid.Uint64Range(0, log.next).Draw(t, "hold")}}
		plan := decide(log, policy, holds, true)

		n, _, _ := plan.Dropped()
		require.Equal(t, strings.Repeat("x", n)+strings.Repeat("-", len(log.segs)-n), shape(plan))
		if n == 0 {
			require.Equal(t, log.start, plan.NewStart)
		} else {
			require.Equal(t, log.segs[n-1].end, plan.NewStart)
		}
		require.LessOrEqual(t, plan.NewStart, max(holds[0].Offset, log.start))
		bytes := int64(0)
		for _, s := range log.segs[n:] {
			bytes += s.bytes
		}
		if n < len(log.segs) && holds[0].Offset >= log.segs[n].end {
			// The next one is kept by every limit that there is.
			next := log.segs[n]
			require.False(t, policy.Before >= next.end)
			require.True(t, policy.MaxRecords == 0 || log.next-next.end < policy.MaxRecords)
			require.True(t, policy.MaxBytes == 0 || bytes-next.bytes < policy.MaxBytes)
			require.True(t, policy.MaxSegments == 0 || len(log.segs)-n-1 < policy.MaxSegments)
		}
		if n > 0 {
			last := log.segs[n-1]
			old := policy.MaxAge > 0 && anyOlder(log.segs[n-1:], policy.MaxAge)
			require.True(t, old || last.end <= policy.Before ||
				policy.MaxRecords > 0 && log.next-plan.NewStart >= policy.MaxRecords ||
				policy.MaxBytes > 0 && bytes >= policy.MaxBytes ||
				policy.MaxSegments > 0 && len(log.segs)-n >= policy.MaxSegments)
		}
	})
}

func anyOlder(segs []trimSeg, age time.Duration) bool {
	for _, s := range segs {
		if !s.last.After(planNow) {
			return planNow.Sub(s.last) > age
		}
	}
	return false
}

// TestSegmentsFrom reads names: what lies below start has gone, what is missing
// in front is away.
func TestSegmentsFrom(t *testing.T) {
	pairs := func(bases ...uint64) (out []segment.Pair) {
		for _, base := range bases {
			out = append(out, segment.PairAt("p", base))
		}
		return out
	}
	show := func(log trimLog) string {
		var b strings.Builder
		for _, s := range log.segs {
			fmt.Fprintf(&b, "%d:%d-%d", s.base, s.from, s.end)
			if s.away {
				b.WriteString(" away")
			}
			if s.active {
				b.WriteString(" active")
			}
			b.WriteString("; ")
		}
		return b.String()
	}
	require.Equal(t, "0:0-10; 10:10-20 active; ", show(segmentsFrom(0, 20, pairs(0, 10)).withAway(nil)))
	require.Equal(t, "10:10-20; 20:20-20 active; ", show(segmentsFrom(10, 20, pairs(0, 10, 20)).withAway(nil)))
	require.Equal(t, "0:0-10 away; 10:10-20 active; ", show(segmentsFrom(0, 20, pairs(10)).withAway(nil)))
	require.Equal(t, "0:5-10; 10:10-20 active; ", show(segmentsFrom(5, 20, pairs(0, 10)).withAway(nil)))
	require.Equal(t, "", show(segmentsFrom(0, 0, nil).withAway(nil)))
}

// TestFilesBelow: only what ends at start or before it is below, and of a log
// whose first segment is not there nothing is.
func TestFilesBelow(t *testing.T) {
	const a, b, c = "00000000000000000000", "00000000000000000010", "00000000000000000020"
	show := func(start uint64, names ...string) (bases []uint64) {
		mem := vfs.NewMem()
		require.NoError(t, mem.Mkdir("p", 0o700))
		for _, name := range names {
			require.NoError(t, vfs.ReplaceFile(mem, "p/"+name, nil, 0o600))
		}
		found, err := segment.Place{Path: "p"}.Files(mem)
		require.NoError(t, err)
		for _, f := range segment.FilesBelow(found, start) {
			bases = append(bases, f.Base)
		}
		return bases
	}
	require.Nil(t, show(0, a+".index", a+".jsonl", b+".index", b+".jsonl"))
	require.Equal(t, []uint64{0}, show(10, a+".index", a+".jsonl", b+".index", b+".jsonl"))
	require.Equal(t, []uint64{0, 10}, show(20, a+".index", b+".jsonl", c+".index", c+".jsonl", c+".torn-5"))
	require.Nil(t, show(10, a+".index", a+".jsonl", c+".jsonl"), "the segment that holds start is away")
	require.Nil(t, show(5, a+".index", a+".jsonl", b+".jsonl"), "start lies within the segment")
	require.Equal(t, []uint64{0}, show(15, a+".index", a+".torn-0", b+".jsonl", "x.jsonl"))
}
