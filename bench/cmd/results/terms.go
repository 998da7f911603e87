package main

const (
	processDeath = "process death"
	powerLoss    = "power loss"
	nothingYet   = "nothing until flushed"
	everyone     = "every process at once"
	ownProcess   = "this process at once, others within 2 ms"
	onlyProcess  = "this process at once; no other process reads it"
)

var appendTerms = map[string]terms{
	"write":          {processDeath, "–", "the floor: no index, no check, no copy of the records", false},
	"jlq-frame":      {processDeath, ownProcess, "SyncOS, Validate: Frame", false},
	"jlq-strict":     {processDeath, ownProcess, "SyncOS, every record checked to be JSON", false},
	"jlq-os":         {processDeath, ownProcess, "SyncOS, Validate: Frame", false},
	"jlq-buffered":   {nothingYet + " (256 KiB or 10 ms)", "this process at once", "SyncBuffered, Validate: Frame", false},
	"naive":          {processDeath, everyone, "two files through bufio, flushed after each call; frame check; no lock, no rollback, no recovery", false},
	"naive-64k":      {processDeath, everyone, "the same with buffers of 64 KiB, larger than a batch", false},
	"naive-json":     {processDeath, everyone, "the same as naive with json.Valid and utf8.Valid", false},
	"naive-buffered": {nothingYet, "nobody until flushed", "the same as naive, flushed by its buffers of 4 KiB only", false},
	"tidwall":        {processDeath, onlyProcess, "NoSync, binary format; no check of the records, no checksum", false},
	"tidwall-json":   {processDeath, onlyProcess, "NoSync, JSON format: each record is an escaped string in an object; nothing is checked", false},
	"wlog":           {processDeath, everyone, "no numbers, so no random access; CRC of each record, pages of 32 KiB", true},
	"bbolt":          {processDeath, onlyProcess, "NoSync; one transaction for each call; a B+tree keeps any keys in order, a log need not", true},
}

var syncTerms = map[string]terms{
	"fdatasync":    {powerLoss, "–", "the floor: one write(2) and one fdatasync(2) for each record", false},
	"jlq":          {powerLoss, "every process at once", "SyncAlways, every record checked to be JSON", false},
	"tidwall":      {powerLoss, onlyProcess, "fsync for each call", false},
	"tidwall-json": {powerLoss, onlyProcess, "fsync for each call", false},
	"wlog":         {powerLoss, everyone, "Log, then Sync", false},
	"raft-wal":     {powerLoss, onlyProcess, "always syncs; segments are allocated in advance, so a sync seldom has metadata to write", false},
	"bbolt":        {powerLoss, onlyProcess, "a transaction for each record; it syncs data, then its meta page", true},
}

var syncManyTerms = map[string]terms{
	"jlq":      {powerLoss, everyone, "SyncAlways, every record checked to be JSON; waiting appends share an fdatasync", false},
	"tidwall":  {powerLoss, onlyProcess, "wants its numbers in order: the goroutines take turns, each with its fsync", true},
	"wlog":     {powerLoss, everyone, "each goroutine calls Log, then Sync for itself", true},
	"raft-wal": {powerLoss, onlyProcess, "wants its numbers in order: the goroutines take turns (raft itself hands it batches)", true},
	"bbolt":    {powerLoss, onlyProcess, "DB.Batch with MaxBatchSize 64, so that it never waits for more", false},
}

var scanTerms = map[string]terms{
	"read":         {note: "the floor: read(2) in blocks of 256 KiB, nothing looked at"},
	"jlq":          {note: "Records; every line proved against the index"},
	"jlq-next":     {note: "Reader.Next, the primitive beneath"},
	"naive":        {note: "index and records through bufio, lines proved; each record a slice of its own, which may be kept"},
	"naive-reuse":  {note: "the same with one buffer for all records, valid until the next one as jlq's are"},
	"naive-lines":  {note: "bufio.Scanner on the records alone; proves nothing, knows no offsets"},
	"tidwall":      {note: "Read for each number, NoCopy; all segments are kept in memory after the first pass", unfair: true},
	"tidwall-json": {note: "the same in the JSON format; all segments are kept in memory after the first pass", unfair: true},
	"wlog":         {note: "its Reader; checks a CRC"},
	"raft-wal":     {note: "GetLog for each number: it has no scan", unfair: true},
	"bbolt":        {note: "a cursor over mapped pages; of a record only the byte that the loop looks at is read", unfair: true},
}

var randomTerms = map[string]terms{
	"mapped":        {note: "the floor: two loads from mapped files and the copy, nothing proved or guarded"},
	"mapped-serial": {note: "the same loads, each waiting for the one before: the floor of reads that the processor cannot overlap"},
	"jlq":           {note: "GetInto, from another process than the writer's; proves the line"},
	"naive":         {note: "reads lines from the start of the file (200 reads)"},
	"naive-pread":   {note: "one pread(2) of the index, one of the records; proves the line"},
	"tidwall":       {note: "all segments kept in memory, which needs as much of it as the log has bytes", unfair: true},
	"tidwall-json":  {note: "the same in the JSON format, which it unescapes", unfair: true},
	"raft-wal":      {note: "GetLog, then a copy"},
	"bbolt":         {note: "a read transaction for each, then a copy"},
}

var indexTerms = map[string]terms{
	"read": {note: "the floor: read(2) in blocks of 256 KiB, nothing looked at"},
	"jlq":  {note: "index.BuildFile; writes 7.4 MB of index, syncs and renames it"},
	"wc":   {note: "`wc -l` of this machine, its start included; writes nothing"},
}

var killTerms = map[string]terms{
	"n=100000/jlq":          {note: "1,000 records appended by the killed process"},
	"n=1000000/jlq":         {note: "1,000 records appended by the killed process"},
	"n=10000000/jlq":        {note: "1,000 records appended by the killed process"},
	"n=100000/jlq-unsynced": {note: "200,000 records (51 MB) appended and not synced: they are written again and synced"},
}
