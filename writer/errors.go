package writer

import (
	"errors"
	"fmt"
)

// ErrPoisoned is matched by every error of a writer that may not write any
// more: an fsync failed, so that what the page cache holds may never reach the
// disk; a failed write could not be cut back; or another program wrote to the
// file. Open the log again: that recovers what is there.
var ErrPoisoned = errors.New("writer is poisoned; open the log again")

// PoisonedError matches [ErrPoisoned] and says why.
type PoisonedError struct {
	Err error // what happened first
}

// Error implements error.
func (e *PoisonedError) Error() string { return fmt.Sprintf("%v: %v", ErrPoisoned, e.Err) }

// Is reports whether target is [ErrPoisoned].
func (e *PoisonedError) Is(target error) bool { return target == ErrPoisoned }

// Unwrap returns what happened first.
func (e *PoisonedError) Unwrap() error { return e.Err }

// BatchError says how much of a call is stored.
type BatchError struct {
	First   uint64 // offset of the first record of the call, if any is stored
	Stored  int    // how many records are, from the first on
	Unknown bool   // whether more of them are cannot be known before the log is opened again
	Err     error
}

// Error implements error.
func (e *BatchError) Error() string {
	switch {
	case e.Unknown:
		return fmt.Sprintf("append: %d records stored, the outcome of the rest is unknown: %v", e.Stored, e.Err)
	case e.Stored == 0:
		return fmt.Sprintf("append: nothing stored: %v", e.Err)
	}
	return fmt.Sprintf("append: %d records stored from offset %d: %v", e.Stored, e.First, e.Err)
}

// Unwrap returns what stopped the call.
func (e *BatchError) Unwrap() error { return e.Err }

// RecordError says which record of a call was refused.
type RecordError struct {
	Index int // in the call, from 0
	Err   error
}

// Error implements error.
func (e *RecordError) Error() string { return fmt.Sprintf("record %d of the call: %v", e.Index, e.Err) }

// Unwrap returns why.
func (e *RecordError) Unwrap() error { return e.Err }

// ConflictError is returned by a conditional append when the next offset is
// not the expected one. Nothing is stored.
type ConflictError struct {
	Expect uint64
	Next   uint64
}

// Error implements error.
func (e *ConflictError) Error() string {
	return fmt.Sprintf("append: expected the next offset to be %d, it is %d", e.Expect, e.Next)
}
