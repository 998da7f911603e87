package topic

import "example.com/jlq/internal/offsets"

// ErrName is matched by the error about a name that no topic can have.
var ErrName = offsets.ErrName

// CheckName returns nil for a name that a topic can have: it matches
// [a-z0-9][a-z0-9._-]{0,62}, and so is no path, no hidden file and no flag. It is
// asked before a name becomes part of anything.
func CheckName(name string) error { return offsets.CheckName(name) }
