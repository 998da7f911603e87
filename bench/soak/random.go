package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"example.com/jlq/partition"
)

// random gets records at random places, in a process of its own.
func (r *role) random() error {
	p, err := r.openReader()
	if err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(r.Seed, 1))
	var reads, gone uint64
	var buf []byte
	var told time.Time
	for ; ; time.Sleep(2 * time.Millisecond) {
		select {
		case <-dismissed():
			say("random %d %d", reads, gone)
			return p.Close()
		default:
		}
		start, next := p.Bounds()
		for range min(100, next-start) {
			offset := start + rng.Uint64N(next-start)
			var ok bool
			if buf, ok, err = getRecord(p, r.Seed, buf, offset); err != nil {
				return errors.Join(err, p.Close())
			}
			reads++
			if !ok {
				gone++
			}
		}
		if time.Since(told) > sayEvery {
			say("random %d %d", reads, gone)
			told = time.Now()
		}
	}
}

// getRecord reads one record and checks it. It is not ok where retention has
// dropped it since the bounds were read.
func getRecord(p *partition.Partition, seed uint64, buf []byte, offset uint64) (rec []byte, ok bool, err error) {
	buf, err = p.GetInto(buf, offset)
	if e, is := rangeError(err); is && e.Start > offset {
		return buf, false, nil
	}
	if err != nil {
		return buf, false, fmt.Errorf("random reader, offset %d: %w", offset, err)
	}
	n, _, err := parseRecord(seed, buf)
	if err == nil && n != offset {
		err = fmt.Errorf("record %d lies there", n)
	}
	if err != nil {
		return buf, false, fmt.Errorf("random reader, offset %d: %w", offset, err)
	}
	return buf, true, nil
}
