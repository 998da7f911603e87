package main

import (
	"context"
	"io"
)

const (
	feedBlock  = 256 << 10
	feedBlocks = 4
)

// feed reads an input ahead in a goroutine, so that the caller can tell a
// pause from more to come, and can stop waiting when a signal comes.
type feed struct {
	blocks chan fedBlock
	free   chan []byte
}

type fedBlock struct {
	data []byte
	err  error // of the last block; io.EOF at the end
}

// startFeed begins to read. The goroutine ends with the input, or with ctx
// once a read that is under way returns.
func startFeed(ctx context.Context, r io.Reader) *feed {
	f := &feed{
		blocks: make(chan fedBlock, feedBlocks),
		free:   make(chan []byte, feedBlocks),
	}
	for range feedBlocks {
		f.free <- make([]byte, feedBlock)
	}
	go f.pump(ctx, r)
	return f
}

func (f *feed) pump(ctx context.Context, r io.Reader) {
	for {
		select {
		case buf := <-f.free:
			n, err := r.Read(buf)
			// This never waits: the channel holds as many blocks as there are.
			f.blocks <- fedBlock{buf[:n], err}
			if err != nil {
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

// take appends one block to dst. Without wait it returns at once, with ok
// false, when none is there. A block that comes with an error is the last.
func (f *feed) take(ctx context.Context, dst []byte, wait bool) (out []byte, ok bool, err error) {
	var block fedBlock
	select {
	case block = <-f.blocks:
	default:
		if !wait {
			return dst, false, nil
		}
		select {
		case block = <-f.blocks:
		case <-ctx.Done():
			return dst, false, context.Cause(ctx)
		}
	}
	dst = append(dst, block.data...)
	if block.err == nil {
		f.free <- block.data[:feedBlock]
	}
	return dst, true, block.err
}
