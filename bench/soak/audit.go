package main

import (
	"context"
	"errors"
	"fmt"

	"example.com/jlq/partition"
)

// audit reads what is left when all have gone: every record is that of the
// life that wrote it, and verify finds nothing.
func (r *run) audit(ctx context.Context) error {
	p, err := partition.OpenReader(r.log(), nil)
	if err != nil {
		return err
	}
	return errors.Join(r.auditRecords(p), auditFiles(ctx, p), p.Close())
}

func (r *run) auditRecords(p *partition.Partition) error {
	start, next := p.Bounds()
	if next != r.ledger.end {
		return fmt.Errorf("the log ends at %d, not at %d", next, r.ledger.end)
	}
	r.tally.start = start
	c := checker{seed: r.Seed, position: position{Next: start}}
	for rec, err := range p.Records(start) {
		if err == nil {
			err = c.see(rec)
		}
		if err != nil {
			return fmt.Errorf("audit: %w", err)
		}
		if life := r.ledger.lifeOf(rec.Offset); life != c.life {
			return fmt.Errorf("audit: record %d is of life %d, it was written in life %d", rec.Offset, c.life, life)
		}
	}
	if c.Next != next {
		return fmt.Errorf("audit: %d of %d records", c.Next-start, next-start)
	}
	return nil
}

func auditFiles(ctx context.Context, p *partition.Partition) error {
	for problem, err := range p.Verify(ctx) {
		if err != nil {
			return err
		}
		if !problem.Note {
			return fmt.Errorf("verify: %+v", problem)
		}
	}
	return nil
}
