package offsets

import (
	"fmt"
	"math"
)

// Format is the version of the file that this package writes.
const Format = 1

// MaxNext bounds the offsets that the file may name.
const MaxNext = math.MaxInt64

// File is the content of offsets.json.
type File struct {
	Format int `json:"format"`
	// Groups has the registered groups by name, and of each the entries by
	// [Place.Key].
	Groups map[string]map[string]Entry `json:"groups"`
}

// Entry is how far a group is in one partition.
type Entry struct {
	Next     uint64 `json:"next"`     // offset that is read next
	Check    string `json:"check"`    // first 16 hex digits of the SHA-256 of record Next-1; "" where it is not known
	Gen      uint64 `json:"gen"`      // generation of the claim
	Held     bool   `json:"held"`     // a member holds the claim, or died holding it
	Attempts int    `json:"attempts"` // attempts at Next that ended in a crash
}

// Commit moves e to next on behalf of the claim of generation gen. The record
// before next has the given check. Going back, or without the claim, it fails
// and e stays as it is: with [ErrFenced] or [ErrBackwards].
func (e *Entry) Commit(gen, next uint64, check string) error {
	switch {
	case gen != e.Gen:
		return fmt.Errorf("%w: claim %d, it is at %d", ErrFenced, gen, e.Gen)
	case next < e.Next:
		return fmt.Errorf("%w: commit of %d, it is at %d", ErrBackwards, next, e.Next)
	case next > e.Next:
		e.Next, e.Check, e.Attempts = next, check, 0
	}
	return nil
}

// Lookup returns the entry of a group for a partition.
func (f *File) Lookup(group, key string) (e Entry, ok bool) {
	e, ok = f.Groups[group][key]
	return e, ok
}

// Set stores an entry, and registers the group where it is new.
func (f *File) Set(group, key string, e Entry) {
	f.Register(group)
	f.Groups[group][key] = e
}

// Register makes a group known. One that has no entry for a partition has
// consumed nothing of it.
func (f *File) Register(group string) {
	if f.Groups == nil {
		f.Groups = map[string]map[string]Entry{}
	}
	if f.Groups[group] == nil {
		f.Groups[group] = map[string]Entry{}
	}
}
