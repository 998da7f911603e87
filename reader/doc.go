// Package reader reads a log: in sequence, at random, backwards, from a time
// on, and following its writer.
//
//	log, err := reader.Open("orders/0", nil) // or app.jsonl
//	if err != nil {
//		return err
//	}
//	defer log.Close()
//	for rec, err := range log.Records(0) {
//		if err != nil {
//			return err
//		}
//		fmt.Println(rec.Offset, string(rec.Data))
//	}
//
// # Bytes on disk
//
// A records file is lines; its index is one big-endian uint64 for each line
// and one more, so that entries i and i+1 are where line i begins and ends:
//
//	records  {"n":0}\n{"n":1}\n          positions 0 to 16
//	index    0, 8, 16                    24 bytes
//
// A reader takes the entries that it can see, then reads just those bytes, and
// keeps nothing beyond the last entry it read: a writer may take back what it
// has not published. What was read proves itself. There is a newline before
// the first byte, one at each boundary, and as many as there are entries. Where
// that fails, names, index and bytes are read once more, because another
// program may have replaced the files; then it is [segment.ErrIndexMismatch]
// inside a [*segment.CorruptError] with path, offset and position.
//
// What is read at random, or scanned again, is copied from a guarded mapping of
// the files, where there is one, and proves itself in the same way.
//
// In the process of the writer, the lines that were appended last are taken from
// its memory instead, see [segment.Live]. They need no proof: the writer checked
// and accepted them, and nobody else can reach them there.
//
// A bare file, which is any JSON-lines file outside a partition directory, may
// have no index, or one that lags behind. It is then read by its newlines.
//
// # Errors
//
// Damage is a [*segment.CorruptError]. It names all records that cannot be read,
// up to the next one that proves itself, and [Reader.Skip], or Options.Skip for
// whole sequences, goes on there. Two kinds are found inside it:
// [segment.ErrIndexMismatch] where index and records contradict each other, and
// [ErrChanged] where a bare file was cut or rewritten while it was read, behind
// which nothing can be skipped. An offset that is not there is a
// [*segment.RangeError], a segment that is missing a [*segment.SegmentAwayError].
// What is larger than it may be is a plain error that names path, offset and
// position. What the operating system says is passed on as it is, an
// [*fs.PathError] as a rule; so are the cause of a context and, from WriteTo, the
// error of the writer. None of these are damage, and Skip does nothing about
// them. [io.EOF], from Next only, means the high watermark.
//
// Where a log ends is what its index says up to the last entry that proves
// itself: it is above the one before, within the file and behind a newline.
// [Log.Bounds] and [Log.Tail] go by that. Zeros and noise behind that entry are
// nobody's records; entries of lines that are not in the file are an error for who
// reads up to them. [Log.Ahead] counts both.
//
// # Concurrency
//
// A [Log] serves any number of goroutines. No lock is taken for a record or a
// block; one is held for a moment when a reader enters or leaves a segment. A
// [Reader], and every range over a sequence, belongs to one goroutine. Reading
// starts no goroutines of its own; following a log of another process watches
// its directory, and that ends with the range.
//
// # Crashes
//
// Reading takes no lock, writes nothing and creates nothing, so there is
// nothing that a crash could leave. In a partition directory the index is the
// end of what is read: whole lines behind it belong to a writer that is at work
// or died, see [Log.Behind].
package reader
