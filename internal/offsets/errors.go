package offsets

import "errors"

// Errors that a caller tells apart by which they are.
var (
	// ErrDamaged: neither offsets.json nor the version before it can be read,
	// so that nobody knows what was consumed.
	ErrDamaged = errors.New("it is not known what was consumed")
	// ErrNewerFormat: a later version of jlq wrote the file.
	ErrNewerFormat = errors.New("written by a newer version of jlq")
	// ErrLeft: a group would begin anew although its offsets are there.
	ErrLeft = errors.New("offsets beside a link, which nobody reads")
	// ErrName: not a name for a group or a topic, or not the number of a partition.
	ErrName = errors.New("not a name")
	// ErrFenced: another member has claimed the partition since.
	ErrFenced = errors.New("claimed by another member")
	// ErrBackwards: a commit below the committed offset; only a reset goes back.
	ErrBackwards = errors.New("below what is committed")
)
