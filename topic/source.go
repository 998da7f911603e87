package topic

import (
	"io"
	"iter"
	"time"

	"example.com/jlq/internal/jsonl"
	"example.com/jlq/partition"
	"example.com/jlq/reader"
)

// source is one partition in a merge.
type source struct {
	partition int
	log       *reader.Log
	span      Span
	backward  bool
	field     string

	records *reader.Pull // nil: not begun
	begun   bool         // a record was read

	head partition.Record
	time time.Time // of head, or of the last record before it that has one
}

func newSource(p *partition.Partition, i int, s Span, opts *ReadOptions) *source {
	return &source{partition: i, log: p.Log(), span: s, backward: opts.Backward, field: opts.TimeField}
}

func (s *source) close() {
	if s.records != nil {
		s.records.Close()
	}
}

// advance goes to the next record, and finds out its time.
func (s *source) advance() (err error) {
	if s.head, err = s.next(); err != nil {
		return err
	}
	if at, timed := jsonl.Time(s.head.Data, s.field); timed {
		s.time = at
	}
	return nil
}

// next reads the next record; the error is [io.EOF] behind the last.
func (s *source) next() (partition.Record, error) {
	if s.records == nil {
		s.start()
	}
	if s.backward {
		return s.prev()
	}
	rec, err := s.records.Next()
	if err != nil {
		return s.restart(err)
	}
	s.begun = true
	return rec, nil
}

// prev is next for going backwards. Nothing in front of the span is read.
func (s *source) prev() (partition.Record, error) {
	if s.span.From >= s.span.To {
		return partition.Record{}, io.EOF
	}
	rec, err := s.records.Next()
	if err == nil && rec.Offset < s.span.From {
		return partition.Record{}, io.EOF
	}
	s.span.To = rec.Offset
	return rec, err
}

// left are the records behind the one that next returned last.
func (s *source) left() iter.Seq2[partition.Record, error] {
	if !s.backward {
		return s.records.Records()
	}
	return func(yield func(partition.Record, error) bool) {
		for {
			if rec, err := s.prev(); err == io.EOF || !yield(rec, err) || err != nil {
				return
			}
		}
	}
}

func (s *source) start() {
	if s.backward {
		s.records = s.log.PullBackward(s.span.To)
	} else {
		s.records = s.log.Pull(s.span.From, s.span.To)
	}
}

// restart leaves out what retention drops before the first record is read, as
// it would be a moment later. Any other error stays.
func (s *source) restart(err error) (partition.Record, error) {
	if out, gone := dropped(err); gone && !s.begun {
		s.records.Close()
		s.span.From = out.Start
		s.start()
		return s.next()
	}
	return partition.Record{}, err
}
