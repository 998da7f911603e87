package vfs

// Labeler is an open file that can carry a short text beside its bytes, which
// nobody sees who reads it, and which a copy of it or a file that takes its name
// does not have, as a rule.
type Labeler interface {
	// Label returns what SetLabel left, "" where that is nothing. Where the file
	// system keeps no labels, errors match [errors.ErrUnsupported].
	Label() (string, error)

	// SetLabel replaces the label, at most 255 bytes. The file need not be open
	// for writing, but whoever has it open must be allowed to write to it. A
	// power loss leaves the old label or the new one, or none, synced or not.
	SetLabel(text string) error
}
