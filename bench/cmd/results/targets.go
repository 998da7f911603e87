package main

import (
	"fmt"
	"runtime"
)

// target is what jlq must reach in one workload.
type target struct {
	work  string
	of    key
	to    []key // what it is divided by, their sum; none for a figure as it is
	than  string
	limit float64
	floor string // the contestant below which no log can get
	atMin bool   // the limit is the least, not the greatest
}

// few allocations are those of a whole run, divided by its records.
const few = 0.001

var targets = []target{
	above("AppendBatch/write", ratio("append in batches of 100, frame check", "AppendBatch/jlq-frame", "AppendBatch/naive", 0.8)),
	above("AppendBatch/write", ratio("the same, strict JSON check", "AppendBatch/jlq-strict", "AppendBatch/naive", 1.75)),
	above("AppendLarge/write", ratio("append in batches of 10,000, strict, against checking them on one processor", "AppendLarge/jlq-strict", "AppendLarge/check", 1.25)),
	above("Stream/copy", ratio("stream, strict, against checking it on one processor", "Stream/jlq-strict", "Stream/check", 1.25)),
	above("AppendOne/write", ratio("append one, SyncOS", "AppendOne/jlq-frame", "AppendOne/wlog", 1.1)),
	ratio("append one, SyncOS", "AppendOne/jlq-frame", "AppendOne/write", 1.15),
	atLeast(ratio("SyncAlways, 64 goroutines against one", "SyncOne/jlq", "SyncMany/jlq", 20)),
	above("Scan/read", absolute("scan", "Scan/jlq", perRecord, 30)),
	above("Scan/read", ratio("scan", "Scan/jlq", "Scan/naive", 0.2)),
	absolute("scan", "Scan/jlq", "allocs/rec", few),
	ratio("three readers at once, the time for each record against one", "ScanThree/jlq", "ScanThree/jlq-alone", 1.25/float64(min(3, runtime.NumCPU()))),
	above("Random/n=10000/mapped", absolute("random read among 10,000", "Random/n=10000/jlq", perRecord, 60)),
	above("Random/n=1000000/mapped-serial", ratio("random read among 1,000,000", "Random/n=1000000/jlq", "Random/n=1000000/mapped", 2.5)),
	absolute("random read among 1,000,000", "Random/n=1000000/jlq", "allocs/rec", few),
	ratio("open after kill, 1,000,000 against 100,000", "OpenAfterKill/n=1000000/jlq", "OpenAfterKill/n=100000/jlq", 2),
	ratio("open after kill, 10,000,000 against 100,000", "OpenAfterKill/n=10000000/jlq", "OpenAfterKill/n=100000/jlq", 2),
	ratio("open a log of 10,000 segments to read", "OpenSegments/jlq-read", "OpenSegments/list", 2),
	ratio("open a log of 10,000 segments to write", "OpenSegments/jlq-write", "OpenSegments/list", 2),
	above("Index/read", ratio("index a file of 236 MB", "Index/jlq", "Index/wc", 2)),
	above("Verify/read", ratio("verify, against reading and checking on one processor", "Verify/jlq", "Verify/check", 1)),
	above("Verify/read", ratio("verify with one processor", "Verify/jlq-one", "Verify/check", 1.25)),
	above("Verify/read", atLeast(absolute("verify", "Verify/jlq", bytesRate, 0.8))),
	absolute("verify", "Verify/jlq", "allocs/rec", few),
	above("Filter/level/read", ratio("filter .level == \"error\"", "Filter/level/jlq", "Filter/level/naive", 0.05)),
	above("Filter/amount/read", ratio("filter .amount > 990", "Filter/amount/jlq", "Filter/amount/naive", 0.1)),
	above("Filter/level/read", ratio("filter .level == \"error\"", "Filter/level/jlq", "Filter/level/duckdb", 0.4)),
	above("Filter/amount/read", ratio("filter .amount > 990", "Filter/amount/jlq", "Filter/amount/duckdb", 0.9)),
	ratio("grep for a rare text", "Grep/rare/jlq", "Grep/rare/rg", 2),
	ratio("grep for a frequent text", "Grep/frequent/jlq", "Grep/frequent/rg", 2),
	ratio("grep in any case", "Grep/case/jlq", "Grep/case/rg", 2),
	ratio("grep -c", "Grep/count/jlq", "Grep/count/rg", 2),
	ratio("grep -v", "Grep/invert/jlq", "Grep/invert/rg", 2),
	ratio("consume a million records through a group", "GroupConsume/jlq", "GroupConsume/scan", 2),
	ratio("random read after the file was cut", "RandomCut/jlq-cut", "RandomCut/jlq-whole", 1.25),
	sized("open, count, get, tail in process", "open"),
	sized("count", "count"), sized("tail -n 10", "tail"), sized("get", "get"), sized("count from a time on", "since"),
	above("Start/empty", ratio("jlq get, its start included, against an empty program", "Start/jlq", "Start/empty", 5)),
	ratio("original: write, SyncOS", "OriginalWrite/jlq-os", "OriginalWrite/write", 1.15),
	absolute("original: write, SyncBuffered", "OriginalWrite/jlq-buffered", perRun, 2),
	absolute("original: read", "OriginalRead/jlq", perRun, 0.2),
	absolute("original: read × 3", "OriginalRead3/jlq", perRun, 0.5),
	{
		work: "original: write, then read", than: "the sum of the two", limit: 1.05,
		of: key{"OriginalSeries/jlq-os", perRun}, to: []key{{"OriginalWrite/jlq-os", perRun}, {"OriginalRead/jlq", perRun}},
	},
	absolute("original: write while reading", "OriginalParallel/jlq-os", perRun, 25),
}

func ratio(work, of, to string, limit float64) target {
	return target{work: work, of: key{of, perRecord}, to: []key{{to, perRecord}}, than: to, limit: limit}
}

func absolute(work, of, unit string, limit float64) target {
	return target{work: work, of: key{of, unit}, limit: limit}
}

// sized is a target of what may not depend on the size of the log.
func sized(work, command string) target {
	return ratio(work+", 10,000,000 records against 100,000", "Commands/n=10000000/"+command, "Commands/n=100000/"+command, 1.5)
}

// above names the floor of a target.
func above(floor string, t target) target {
	t.floor = floor
	return t
}

func atLeast(t target) target {
	t.atMin = true
	return t
}

// measured returns what is compared with the limit, for each round.
func (t target) measured(s *samples) series { return t.figure(s, t.of) }

// lowest returns what the floor has in the place of jlq.
func (t target) lowest(s *samples) series { return t.figure(s, key{t.floor, t.of.unit}) }

func (t target) figure(s *samples, of key) series {
	if len(t.to) == 0 {
		return s.of(of)
	}
	return s.ratio(of, t.to...)
}

// met reports whether the median reaches the limit.
func (t target) met(measured series) bool {
	if t.atMin {
		return measured.median() >= t.limit
	}
	return measured.median() <= t.limit
}

// goal is the target in words: "≤ 0.8 × AppendBatch/naive".
func (t target) goal() string {
	sign := "≤"
	if t.atMin {
		sign = "≥"
	}
	if t.than != "" {
		return fmt.Sprintf("%s %g × %s", sign, t.limit, t.than)
	}
	return fmt.Sprintf("%s %g %s", sign, t.limit, t.of.unit)
}
