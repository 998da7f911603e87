// Package inorder works on the items of a sequence on all cores and hands out
// what comes of them in the order of the items:
//
//	for r := range inorder.Each(ctx, pieces, work) {
//		use(r)
//	}
//
// One goroutine ranges over the items, each of several works on one, and the
// caller gets the results. There are so many results and no more, which bounds
// the memory: a new item waits for a result that the caller is done with.
package inorder

import (
	"context"
	"iter"
	"runtime"
	"sync"
)

// slot is a result and what it is made of.
type slot[T, R any] struct {
	item   T
	result R
	done   chan struct{} // holds one token once the result is there
}

// Each yields what work makes of each item, in order. A result is valid until the
// next step; its memory is handed to work again, which empties it first. Work is
// called once for each item, by one of several goroutines; none runs any more
// when the range is over. It ends early when ctx does, which is for the caller
// to see.
func Each[T, R any](ctx context.Context, items iter.Seq[T], work func(context.Context, T, *R)) iter.Seq[*R] {
	return func(yield func(*R) bool) {
		workers := runtime.GOMAXPROCS(0)
		n := 2*workers + 2
		free, todo, order := make(chan *slot[T, R], n), make(chan *slot[T, R], n), make(chan *slot[T, R], n)
		for range n {
			free <- &slot[T, R]{done: make(chan struct{}, 1)}
		}
		ctx, cancel := context.WithCancel(ctx)
		var running sync.WaitGroup
		defer running.Wait()
		defer cancel()
		running.Go(func() { hand(ctx, items, free, todo, order) })
		for range workers {
			running.Go(func() {
				for s := range todo {
					s.run(ctx, work)
				}
			})
		}
		for s := range order {
			<-s.done
			if !yield(&s.result) {
				return
			}
			free <- s
		}
	}
}

// hand puts each item into a slot that is free, for the workers and for the caller.
func hand[T, R any](ctx context.Context, items iter.Seq[T], free <-chan *slot[T, R], todo, order chan<- *slot[T, R]) {
	// Both hold all there are, so that only free is waited for.
	defer close(todo)
	defer close(order)
	for item := range items {
		select {
		case s := <-free:
			s.item = item
			todo <- s
			order <- s
		case <-ctx.Done():
			return
		}
	}
}

// run works on the item, and forgets it.
func (s *slot[T, R]) run(ctx context.Context, work func(context.Context, T, *R)) {
	work(ctx, s.item, &s.result)
	var none T
	s.item = none
	s.done <- struct{}{}
}
