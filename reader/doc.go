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
// A bare file, which is any JSON-lines file outside a partition directory, may
// have no index, or one that lags behind. It is then read by its newlines.
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
