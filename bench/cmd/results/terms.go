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
	"jlq-strict-one": {processDeath, ownProcess, "the same with GOMAXPROCS=1", false},
	"check":          {"–", "–", "jlq's strict check of each record on one goroutine; nothing is stored", false},
	"naive":          {processDeath, everyone, "two files through bufio, flushed after each call; frame check; no lock, no rollback, no recovery", false},
	"naive-64k":      {processDeath, everyone, "the same with buffers of 64 KiB, larger than a batch", false},
	"naive-json":     {processDeath, everyone, "the same as naive with json.Valid and utf8.Valid", false},
	"naive-buffered": {nothingYet, "nobody until flushed", "the same as naive, flushed by its buffers of 4 KiB only", false},
	"tidwall":        {processDeath, onlyProcess, "NoSync, binary format; no check of the records, no checksum", false},
	"tidwall-json":   {processDeath, onlyProcess, "NoSync, JSON format: each record is an escaped string in an object; nothing is checked", false},
	"wlog":           {processDeath, everyone, "no numbers, so no random access; CRC of each record, pages of 32 KiB", true},
	"bbolt":          {processDeath, onlyProcess, "NoSync; one transaction for each call; a B+tree keeps any keys in order, a log need not", true},
	"badger":         {processDeath, onlyProcess, "no sync, no compression, no search for conflicts; one transaction for each call; keeps any keys in order, a log need not", true},
	"etcd-wal":       {processDeath, everyone, "SetUnsafeNoFsync; CRC of each record; no record is found by its number, and reading is all of it into memory", true},
	"jetstream":      {processDeath, "every client of the server", "a NATS server in the process and its client, connected in memory; a batch is published without waiting between; routes by subject, numbers, stamps, removes duplicates", true},
}

var streamTerms = map[string]terms{
	"copy":           {processDeath, "–", "a floor: read(2) and write(2) in blocks of 256 KiB, nothing looked at", false},
	"check":          {"–", "–", "one goroutine: the same reads, and jlq's strict check of each line where it lies; nothing is stored", false},
	"jlq-frame":      {processDeath, ownProcess, "ReadFrom, SyncOS, Validate: Frame", false},
	"jlq-strict":     {processDeath, ownProcess, "ReadFrom, SyncOS, every record checked to be JSON", false},
	"jlq-strict-one": {processDeath, ownProcess, "the same with GOMAXPROCS=1", false},
}

var syncTerms = map[string]terms{
	"fdatasync":    {powerLoss, "–", "the floor: one write(2) and one fdatasync(2) for each record", false},
	"jlq":          {powerLoss, "every process at once", "SyncAlways, every record checked to be JSON", false},
	"tidwall":      {powerLoss, onlyProcess, "fsync for each call", false},
	"tidwall-json": {powerLoss, onlyProcess, "fsync for each call", false},
	"wlog":         {powerLoss, everyone, "Log, then Sync", false},
	"raft-wal":     {powerLoss, onlyProcess, "always syncs; segments are allocated in advance, so a sync seldom has metadata to write", false},
	"bbolt":        {powerLoss, onlyProcess, "a transaction for each record; it syncs data, then its meta page", true},
	"badger":       {powerLoss, onlyProcess, "SyncWrites; a transaction for each record, an msync of its mapped log", true},
	"etcd-wal":     {powerLoss, everyone, "Save of one entry; segments are allocated in advance, so a sync seldom has metadata to write", false},
	"jetstream":    {powerLoss, "every client of the server", "SyncAlways of the server", true},
}

var syncManyTerms = map[string]terms{
	"jlq":       {powerLoss, everyone, "SyncAlways, every record checked to be JSON; waiting appends share an fdatasync", false},
	"tidwall":   {powerLoss, onlyProcess, "wants its numbers in order: the goroutines take turns, each with its fsync", true},
	"wlog":      {powerLoss, everyone, "each goroutine calls Log, then Sync for itself", true},
	"raft-wal":  {powerLoss, onlyProcess, "wants its numbers in order: the goroutines take turns (raft itself hands it batches)", true},
	"bbolt":     {powerLoss, onlyProcess, "DB.Batch with a MaxBatchSize of as many as there are goroutines, so that it never waits for more", false},
	"badger":    {powerLoss, onlyProcess, "SyncWrites: transactions that wait are gathered, but each is synced by itself", true},
	"etcd-wal":  {powerLoss, everyone, "wants its numbers in order: the goroutines take turns (etcd itself hands it batches)", true},
	"jetstream": {powerLoss, "every client of the server", "SyncAlways of the server, which syncs each message", true},
}

