package partition

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// sentRecord is a record that knows its number within what one goroutine sends.
type sentRecord struct {
	By  int    `json:"by"`
	N   int    `json:"n"`
	Pad string `json:"pad"`
}

// crowd is many goroutines that append to one log, and what they were told.
type crowd struct {
	p  *Partition
	mu sync.Mutex
	at map[uint64]sentRecord // by offset
}

// send appends n records in batches of all sizes.
func (c *crowd) send(by, n int) error {
	rng := rand.New(rand.NewPCG(uint64(by), 1))
	for sent := 0; sent < n; {
		var batch [][]byte
		var recs []sentRecord
		for range min(1+rng.IntN(4), n-sent) {
			rec := sentRecord{by, sent + len(batch), strings.Repeat("x", rng.IntN(200)*rng.IntN(20))}
			data, err := json.Marshal(rec)
			if err != nil {
				return err
			}
			batch, recs = append(batch, data), append(recs, rec)
		}
		first, err := c.p.AppendBatch(batch)
		if err != nil {
			return err
		}
		c.mu.Lock()
		for i, rec := range recs {
			c.at[first+uint64(i)] = rec
		}
		c.mu.Unlock()
		sent += len(batch)
	}
	return nil
}

// follow reads what comes until it has n records, and compares.
func (c *crowd) follow(n int) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	got := map[uint64]sentRecord{}
	next := uint64(0)
	for rec, err := range c.p.Follow(ctx, 0) {
		if err != nil {
			return err
		}
		if rec.Offset != next {
			return fmt.Errorf("offset %d, want %d", rec.Offset, next)
		}
		var v sentRecord
		if err := json.Unmarshal(rec.Data, &v); err != nil {
			return err
		}
		got[next] = v
		if next++; next == uint64(n) {
			return c.compare(got)
		}
	}
	return errors.New("ended")
}

func (c *crowd) compare(got map[uint64]sentRecord) error {
	// The last append may not have told yet which offset it had.
	for range 1000 {
		c.mu.Lock()
		all := len(c.at) == len(got)
		c.mu.Unlock()
		if all {
			break
		}
		time.Sleep(time.Millisecond)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for offset, v := range c.at {
		if got[offset] != v {
			return fmt.Errorf("record %d is %v, was acknowledged as %v", offset, got[offset], v)
		}
	}
	return nil
}

// read reads at random, forwards and backwards, what is there, until done.
func (c *crowd) read(seed uint64, done <-chan struct{}) error {
	rng := rand.New(rand.NewPCG(seed, 2))
	for {
		select {
		case <-done:
			return nil
		default:
		}
		_, next := c.p.Bounds()
		if next == 0 {
			continue
		}
		at := rng.Uint64N(next)
		if rng.IntN(4) > 0 {
			at = next - 1 - min(next-1, rng.Uint64N(5)) // where it is hot
		}
		if err := c.readAt(at, next); err != nil {
			return err
		}
	}
}

func (c *crowd) readAt(at, next uint64) error {
	data, err := c.p.Get(at)
	if err != nil || !json.Valid(data) {
		return fmt.Errorf("get %d of %d: %q %w", at, next, data, err)
	}
	want := at
	for rec, err := range c.p.Records(at) {
		if err != nil || rec.Offset != want || !json.Valid(rec.Data) {
			return fmt.Errorf("record %d, want %d: %q %w", rec.Offset, want, rec.Data, err)
		}
		if want++; want > at+20 {
			break
		}
	}
	if want < min(next, at+20) {
		return fmt.Errorf("records from %d ended at %d, before %d", at, want, next)
	}
	want = next
	for rec, err := range c.p.Backward(next) {
		want--
		if err != nil || rec.Offset != want || !json.Valid(rec.Data) {
			return fmt.Errorf("backwards: record %d, want %d: %q %w", rec.Offset, want, rec.Data, err)
		}
		if want+20 < next {
			break
		}
	}
	return nil
}

// TestRollBesideReaders: writers, followers and readers at random see one log
// without a seam, whatever rolls.
func TestRollBesideReaders(t *testing.T) {
	for _, mode := range syncModes {
		for _, limit := range []Options{
			{SegmentRecords: 7},
			{SegmentBytes: 2000},
			{SegmentAge: 2 * time.Millisecond},
			{}, // by hand
		} {
			name := fmt.Sprintf("%v records %d bytes %d age %v", mode, limit.SegmentRecords, limit.SegmentBytes, limit.SegmentAge)
			t.Run(name, func(t *testing.T) {
				limit.Sync = mode
				beside(t, limit)
			})
		}
	}
}

func beside(t *testing.T, opts Options) {
	const senders, each = 4, 50
	path := filepath.Join(t.TempDir(), "p")
	c := &crowd{p: mustOpen(t, path, &opts), at: map[uint64]sentRecord{}}
	done := make(chan struct{})
	var writing, reading sync.WaitGroup
	failed := make(chan error, 100)
	run := func(wg *sync.WaitGroup, do func() error) {
		wg.Go(func() {
			if err := do(); err != nil {
				failed <- err
			}
		})
	}
	for i := range senders {
		run(&writing, func() error { return c.send(i, each) })
	}
	run(&writing, func() error { return c.follow(senders * each) })
	for i := range uint64(2) {
		run(&reading, func() error { return c.read(i, done) })
	}
	run(&reading, func() error { return c.rollByHand(opts.rollsAlone(), done) })
	writing.Wait()
	close(done)
	reading.Wait()
	close(failed)
	for err := range failed {
		require.NoError(t, err)
	}
	if c.p.Stats().Written.Rolls == 0 && !opts.rollsAlone() {
		require.NoError(t, c.p.Roll()) // the others were done before a roll had its turn
	}
	require.Eventually(t, func() bool { return c.p.Stats().Written.Rolls > 0 }, time.Minute, time.Millisecond)
	require.NoError(t, c.p.Close())
	require.Empty(t, problems(t, path))

	got := map[uint64]sentRecord{}
	p := mustOpen(t, path, nil)
	for rec, err := range p.Records(0) {
		require.NoError(t, err)
		var v sentRecord
		require.NoError(t, rec.Decode(&v))
		got[rec.Offset] = v
	}
	require.NoError(t, p.Close())
	require.Equal(t, c.at, got)
}

// rollByHand rolls again and again, also where the log rolls alone.
func (c *crowd) rollByHand(alone bool, done <-chan struct{}) error {
	for {
		select {
		case <-done:
			return nil
		case <-time.After(3 * time.Millisecond):
		}
		if err := c.p.Roll(); err != nil && !errors.Is(err, ErrEmptySegment) {
			return err
		}
		if alone {
			time.Sleep(30 * time.Millisecond)
		}
	}
}
