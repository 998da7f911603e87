package bench

// Sizes of the workloads, the same for every contestant.
const (
	BatchSize     = 100
	ShortAppend   = 100_000   // 25.6 MB: fits between two background syncs of jlq
	LongAppend    = 1_000_000 // 256 MB: pays for jlq's background syncs as well
	SingleAppends = 50_000
	SyncsAlone    = 500
	SyncsOfEight  = 1600
	SyncsTogether = 6400
	FewGoroutines = 8
	Goroutines    = 64
	ManyRecords   = 1_000_000
	FewRecords    = 10_000
	RandomReads   = 250_000
	SlowReads     = 20_000  // of a peer that takes long for each
	NaiveReads    = 200     // of a naive reader, which reads from the start each time
	IndexRecords  = 921_875 // 236 MB
	QueueRecords  = 100_000
)
