package main

import (
	"context"
	"errors"
	"strings"
	"time"

	"example.com/jlq/partition"
)

// batchSize is how many records are appended at once.
const batchSize = 500

// write appends until there are enough records, with two followers beside.
func (r *role) write() error {
	began := time.Now()
	opts, err := r.options()
	if err != nil {
		return err
	}
	p, err := partition.Open(r.log(), opts)
	if err != nil {
		return err
	}
	start, next := p.Bounds()
	say("open %d %d %d", start, next, time.Since(began))
	if lines := p.Recovery().Lines(); len(lines) > 0 && r.Life > 1 {
		say("recovery %s", strings.Join(lines, "; "))
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	for k := range followers - 1 {
		f := newFollower(r, p, k)
		go func() { cancel(f.run(ctx)) }()
	}
	if next, err = r.appendAll(ctx, p, next); err != nil {
		return errors.Join(err, p.Close())
	}
	say("end %d", next)
	select {
	case <-ctx.Done():
		return errors.Join(context.Cause(ctx), p.Close())
	case <-dismissed():
	}
	return p.Close()
}

func (r *role) options() (*partition.Options, error) {
	mode, err := partition.ParseSync(r.Sync)
	return &partition.Options{
		Sync: mode, SegmentBytes: r.SegmentBytes, Retention: partition.Retention{MaxBytes: r.KeepBytes},
	}, err
}

// appendAll appends from record next on and returns where it ended. A second's
// records are appended in one go, and the rest of the second it rests.
func (r *role) appendAll(ctx context.Context, p *partition.Partition, next uint64) (uint64, error) {
	var busy time.Duration
	var buf []byte
	batch := make([][]byte, 0, batchSize)
	began, quota := time.Now(), r.Rate
	for next < r.Records && ctx.Err() == nil {
		n := min(batchSize, r.Records-next)
		buf, batch = buf[:0], batch[:0]
		for i := range n {
			at := len(buf)
			buf = r.appendRecord(buf, next+i)
			batch = append(batch, buf[at:len(buf):len(buf)])
		}
		before := time.Now()
		first, err := p.AppendBatch(batch)
		if err != nil {
			return next, err
		}
		busy += time.Since(before)
		next = first + n
		say("ack %d %d %d", first, next, busy)
		if time.Since(began) > r.Duration {
			break
		}
		if quota -= int(n); r.Rate > 0 && quota <= 0 {
			quota = r.Rate
			rest(ctx, began)
		}
	}
	if ctx.Err() != nil {
		return next, context.Cause(ctx)
	}
	return next, nil
}

// appendRecord appends record n, or what a fault made of the middle one.
func (r *role) appendRecord(buf []byte, n uint64) []byte {
	middle := n == r.Records/2
	if middle && r.Fault == "lost" {
		n++
	}
	if middle && r.Fault == "doubled" {
		n--
	}
	buf = appendRecord(buf, r.Seed, r.Life, n)
	if middle && r.Fault == "altered" {
		buf[len(buf)-3] ^= 1
	}
	return buf
}

// rest waits until a whole number of seconds has passed since began.
func rest(ctx context.Context, began time.Time) {
	select {
	case <-ctx.Done():
	case <-time.After(time.Second - time.Since(began)%time.Second):
	}
}
