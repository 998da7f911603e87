package group

import (
	"container/heap"
	"math/rand/v2"
	"time"
)

// backoff is how long a record that failed waits: twice as long with each
// attempt, up to most, and of that a random part between a half and all, so that
// what failed together does not come again together.
type backoff struct {
	first, most time.Duration
}

// delay is the wait behind an attempt, from 1.
func (b backoff) delay(attempt int) time.Duration {
	d := b.most
	if shift := max(attempt, 1) - 1; shift < 32 && b.first < b.most>>shift {
		d = b.first << shift
	}
	if d < 2 {
		return max(d, 0)
	}
	return d/2 + rand.N(d-d/2)
}

// retries are the messages that wait for their next attempt, the one that is
// due first in front.
type retries []retry

type retry struct {
	due time.Time
	msg *Message
}

// add lets a message wait until due.
func (r *retries) add(due time.Time, msg *Message) { heap.Push((*retryHeap)(r), retry{due, msg}) }

// take returns a message that is due, or nil.
func (r *retries) take(now time.Time) *Message {
	if len(*r) == 0 || (*r)[0].due.After(now) {
		return nil
	}
	return heap.Pop((*retryHeap)(r)).(retry).msg
}

// due is when the first of them is due; zero where there is none.
func (r *retries) due() time.Time {
	if len(*r) == 0 {
		return time.Time{}
	}
	return (*r)[0].due
}

// retryHeap implements [heap.Interface]: by time, then by offset.
type retryHeap retries

func (h retryHeap) Len() int { return len(h) }

func (h retryHeap) Less(i, j int) bool {
	if h[i].due.Equal(h[j].due) {
		return h[i].msg.Offset < h[j].msg.Offset
	}
	return h[i].due.Before(h[j].due)
}

func (h retryHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

// Push implements heap.Interface.
func (h *retryHeap) Push(x any) { *h = append(*h, x.(retry)) }

// Pop implements heap.Interface.
func (h *retryHeap) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	(*h)[last] = retry{}
	*h = (*h)[:last]
	return x
}
