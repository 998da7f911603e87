package topic

import (
	"container/heap"
	"context"
	"io"
	"maps"
	"slices"
)

// merge reads several partitions as one sequence. It holds one record of each.
type merge struct {
	t    *Topic
	opts ReadOptions
	name string // of the topic
	all  []*source
	heap sources
}

// open finds out what is to be read.
func (m *merge) open() error {
	spans, err := m.t.spans(context.Background(), m.opts.Spans)
	if err != nil {
		return err
	}
	m.name = m.t.Meta().Name
	m.heap.backward = m.opts.Backward
	for _, i := range slices.Sorted(maps.Keys(spans)) {
		p, err := m.t.Partition(i)
		if err != nil {
			return err
		}
		m.all = append(m.all, newSource(p, i, spans[i], &m.opts))
	}
	if m.opts.Backward {
		slices.Reverse(m.all)
	}
	return nil
}

func (m *merge) close() {
	for _, s := range m.all {
		s.close()
	}
}

func (m *merge) run(yield func(Record, error) bool) {
	if m.opts.ByPartition || len(m.all) == 1 {
		for _, s := range m.all {
			if !m.rest(s, yield) {
				return
			}
		}
		return
	}
	if m.begin(yield) && m.interleave(yield) && len(m.heap.list) == 1 {
		last := m.heap.list[0]
		_ = m.give(last, yield) && m.rest(last, yield)
	}
}

// begin stands before the first record of each source.
func (m *merge) begin(yield func(Record, error) bool) (more bool) {
	for _, s := range m.all {
		switch err := s.advance(); {
		case err == nil:
			m.heap.list = append(m.heap.list, s)
		case err != io.EOF:
			return m.fail(s, err, yield)
		}
	}
	heap.Init(&m.heap)
	return true
}

// interleave yields what comes next until only one source is left: then times
// do not matter any more.
func (m *merge) interleave(yield func(Record, error) bool) (more bool) {
	for len(m.heap.list) > 1 {
		s := m.heap.list[0]
		if !m.give(s, yield) {
			return false
		}
		switch err := s.advance(); {
		case err == nil:
			heap.Fix(&m.heap, 0)
		case err == io.EOF:
			heap.Pop(&m.heap)
		default:
			return m.fail(s, err, yield)
		}
	}
	return true
}

// give yields the record that a source stands before.
func (m *merge) give(s *source, yield func(Record, error) bool) (more bool) {
	return yield(Record{s.head, ID{m.name, s.partition, s.head.Offset}}, nil)
}

// rest yields all that is left of a source. Its first record is taken by
// itself, because only before that one may the source begin anew.
func (m *merge) rest(s *source, yield func(Record, error) bool) (more bool) {
	rec, err := s.next()
	if err == io.EOF {
		return true
	}
	if err != nil {
		return m.fail(s, err, yield)
	}
	if !yield(Record{rec, ID{m.name, s.partition, rec.Offset}}, nil) {
		return false
	}
	for rec, err := range s.left() {
		if err != nil {
			return m.fail(s, err, yield)
		}
		if !yield(Record{rec, ID{m.name, s.partition, rec.Offset}}, nil) {
			return false
		}
	}
	return true
}

// fail ends the sequence with an error of a source.
func (m *merge) fail(s *source, err error, yield func(Record, error) bool) (more bool) {
	yield(Record{}, m.t.explain(s.partition, err))
	return false
}

// sources is a heap of those that have a record, the next one first.
type sources struct {
	list     []*source
	backward bool
}

// Len implements [heap.Interface].
func (h *sources) Len() int { return len(h.list) }

// Less implements [heap.Interface].
func (h *sources) Less(i, j int) bool {
	a, b := h.list[i], h.list[j]
	if h.backward {
		a, b = b, a
	}
	if c := a.time.Compare(b.time); c != 0 {
		return c < 0
	}
	return a.partition < b.partition
}

// Swap implements [heap.Interface].
func (h *sources) Swap(i, j int) { h.list[i], h.list[j] = h.list[j], h.list[i] }

// Push implements [heap.Interface].
func (h *sources) Push(x any) { h.list = append(h.list, x.(*source)) }

// Pop implements [heap.Interface].
func (h *sources) Pop() any {
	last := h.list[len(h.list)-1]
	h.list = h.list[:len(h.list)-1]
	return last
}
