package queue

import "fmt"

// Enqueue stores one value behind the others and returns its offset in the log.
// When it returns, the value is as durable as Options.Log say, and is delivered.
// A value that the codec or the log refuses is not stored, and changes nothing.
func (q *Queue[T]) Enqueue(v T) (offset uint64, err error) {
	buf := q.records.Get().(*[]byte)
	defer q.records.Put(buf)
	record, err := q.opts.Codec.AppendRecord((*buf)[:0], v)
	if err != nil {
		return 0, fmt.Errorf("enqueue: %w", err)
	}
	*buf = record
	return q.p.Append(record)
}

// EnqueueBatch stores values behind the others, with one system call for many,
// and returns the offset of the first; the others follow it. Where the codec
// refuses one, none is stored. An error of the log is a *partition.BatchError,
// which says how many of them are.
func (q *Queue[T]) EnqueueBatch(values []T) (first uint64, err error) {
	buf := q.records.Get().(*[]byte)
	defer q.records.Put(buf)
	all, ends := (*buf)[:0], make([]int, len(values))
	for i, v := range values {
		if all, err = q.opts.Codec.AppendRecord(all, v); err != nil {
			return 0, fmt.Errorf("enqueue value %d of %d: %w", i, len(values), err)
		}
		ends[i] = len(all)
	}
	*buf = all
	return q.p.AppendBatch(cut(all, ends))
}

// cut divides bytes at the ends.
func cut(all []byte, ends []int) [][]byte {
	out, from := make([][]byte, len(ends)), 0
	for i, end := range ends {
		out[i], from = all[from:end:end], end
	}
	return out
}