var scanTerms = map[string]terms{
	"read":         {note: "the floor: read(2) in blocks of 256 KiB, nothing looked at"},
	"jlq":          {note: "Records; every line proved against the index"},
	"jlq-alone":    {note: "one goroutine"},
	"jlq-next":     {note: "Reader.Next, the primitive beneath"},
	"naive":        {note: "index and records through bufio, lines proved; each record a slice of its own, which may be kept"},
	"naive-reuse":  {note: "the same with one buffer for all records, valid until the next one as jlq's are"},
	"naive-lines":  {note: "bufio.Scanner on the records alone; proves nothing, knows no offsets"},
	"tidwall":      {note: "Read for each number, NoCopy; all segments are kept in memory after the first pass", unfair: true},
	"tidwall-json": {note: "the same in the JSON format; all segments are kept in memory after the first pass (100,000 records)", unfair: true},
	"wlog":         {note: "its Reader; checks a CRC"},
	"raft-wal":     {note: "GetLog for each number: it has no scan (100,000 records)", unfair: true},
	"bbolt":        {note: "a cursor over mapped pages; of a record only the byte that the loop looks at is read", unfair: true},
	"badger":       {note: "an iterator that fetches values in advance"},
	"etcd-wal":     {note: "ReadAll: all entries into memory at once; checks a CRC (100,000 records)", unfair: true},
	"jetstream":    {note: "an ordered consumer of the client: each record is a message through the protocol (100,000 records)", unfair: true},
}

var coldTerms = map[string]terms{
	"jlq":         {note: "GetInto; reads through the files until enough reads have paid for a mapping"},
	"naive-pread": {note: "one pread(2) of the index, one of the records; proves the line"},
	"mapped":      {note: "two loads from mapped files: the kernel reads what lies around each page as well"},
}

var cutTerms = map[string]terms{
	"jlq-whole": {note: "the file as it was"},
	"jlq-cut":   {note: "another program cut it to a half under the mapping"},
}

var followTerms = map[string]terms{
	"channel":    {note: "a floor: the line through an unbuffered channel, no file"},
	"pipe":       {note: "a floor: the line through a pipe, no file"},
	"notify":     {note: "a floor: one write(2), and a reader that fsnotify wakes and that reads on; nothing is checked, half a line not told from a whole one"},
	"jlq-always": {note: "SyncAlways: the record is on the disk before it is seen", unfair: true},
	"jlq-os":     {note: "SyncOS: other processes see a record when its index entry is written, which is done each 2 ms; the same process at once"},

	"jlq-buffered": {note: "SyncBuffered: seen in the process before it is written", unfair: true},
}

var herdTerms = map[string]terms{
	"none":    {note: "nobody follows"},
	"one":     {note: "one follower"},
	"hundred": {note: "100 followers, on as many processors as the writer"},
}

var tailTerms = map[string]terms{
	"none": {note: "`TailCache: -1`"},
	"jlq":  {note: "the default, 2 MiB"},
}

var segmentTerms = map[string]terms{
	"list":      {note: "the floor: the names of the directory, sorted"},
	"jlq-read":  {note: "OpenReader and Bounds"},
	"jlq-write": {note: "Open: locks, recovers the last segment, syncs the directory"},
}

var startTerms = map[string]terms{
	"empty":       {note: "the floor: a Go program whose main does nothing"},
	"jlq":         {note: "`get LOG 5`, built as releases are, with the tag jlq_nosonic"},
	"jlq-version": {note: "`version`, the same program: what is not the log's"},
	"jlq-sonic":   {note: "`get LOG 5`, built without the tag: sonic prepares its native code at every start"},
}

var commandTerms = map[string]terms{
	"open":   {note: "in process: OpenReader, Bounds, one Get, the last 10, Close"},
	"count":  {note: "`count LOG`"},
	"tail":   {note: "`tail -n 10 LOG`"},
	"head":   {note: "`head LOG`"},
	"get":    {note: "`get LOG N` in the middle"},
	"range":  {note: "`cat -o N:N+10 LOG` in the middle"},
	"since":  {note: "`count -o @TIME: LOG`, a binary search for the middle"},
	"cat":    {note: "`cat LOG`: reads all of it"},
	"verify": {note: "`verify LOG`: reads all of it"},
	"repair": {note: "`repair LOG`, which shows that there is nothing to do: reads all of it"},
	"stat":   {note: "`stat LOG`"},
	"append": {note: "`append --sync os` of all to a new log: reads and checks all of it"},
	"index":  {note: "`index FILE` of all: reads all of it"},
}

var randomTerms = map[string]terms{
	"mapped":        {note: "the floor: two loads from mapped files and the copy, nothing proved or guarded"},
	"mapped-serial": {note: "the same loads, each waiting for the one before: the floor of reads that the processor cannot overlap"},
	"jlq":           {note: "GetInto, from another process than the writer's; proves the line"},
	"naive":         {note: "reads lines from the start of the file (200 reads)"},
	"naive-pread":   {note: "one pread(2) of the index, one of the records; proves the line"},
	"tidwall":       {note: "all segments kept in memory, which needs as much of it as the log has bytes", unfair: true},
	"tidwall-json":  {note: "the same in the JSON format, which it unescapes (20,000 reads)", unfair: true},
	"raft-wal":      {note: "GetLog, then a copy (20,000 reads)"},
	"bbolt":         {note: "a read transaction for each, then a copy"},
	"badger":        {note: "a read transaction for each, then a copy"},
	"jetstream":     {note: "a request to the server in the process and its answer (20,000 reads)", unfair: true},
}

