package main

import (
	"fmt"

	"example.com/jlq/partition"
)

// checker is what one follower knows: which record comes next. It belongs to
// one goroutine at a time.
type checker struct {
	seed uint64
	position
	life int // of the last record
}

// position is how far a follower has come.
type position struct {
	Next      uint64 // the record that is to come
	Overtaken uint64 // records that retention dropped before they were read
	Jumps     int    // times that this happened
}

// see takes in the next record. Under the offset n lies record n, so that one
// that is missing, or there twice, moves all behind it and is noticed.
func (c *checker) see(rec partition.Record) error {
	if rec.Offset != c.Next {
		return fmt.Errorf("offset %d came, expected %d", rec.Offset, c.Next)
	}
	n, life, err := parseRecord(c.seed, rec.Data)
	switch {
	case err != nil:
		return fmt.Errorf("offset %d: %w", rec.Offset, err)
	case n != rec.Offset:
		return fmt.Errorf("offset %d: record %d lies there", rec.Offset, n)
	case life < c.life:
		return fmt.Errorf("offset %d: a record of life %d behind one of life %d", rec.Offset, life, c.life)
	}
	c.Next, c.life = rec.Offset+1, life
	return nil
}

// jump takes in that the log begins behind the record that was to come. Nothing
// else is an excuse for not reading it.
func (c *checker) jump(e *partition.RangeError) error {
	if e.Offset != c.Next || e.Start <= c.Next || e.Start > e.Next {
		return fmt.Errorf("expected %d: %w", c.Next, e)
	}
	c.Overtaken += e.Start - c.Next
	c.Jumps++
	c.Next = e.Start
	return nil
}
