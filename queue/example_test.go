package queue_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"example.com/jlq/queue"
)

// Job is a piece of work.
type Job struct {
	ID int `json:"id"`
}

// scratch is a path for the queue of an example, and what removes it.
func scratch() (path string, remove func()) {
	dir, err := os.MkdirTemp("", "queue-example-")
	if err != nil {
		log.Fatal(err)
	}
	return filepath.Join(dir, "jobs"), func() {
		if err := os.RemoveAll(dir); err != nil {
			log.Fatal(err)
		}
	}
}

func open[T any](path string, opts *queue.Options[T]) *queue.Queue[T] {
	q, err := queue.Open(path, opts)
	if err != nil {
		log.Fatal(err)
	}
	return q
}

func closeQueue[T any](q *queue.Queue[T]) {
	if err := q.Close(); err != nil {
		log.Fatal(err)
	}
}

func enqueue[T any](q *queue.Queue[T], values ...T) {
	if _, err := q.EnqueueBatch(values); err != nil {
		log.Fatal(err)
	}
}

func dequeue[T any](q *queue.Queue[T]) *queue.Item[T] {
	item, err := q.Dequeue(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	return item
}

func ExampleOpen() {
	path, remove := scratch()
	defer remove()

	q, err := queue.Open[Job](path, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer closeQueue(q)
	if _, err := q.Enqueue(Job{ID: 17}); err != nil {
		log.Fatal(err)
	}
	item, err := q.Dequeue(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(item.Value.ID)
	item.Ack()
	// Output: 17
}

// What was not answered is there again when the queue is opened next.
func ExampleItem_Ack() {
	path, remove := scratch()
	defer remove()

	q := open[Job](path, nil)
	enqueue(q, Job{ID: 1}, Job{ID: 2})
	dequeue(q).Ack()
	fmt.Println("taken:", dequeue(q).Value.ID)
	closeQueue(q)

	q = open[Job](path, nil)
	defer closeQueue(q)
	fmt.Println("again:", dequeue(q).Value.ID)
	// Output:
	// taken: 2
	// again: 2
}

// A value that fails comes again, until it has failed too often.
func ExampleItem_Nack() {
	path, remove := scratch()
	defer remove()

	opts := &queue.Options[Job]{}
	opts.Delivery.MaxAttempts = 2
	opts.Delivery.RetryDelay = time.Millisecond
	q := open(path, opts)
	defer closeQueue(q)
	enqueue(q, Job{ID: 1})
	for range 2 {
		item := dequeue(q)
		fmt.Println("attempt", item.Attempts)
		item.Nack(errors.New("no"))
	}
	_, err := q.TryDequeue()
	fmt.Println(err)
	// Output:
	// attempt 1
	// attempt 2
	// the queue is empty
}

func ExampleItem_Dead() {
	path, remove := scratch()
	defer remove()

	q := open[Job](path, nil)
	defer closeQueue(q)
	enqueue(q, Job{ID: -1}, Job{ID: 2})
	item := dequeue(q)
	item.Dead(errors.New("no such job"))
	fmt.Println(dequeue(q).Value.ID)
	// Output: 2
}

// A wait that ends has taken nothing.
func ExampleQueue_Dequeue() {
	path, remove := scratch()
	defer remove()

	q := open[Job](path, nil)
	defer closeQueue(q)
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	_, err := q.Dequeue(ctx)
	fmt.Println(errors.Is(err, context.DeadlineExceeded))
	// Output: true
}

func ExampleQueue_TryDequeue() {
	path, remove := scratch()
	defer remove()

	q := open[Job](path, nil)
	defer closeQueue(q)
	enqueue(q, Job{ID: 1}, Job{ID: 2})
	for {
		item, err := q.TryDequeue()
		if errors.Is(err, queue.ErrEmpty) {
			break
		}
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(item.Value.ID)
		item.Ack()
	}
	// Output:
	// 1
	// 2
}

func ExampleQueue_Peek() {
	path, remove := scratch()
	defer remove()

	q := open[Job](path, nil)
	defer closeQueue(q)
	enqueue(q, Job{ID: 1}, Job{ID: 2})
	next, err := q.Peek()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(next.ID, dequeue(q).Value.ID)
	// Output: 1 1
}

func ExampleQueue_Len() {
	path, remove := scratch()
	defer remove()

	q := open[Job](path, nil)
	defer closeQueue(q)
	enqueue(q, Job{ID: 1}, Job{ID: 2}, Job{ID: 3})
	item := dequeue(q)
	waiting, err := q.Len()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(waiting, "wait,", q.InFlight(), "in flight")
	item.Ack()
	fmt.Println(q.InFlight(), "in flight")
	// Output:
	// 2 wait, 1 in flight
	// 0 in flight
}

func ExampleQueue_EnqueueBatch() {
	path, remove := scratch()
	defer remove()

	q := open[Job](path, nil)
	defer closeQueue(q)
	first, err := q.EnqueueBatch([]Job{{ID: 1}, {ID: 2}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(first, dequeue(q).Value.ID, dequeue(q).Value.ID)
	// Output: 0 1 2
}

// The records of Text are {"text":"…"}, those of Bytes {"base64":"…"}.
func ExampleText() {
	path, remove := scratch()
	defer remove()

	q := open(path, &queue.Options[string]{Codec: queue.Text()})
	defer closeQueue(q)
	enqueue(q, "hello", "")
	for record, err := range q.Log().Records(0) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s\n", record.Data)
	}
	// Output:
	// {"text":"hello"}
	// {"text":""}
}

func ExampleBytes() {
	path, remove := scratch()
	defer remove()

	q := open(path, &queue.Options[[]byte]{Codec: queue.Bytes()})
	defer closeQueue(q)
	enqueue(q, []byte("\x00\xff"))
	fmt.Printf("%x\n", dequeue(q).Value)
	// Output: 00ff
}

// Two programs share a queue: one enqueues, the other only consumes. (Here both
// are one.)
func ExampleOptions_consumeOnly() {
	path, remove := scratch()
	defer remove()

	producer := open[Job](path, nil)
	defer closeQueue(producer)
	enqueue(producer, Job{ID: 17})

	consumer := open(path, &queue.Options[Job]{ConsumeOnly: true})
	defer closeQueue(consumer)
	item := dequeue(consumer)
	fmt.Println("job", item.Value.ID)
	item.Ack()
	// Output: job 17
}

// A queue whose segments go once they are consumed takes the space of what
// waits in it and of two segments.
func ExampleOptions() {
	path, remove := scratch()
	defer remove()

	opts := &queue.Options[Job]{DropConsumed: true}
	opts.Log.SegmentRecords = 2
	q := open(path, opts)
	enqueue(q, Job{ID: 1}, Job{ID: 2})
	enqueue(q, Job{ID: 3})
	for range 3 {
		dequeue(q).Ack()
	}
	closeQueue(q)

	q = open(path, opts)
	defer closeQueue(q)
	start, next := q.Log().Bounds()
	fmt.Println("the log holds", start, "to", next)
	// Output: the log holds 2 to 3
}
