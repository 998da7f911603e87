package main

// workload is a benchmark function, run as a whole.
type workload struct {
	bench string
	peers bool // the peers have it too
	parts []part
}

// part is a table of the page.
type part struct {
	prefix string // of the contestants' names: "Random/n=10000"
	title  string
	text   string
	unit   string
	bases  []string // contestants that the others are compared with
	beside bool     // creating and closing the log are reported
	terms  map[string]terms
}

// terms say what is and is not the same about a contestant.
type terms struct {
	durable string // what an acknowledged record survives
	visible string // to whom, when the call returns
	note    string
	unfair  bool // not to be compared with jlq without reading the note
}

const (
	perRecord = "ns/rec"
	perRun    = "ms/run"
)

var workloads = []workload{
	{"AppendBatch", true, []part{{
		prefix: "AppendBatch", unit: perRecord, bases: []string{"naive", "write"}, beside: true, terms: appendTerms,
		title: "Append in batches of 100, no fsync",
		text:  "100,000 JSON records of 255 bytes in the mean (155 to 355), 25.6 MB, by one goroutine.",
	}}},
	{"AppendLong", false, []part{{
		prefix: "AppendLong", unit: perRecord, bases: []string{"naive", "write"}, beside: true, terms: appendTerms,
		title: "The same with a million records",
		text:  "256 MB: here jlq pays for its background syncs (one each 64 MiB), which the others do not do.",
	}}},
	{"AppendOne", true, []part{{
		prefix: "AppendOne", unit: perRecord, bases: []string{"wlog", "write"}, beside: true, terms: appendTerms,
		title: "Append one by one, no fsync",
		text:  "50,000 JSON records, each of which is visible in the process when its call returns, except where buffered.",
	}}},
	{"SyncOne", true, []part{{
		prefix: "SyncOne", unit: perRecord, bases: []string{"fdatasync"}, beside: true, terms: syncTerms,
		title: "Append with fsync, one goroutine",
		text:  "500 JSON records, each synced before its call returns.",
	}}},
	{"SyncMany", true, []part{{
		prefix: "SyncMany", unit: perRecord, bases: []string{"raft-wal"}, beside: true, terms: syncManyTerms,
		title: "Append with fsync, 64 goroutines",
		text:  "6,400 JSON records, each synced before its call returns. The time is that of all divided by their number.",
	}}},
	{"Scan", true, []part{{
		prefix: "Scan", unit: perRecord, bases: []string{"naive", "read"}, terms: scanTerms,
		title: "Scan",
		text:  "A million JSON records in the page cache, 256 MB, read in order; the loop adds the length and the last byte of each.",
	}}},
	{"Random", true, []part{{
		prefix: "Random/n=10000", unit: perRecord, bases: []string{"mapped"}, terms: randomTerms,
		title: "Random read among 10,000 records",
		text:  "250,000 reads into one buffer of the caller's, all warm.",
	}, {
		prefix: "Random/n=1000000", unit: perRecord, bases: []string{"mapped"}, terms: randomTerms,
		title: "Random read among 1,000,000 records",
		text:  "The same among 256 MB, each record read once at most: what the memory does counts here.",
	}}},
	{"Index", false, []part{{
		prefix: "Index", unit: perRun, bases: []string{"wc", "read"}, terms: indexTerms,
		title: "Index a file of 236 MB",
		text:  "921,875 lines in the page cache.",
	}}},
	{"OpenAfterKill", false, []part{{
		prefix: "OpenAfterKill", unit: perRun, bases: []string{"n=100000/jlq"}, terms: killTerms,
		title: "Open after a kill",
		text:  "A process appends to a log of n records under SyncOS and kills itself; the next one opens it to write.",
	}}},
	{"OriginalWrite", false, []part{{
		prefix: "OriginalWrite", unit: perRun, bases: []string{"write", "naive"}, beside: true, terms: appendTerms,
		title: "The original's workloads: write",
		text:  "10,000 single appends of 11 bytes without fsync. The time is that of the appends; creating and closing stand beside it, and jlq syncs in both.",
	}}},
	{"OriginalRead", false, []part{{
		prefix: "OriginalRead", unit: perRun, bases: []string{"naive"}, terms: scanTerms,
		title: "The original's workloads: read",
		text:  "The same 10,000 records, from an open log.",
	}}},
	{"OriginalRead3", false, []part{{
		prefix: "OriginalRead3", unit: perRun, bases: []string{"naive"}, terms: scanTerms,
		title: "The original's workloads: three readers at once",
		text:  "Each of three goroutines reads all of it.",
	}}},
	{"OriginalSeries", false, []part{{
		prefix: "OriginalSeries", unit: perRun, bases: []string{"naive"}, beside: true, terms: appendTerms,
		title: "The original's workloads: write, then read",
	}}},
	{"OriginalParallel", false, []part{{
		prefix: "OriginalParallel", unit: perRun, bases: []string{"naive"}, beside: true, terms: appendTerms,
		title: "The original's workloads: write while reading",
		text:  "One goroutine follows the log while another appends; the time ends when the reader has the last record.",
	}}},
}
