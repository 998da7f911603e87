package bench

import (
	"bytes"
	"fmt"
	"testing"
)

// Queue is what a contestant of the queue workloads offers.
type Queue interface {
	// Enqueue stores one record behind the others. It does not keep it.
	Enqueue(record []byte) error
	// Dequeue takes the next record, waits for it where there is none, and says
	// that it is done with. The record stays valid until the next call.
	Dequeue() ([]byte, error)
	// Close ends the use of the queue.
	Close() error
}

// QueueOpener creates an empty queue in dir, which exists and is empty.
type QueueOpener func(dir string) (Queue, error)

// RunQueueInTurn measures enqueueing the whole set, record by record, and then
// taking all of it, by one goroutine.
func RunQueueInTurn(b *testing.B, set *Set, open QueueOpener) {
	b.Helper()
	runQueue(b, set, open, func(q Queue) error {
		if err := enqueueAll(q, set); err != nil {
			return err
		}
		return dequeueAll(q, set)
	})
}

// RunQueueByOne measures enqueueing a record and taking it, for each record of
// the set, by one goroutine: the queue holds one at most.
func RunQueueByOne(b *testing.B, set *Set, open QueueOpener) {
	b.Helper()
	runQueue(b, set, open, func(q Queue) error {
		for i := range set.Len() {
			if err := q.Enqueue(set.Record(i)); err != nil {
				return err
			}
			if err := dequeueOne(q, set, i); err != nil {
				return err
			}
		}
		return nil
	})
}

// RunQueueBeside measures one goroutine that enqueues while another takes.
func RunQueueBeside(b *testing.B, set *Set, open QueueOpener) {
	b.Helper()
	runQueue(b, set, open, func(q Queue) error {
		enqueued := make(chan error, 1)
		go func() { enqueued <- enqueueAll(q, set) }()
		if err := dequeueAll(q, set); err != nil {
			return err
		}
		return <-enqueued
	})
}

// runQueue counts the work; opening and closing are reported beside it. What is
// done for each record, enqueued, dequeued and acknowledged, is one operation.
func runQueue(b *testing.B, set *Set, open QueueOpener, work func(Queue) error) {
	b.Helper()
	var m Meter
	for b.Loop() {
		oneQueue(b, &m, set, open, work)
	}
	m.Report(b)
}

func oneQueue(b *testing.B, m *Meter, set *Set, open QueueOpener, work func(Queue) error) {
	b.Helper()
	dir, remove := scratch(b)
	defer remove()
	var q Queue
	var err error
	m.Beside("setup-ms", func() { q, err = open(dir) })
	must(b, err)
	m.Measure(set.Len(), func() { err = work(q) })
	must(b, err)
	m.Beside("close-ms", func() { err = q.Close() })
	must(b, err)
}

func enqueueAll(q Queue, set *Set) error {
	for i := range set.Len() {
		if err := q.Enqueue(set.Record(i)); err != nil {
			return err
		}
	}
	return nil
}

func dequeueAll(q Queue, set *Set) error {
	for i := range set.Len() {
		if err := dequeueOne(q, set, i); err != nil {
			return err
		}
	}
	return nil
}

// dequeueOne compares what it gets: a queue that lost or changed a record would
// be measured at other work.
func dequeueOne(q Queue, set *Set, i int) error {
	got, err := q.Dequeue()
	if err != nil {
		return err
	}
	if !bytes.Equal(got, set.Record(i)) {
		return fmt.Errorf("record %d is %q, want %q", i, got, set.Record(i))
	}
	return nil
}