var indexTerms = map[string]terms{
	"read": {note: "the floor: read(2) in blocks of 256 KiB, nothing looked at"},
	"jlq":  {note: "index.BuildFile; writes 7.4 MB of index, syncs and renames it"},
	"wc":   {note: "`wc -l` of this machine, its start included; writes nothing"},
}

var verifyTerms = map[string]terms{
	"read":    {note: "the floor: read(2) in blocks of 256 KiB, nothing looked at"},
	"check":   {note: "one goroutine: the same blocks, and jlq's strict check of each line where it lies; no index, nothing is reported"},
	"jlq":     {note: "Verify, on every processor"},
	"jlq-one": {note: "Verify with GOMAXPROCS=1"},
}

var filterTerms = map[string]terms{
	"read":     {note: "the floor: read(2) in blocks of 256 KiB, nothing looked at"},
	"naive":    {note: "bufio.Scanner and encoding/json into a struct of the two fields, one goroutine; amounts are floats"},
	"jlq":      {note: "a partition, on every processor: records were checked when they were stored, and are read as far as the filter needs"},
	"jlq-one":  {note: "the same with GOMAXPROCS=1"},
	"jlq-bare": {note: "the same file as a bare one: every line is checked strictly as well"},
	"duckdb":   {note: "`count(*)` by read_json with the types of all columns given, in a process of node that stays, on every core; it does not say which lines match"},

	"duckdb-inferred": {note: "the same, the types inferred from the first 20,480 records"},
}

var grepTerms = map[string]terms{
	"rg":       {note: "ripgrep on the records file, which it maps; one thread, as for any one file"},
	"jlq":      {note: "jlq grep on the partition, on every processor; lines are held against the index"},
	"jlq-bare": {note: "the same on the records file alone"},
}

var killTerms = map[string]terms{
	"n=100000/jlq":          {note: "1,000 records appended by the killed process"},
	"n=1000000/jlq":         {note: "1,000 records appended by the killed process"},
	"n=10000000/jlq":        {note: "1,000 records appended by the killed process"},
	"n=100000/jlq-unsynced": {note: "200,000 records (51 MB) appended and not synced: they are written again and synced"},
}

var consumeTerms = map[string]terms{
	"scan":              {"–", "–", "Records: reading alone", false},
	"scan-next":         {"–", "–", "Reader.Next: reading alone, without an iterator", false},
	"jlq":               {"–", "–", "Messages, an Ack for each; one commit at the end, beside", false},
	"jlq-autoack":       {"–", "–", "the same, answered by asking for the next", false},
	"jlq-commits":       {powerLoss + ", after a commit", "–", "the same with a commit each second, as by default", false},
	"jlq-nothing-saved": {"–", "–", "the same with NoCommit: no group, no claim, no mark that records are in flight", false},
}

var commitTerms = map[string]terms{
	"n=1/replace": {powerLoss, "every process at once", "the floor: a small file replaced durably (write, fsync, rename, fsync of the directory)", false},
	"n=1/jlq":     {powerLoss, "every process at once", "CommitSync: under the lock, the file read and compared, the version before kept; and the mark that the next record is in flight", false},
	"n=100/jlq":   {powerLoss, "every process at once", "the same for a hundred partitions at once", false},
}

var rebalanceTerms = map[string]terms{
	"join":  {"–", "–", "a second member comes: until each has four partitions", false},
	"leave": {"–", "–", "a second member closes: until the first has all eight", false},
	"kill":  {"–", "–", "a second member in another process is killed: the same", false},
}

var mergeTerms = map[string]terms{
	"scans":        {note: "each partition is scanned, one after the other"},
	"naive":        {note: "bufio.Scanner over the files, one after the other"},
	"by-partition": {note: "one partition after the other, as one range"},
	"by-time":      {note: "in the order of the time field, which is looked for in each record"},
	"backward":     {note: "the same from the end"},
}

var consumersTerms = map[string]terms{
	"processes=1": {"–", "–", "one process has all partitions", false},
	"processes=2": {"–", "–", "four each", false},
	"processes=4": {"–", "–", "two each", false},
}

var queueTerms = map[string]terms{
	"jlq-os":             {processDeath, "this process at once", "SyncOS; at least once: acks are committed each second; every record checked to be JSON", false},
	"jlq-buffered":       {nothingYet, "this process at once", "the same with SyncBuffered", false},
	"jlq-bytes-os":       {processDeath, "this process at once", "as jlq-os with the Bytes codec: base64 in an object", false},
	"jlq-always":         {powerLoss, "this process at once", "SyncAlways; else as jlq-os", false},
	"dque":               {processDeath, onlyProcess, "gob; files of 50 items, each in memory as a whole; at most once: gone when it is taken. With fsync, one to add and one to take", true},
	"vm-persistentqueue": {nothingYet, onlyProcess, "what fits stays in memory, the rest in buffered files; at most once; it never syncs, and its metadata is written each second", true},
	"jetstream":          {processDeath, "every client of the server", "a NATS server in the process and its client, connected in memory; a durable consumer, each message acknowledged; with fsync, SyncAlways", true},
}
