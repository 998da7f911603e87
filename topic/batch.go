package topic

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"example.com/jlq/internal/segment"
	"example.com/jlq/partition"
)

// Keyed is a record and the key that chooses its partition; a nil Key is none.
type Keyed struct {
	Key  []byte
	Data []byte
}

// BatchError says which records of a batch are stored: those whose ID is not
// the zero one.
type BatchError struct {
	IDs     []ID // in the order of the records
	Unknown bool // whether more are stored is not known until the log is opened again
	Err     error
}

// Stored is how many records are.
func (e *BatchError) Stored() (n int) {
	for _, id := range e.IDs {
		if id != (ID{}) {
			n++
		}
	}
	return n
}

// Error implements error.
func (e *BatchError) Error() string {
	return fmt.Sprintf("%v (%d of %s stored)", e.Err, e.Stored(), segment.Plural(uint64(len(e.IDs)), "record"))
}

// Unwrap returns why not all are.
func (e *BatchError) Unwrap() error { return e.Err }

// AppendBatch stores records, each as [Topic.Append] does, those of one
// partition as one batch, and returns their IDs. The partitions are written to at
// the same time. An error is a [*BatchError], which says what is stored. A
// record that is refused keeps all others out, too, unless
// Options.Partition.Compact is set: then those of its partition.
func (t *Topic) AppendBatch(records []Keyed) ([]ID, error) {
	b := &batch{t: t, records: records, ids: make([]ID, len(records))}
	left := make([]int, len(records)) // the records that are to be stored
	for i := range left {
		left[i] = i
	}
	for len(left) > 0 {
		var err error
		if left, err = b.round(left); err != nil {
			return nil, &BatchError{b.ids, b.unknown, err}
		}
	}
	return b.ids, nil
}

// batch is one AppendBatch.
type batch struct {
	t       *Topic
	records []Keyed
	ids     []ID
	checked bool
	unknown bool
}

// share is what one partition gets.
type share struct {
	partition int
	records   []int
	again     bool // it has gone: they are placed again
	unknown   bool
	err       error
}

// round stores records and returns those that have to be placed again.
func (b *batch) round(records []int) (left []int, err error) {
	v := b.t.now.Load()
	if err := b.t.takes(v); err != nil {
		return nil, err
	}
	shares := b.divide(v, records)
	if len(shares) == 1 {
		b.store(v, shares[0])
		return b.outcome(shares)
	}
	if err := b.check(); err != nil {
		return nil, err
	}
	var wg sync.WaitGroup
	for _, s := range shares {
		wg.Go(func() { b.store(v, s) })
	}
	wg.Wait()
	return b.outcome(shares)
}

func (b *batch) outcome(shares []*share) (left []int, err error) {
	var errs []error
	for _, s := range shares {
		if s.again {
			left = append(left, s.records...)
		}
		b.unknown = b.unknown || s.unknown
		errs = append(errs, s.err)
	}
	slices.Sort(left)
	return left, errors.Join(errs...)
}

// check finds what would be refused before anything is stored in several
// partitions, which check for themselves only.
func (b *batch) check() error {
	opts := &b.t.opts.Partition
	if b.checked || opts.Compact {
		return nil
	}
	b.checked = true
	for i := range b.records {
		if err := opts.Validate.Check(b.records[i].Data, opts.MaxRecordBytes); err != nil {
			return &partition.RecordError{Index: i, Err: err}
		}
	}
	return nil
}

// divide places the records.
func (b *batch) divide(v *view, records []int) (shares []*share) {
	byPartition := map[int]*share{}
	for _, r := range records {
		i := b.t.place(v, b.records[r].Key)
		s := byPartition[i]
		if s == nil {
			s = &share{partition: i}
			byPartition[i], shares = s, append(shares, s)
		}
		s.records = append(s.records, r)
	}
	return shares
}

// store stores a share and notes the IDs of what is stored.
func (b *batch) store(v *view, s *share) {
	data := make([][]byte, len(s.records))
	for k, r := range s.records {
		data[k] = b.records[r].Data
	}
	defer b.t.using(s.partition)()
	p, err := b.t.writer(s.partition)
	stored, first := 0, uint64(0)
	if err == nil {
		stored = len(data)
		if first, err = p.AppendBatch(data); err != nil {
			stored = 0
		}
	}
	if part, ok := errors.AsType[*partition.BatchError](err); ok {
		first, stored = part.First, part.Stored
		s.unknown, err = part.Unknown, part.Err
	}
	if refused, ok := errors.AsType[*partition.RecordError](err); ok {
		err = &partition.RecordError{Index: s.records[refused.Index], Err: refused.Err}
	}
	for k, r := range s.records[:stored] {
		b.ids[r] = ID{v.meta.Name, s.partition, first + uint64(k)}
	}
	if err != nil {
		s.again, s.err = b.t.failed(v, s.partition, err)
		switch {
		case s.again && (stored > 0 || s.unknown):
			s.again, s.err = false, err // some may be stored, and would be twice
		case s.again:
			s.err = nil
		}
	}
}
