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
	also   []string // units that have a column of their own
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
	bytesRate = "GB/s"
	memory    = "MiB"
	half      = "p50-µs" // half of the records took no longer
	nearlyAll = "p99-µs"
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
	{"AppendLarge", false, []part{{
		prefix: "AppendLarge", unit: perRecord, bases: []string{"check", "write"}, beside: true, terms: appendTerms,
		title: "Append in batches of 10,000, no fsync",
		text:  "The same 100,000 records; batches of 2.56 MB are checked on as many processors as there are.",
	}}},
	{"Stream", false, []part{{
		prefix: "Stream", unit: perRecord, also: []string{bytesRate}, bases: []string{"check", "copy"}, beside: true, terms: streamTerms,
		title: "Append the lines of a file",
		text:  "The same 100,000 records, 25.6 MB, read from a file in the page cache through io.ReaderFrom.",
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
	{"SyncEight", true, []part{{
		prefix: "SyncEight", unit: perRecord, bases: []string{"raft-wal"}, beside: true, terms: syncManyTerms,
		title: "Append with fsync, 8 goroutines",
		text:  "1,600 JSON records, each synced before its call returns; 400 of peers that sync for each.",
	}}},
	{"SyncMany", true, []part{{
		prefix: "SyncMany", unit: perRecord, bases: []string{"raft-wal"}, beside: true, terms: syncManyTerms,
		title: "Append with fsync, 64 goroutines",
		text:  "6,400 JSON records, each synced before its call returns; 1,600 of peers that sync for each. The time is that of all divided by their number.",
	}}},
	{"Scan", true, []part{{
		prefix: "Scan", unit: perRecord, bases: []string{"naive", "read"}, terms: scanTerms,
		title: "Scan",
		text:  "A million JSON records in the page cache, 256 MB, read in order; the loop adds the length and the last byte of each.",
	}}},
	{"ScanThree", false, []part{{
		prefix: "ScanThree", unit: perRecord, bases: []string{"jlq-alone"}, terms: scanTerms,
		title: "Three readers at once",
		text:  "Each of three goroutines reads the million records from one open log; the time is that of all divided by what all of them read.",
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
	{"RandomCold", false, []part{{
		prefix: "RandomCold", unit: perRecord, bases: []string{"naive-pread"}, terms: coldTerms,
		title: "Random read among 1,000,000 records, cold",
		text:  "2,000 reads of a log that the page cache was told to forget. What lies beneath the disk of a virtual machine may still have it.",
	}}},
	{"RandomCut", false, []part{{
		prefix: "RandomCut", unit: perRecord, bases: []string{"jlq-whole"}, terms: cutTerms,
		title: "Random read after the file was cut",
		text:  "250,000 reads among the first 500,000 of 1,000,000 records, through a mapping of all of them. Asking for what is gone is an error, which is checked.",
	}}},
	{"FollowHere", false, []part{{
		prefix: "FollowHere", unit: half, also: []string{nearlyAll}, bases: []string{"channel"}, terms: followTerms,
		title: "From append to a follower in the same process",
		text:  "300 records, one each millisecond: from just before the call that appends until the follower holds the record.",
	}}},
	{"AppendFollowed", false, []part{{
		prefix: "AppendFollowed", unit: perRecord, bases: []string{"none"}, terms: herdTerms,
		title: "Append one while it is followed",
		text:  "20,000 records one by one, and followers in the same process that each get all of them from memory.",
	}}},
	{"AppendTail", false, []part{{
		prefix: "AppendTail", unit: perRecord, bases: []string{"none"}, terms: tailTerms,
		title: "What memory for the last lines costs an append",
		text:  "Batches of 100. The batch is encoded where it stays, so there is no copy; but that memory is colder than a buffer that is used again at once.",
	}}},
	{"AppendTailOne", false, []part{{
		prefix: "AppendTailOne", unit: perRecord, bases: []string{"none"}, terms: tailTerms,
		title: "The same one by one",
		text:  "20,000 records.",
	}}},
	{"FollowOther", false, []part{{
		prefix: "FollowOther", unit: half, also: []string{nearlyAll}, bases: []string{"notify"}, terms: followTerms,
		title: "From append to a follower in another process",
		text:  "300 records, one each millisecond: from just before the call that appends until the other process holds the record.",
	}}},
	{"GroupConsume", false, []part{{
		prefix: "GroupConsume", unit: perRecord, bases: []string{"scan"}, beside: true, terms: consumeTerms,
		title: "Consume a million records through a group",
		text:  "256 MB in the page cache, one partition, one member; each record is acked.",
	}}},
	{"TopicMerge", false, []part{{
		prefix: "TopicMerge", unit: perRecord, bases: []string{"scans"}, terms: mergeTerms,
		title: "Read a topic as one log",
		text:  "The million records in four partitions, in the page cache.",
	}}},
	{"Commit", false, []part{{
		prefix: "Commit", unit: perRecord, bases: []string{"n=1/replace"}, terms: commitTerms,
		title: "Commit on request",
		text:  "For each commit, one record of each of n partitions was acked.",
	}}},
	{"Rebalance", false, []part{{
		prefix: "Rebalance", unit: perRun, terms: rebalanceTerms,
		title: "Share eight partitions anew",
		text:  "From one member's coming or going until the shares are right again.",
	}}},
	{"Consumers", false, []part{{
		prefix: "Consumers", unit: perRecord, bases: []string{"processes=1"}, terms: consumersTerms,
		title: "Processes that share a topic",
		text:  "A million records in eight partitions, from when each process has its share; the time is that of all divided by all records. The machine has as many processors as it says above.",
	}}},
	{"QueueInTurn", true, []part{{
		prefix: "QueueInTurn", unit: perRecord, bases: []string{"dque"}, beside: true, terms: queueTerms,
		title: "Queue: fill it, then empty it",
		text:  "100,000 JSON records one by one by one goroutine, then each dequeued and acknowledged; a tenth of them where a peer is slow. The time is that of both, for each record.",
	}}},
	{"QueueByOne", true, []part{{
		prefix: "QueueByOne", unit: perRecord, bases: []string{"dque"}, beside: true, terms: queueTerms,
		title: "Queue: one in, one out",
		text:  "The same, each record dequeued and acknowledged as soon as it was enqueued.",
	}}},
	{"QueueBeside", true, []part{{
		prefix: "QueueBeside", unit: perRecord, bases: []string{"dque"}, beside: true, terms: queueTerms,
		title: "Queue: one goroutine in, one out",
		text:  "The same by two goroutines.",
	}}},
	{"QueueSync", true, []part{{
		prefix: "QueueSync", unit: perRecord, bases: []string{"dque"}, beside: true, terms: queueTerms,
		title: "Queue: one in, one out, with fsync",
		text:  "500 records, each of which survives a power loss once it is enqueued.",
	}}},
	{"Index", false, []part{{
		prefix: "Index", unit: perRun, also: []string{bytesRate}, bases: []string{"wc", "read"}, terms: indexTerms,
		title: "Index a file of 236 MB",
		text:  "921,875 lines in the page cache.",
	}}},
	{"Verify", false, []part{{
		prefix: "Verify", unit: perRecord, also: []string{bytesRate}, bases: []string{"check", "read"}, terms: verifyTerms,
		title: "Verify a log of 256 MB",
		text:  "A million JSON records in the page cache. jlq examines blocks on as many processors as there are, and holds the line ends against the index.",
	}}},
	{"Filter", false, []part{{
		prefix: "Filter/level", unit: perRecord, also: []string{bytesRate}, bases: []string{"naive", "read"}, terms: filterTerms,
		title: "Filter a log of 256 MB by .level == \"error\"",
		text:  "A million JSON records in the page cache, one in eight of which matches.",
	}, {
		prefix: "Filter/amount", unit: perRecord, also: []string{bytesRate}, bases: []string{"naive", "read"}, terms: filterTerms,
		title: "The same by .amount > 990",
		text:  "No text in a line tells whether it matches; one in a hundred does.",
	}}},
	{"Grep", false, []part{
		greps("rare", `A text that few of a million records hold: "id":774526,`),
		greps("frequent", `A text that one in eight holds: "level":"error"`),
		greps("case", "Two words in any case: -i 'GATEWAY PAYMENT'"),
		greps("count", `How many hold a text: -c '"level":"error"'`),
		greps("invert", `Those that do not: -v '"level":"info"'`),
		greps("regexp-text", `A regular expression in which there are texts: "level":"(error|warn)".*frank`),
		greps("regexp", "One in which there is nearly none: [0-9]{5}f[0-9]{3}"),
	}},
	{"OpenAfterKill", false, []part{{
		prefix: "OpenAfterKill", unit: perRun, bases: []string{"n=100000/jlq"}, terms: killTerms,
		title: "Open after a kill",
		text:  "A process appends to a log of n records under SyncOS and kills itself; the next one opens it to write.",
	}}},
	{"OpenSegments", false, []part{{
		prefix: "OpenSegments", unit: perRun, bases: []string{"list"}, terms: segmentTerms,
		title: "Open a log of 10,000 segments",
		text:  "20,000 names in one directory. The count of records is known after it.",
	}}},
	{"Commands", false, []part{
		commands("n=100000", "Commands on 100,000 records", "Short records (34 bytes), each command run as a process, its start included; the peak of its memory beside it."),
		commands("n=1000000", "Commands on 1,000,000 records", ""),
		commands("n=10000000", "Commands on 10,000,000 records", "Only what does not read all of them."),
	}},
	{"Start", false, []part{{
		prefix: "Start", unit: perRun, bases: []string{"empty"}, terms: startTerms,
		title: "Start of the command",
		text:  "The whole run of a process that has next to nothing to do, on a warm log of ten records.",
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

// greps is the table for one search.
func greps(name, text string) part {
	return part{
		prefix: "Grep/" + name, unit: perRun, also: []string{memory}, bases: []string{"rg"}, terms: grepTerms,
		title: "Search 256 MB: " + name,
		text:  text + ". The built command is run as a process, its start included, on a log in the page cache.",
	}
}

// commands is the table for one size of log.
func commands(size, title, text string) part {
	return part{
		prefix: "Commands/" + size, unit: perRun, also: []string{memory}, terms: commandTerms, title: title, text: text,
	}
}
