package reader

import (
	"fmt"

	"example.com/jlq/internal/jsonl"
)

// withinLimit cuts the block before a record that is larger than the limit.
// Those that are larger than a block were looked at before they were read.
func (r *Reader) withinLimit(offset uint64) error {
	limit := r.log.layout.Load().limit
	if limit >= blockBytes {
		return nil
	}
	for i := range r.block.n {
		length := r.block.posts[i+1] - 1 - r.block.posts[i]
		if length <= limit {
			continue
		}
		r.block.n = i
		if i == 0 {
			return r.checkLimit(r.lease.src.Records, offset, r.block.posts[0], length)
		}
		return nil
	}
	return nil
}

// checkLength says whether a record that does not fit a block, or whose entries
// do not increase, is one at all, before memory is taken for it.
func (r *Reader) checkLength(src *source, offset uint64, start, end int64) error {
	size, err := src.size()
	switch {
	case err != nil:
		return err
	case end <= start || start < 0:
		return r.damaged(src.corrupt(offset, start, 0, mismatch("its entries do not increase")))
	case end > size && r.log.live == nil:
		return r.damaged(src.corrupt(offset, start, end, mismatch("the records file ends at %d", size)))
	}
	return r.checkLimit(src.Records, offset, start, end-start-1)
}

// checkLimit returns an error where length is beyond the limit. partition.json
// is asked again first: a later writer may be allowed more.
func (r *Reader) checkLimit(path string, offset uint64, start, length int64) error {
	if length <= r.log.layout.Load().limit {
		return nil
	}
	ly, err := r.log.refresh()
	if err != nil || length <= ly.limit {
		return err
	}
	r.bad = badRange{set: true, line: r.byLine, records: 1, start: start, end: start + length + 1}
	return tooLarge(path, offset, start, ly.limit)
}

func tooLarge(path string, offset uint64, start, limit int64) error {
	if offset == UnknownOffset {
		return fmt.Errorf("%s: record at position %d: %w: more than %d bytes", path, start, jsonl.ErrTooLarge, limit)
	}
	return fmt.Errorf("%s: record at offset %d, position %d: %w: more than %d bytes", path, offset, start, jsonl.ErrTooLarge, limit)
}
