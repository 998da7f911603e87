package partition

import (
	"fmt"
	"path/filepath"

	"example.com/jlq/internal/segment"
)

// RepairAction is one thing that [Repair] does, or would do.
type RepairAction struct {
	Action   string `json:"action"`          // see the Action constants
	Path     string `json:"path"`            // the file that is changed
	Offset   uint64 `json:"offset"`          // of the first record concerned
	Records  uint64 `json:"records"`         // how many places for records are concerned
	Kept     uint64 `json:"kept"`            // in how many of them a record is kept
	Lost     uint64 `json:"lost"`            // how many records are lost, as far as is known
	Position int64  `json:"position"`        // in the records file
	Length   int64  `json:"length"`          // bytes concerned
	Reason   string `json:"reason"`          // what was wrong, for people
	Saved    string `json:"saved,omitempty"` // where the bytes are kept; before it is done, a name that may be taken
	Done     bool   `json:"done"`            // it has been done
}

// Kinds of [RepairAction].
const (
	ActionFill    = "fill"    // damage in the middle becomes blank lines
	ActionCut     = "cut"     // damage at the end is cut off
	ActionLost    = "lost"    // nothing is there to be repaired: entries without records
	ActionNewline = "newline" // the last record gets its newline
	ActionIndex   = "index"   // the index is derived from the records
	ActionPromise = "promise" // partition.json says how far the records are synced
	ActionMeta    = "meta"    // partition.json is written anew
)

// String says the action in one line: what is done, or is to be done.
func (a RepairAction) String() string {
	text := a.Path + ": "
	switch a.Action {
	case ActionFill:
		return text + fmt.Sprintf("%s, %d bytes from position %d: %s: %s", a.span(), a.Length, a.Position, a.Reason, a.outcome())
	case ActionCut:
		return text + fmt.Sprintf("%d bytes from position %d: %s: %s and %s%s",
			a.Length, a.Position, a.Reason, a.save(), a.tense("cut them off", "cut off"), a.lostTail())
	case ActionLost:
		return text + fmt.Sprintf("%s: lost, and given out again by the next append: %s", a.span(), a.Reason)
	case ActionNewline:
		return text + fmt.Sprintf("record %d, position %d: %s the newline that is missing at its end", a.Offset, a.Position, a.tense("write", "wrote"))
	case ActionIndex:
		return text + fmt.Sprintf("%s from %s: %s", a.tense("derive it", "derived"), segment.Plural(a.Records, "record"), a.Reason)
	case ActionMeta:
		return text + fmt.Sprintf("%s %s and %s a new one: %s",
			a.tense("keep it as", "kept as"), filepath.Base(a.Saved), a.tense("write", "wrote"), a.Reason)
	}
	return text + fmt.Sprintf("%s to start %d, synced %d: %s", a.tense("set it", "was set"), a.Offset, a.Position, a.Reason)
}

func (a *RepairAction) tense(before, after string) string {
	if a.Done {
		return after
	}
	return before
}

func (a *RepairAction) save() string {
	return a.tense("save them in ", "saved in ") + filepath.Base(a.Saved)
}

func (a *RepairAction) span() string { return recordsText(a.Offset, max(a.Records, 1)) }

// outcome says what is left of the records of a damaged range.
func (a *RepairAction) outcome() string {
	switch {
	case a.Kept == a.Records:
		return a.save() + fmt.Sprintf(" and %s the newlines again; no record is lost", a.tense("write", "wrote"))
	case a.Kept == 0:
		return a.save() + fmt.Sprintf(" and %s %s in their place", a.tense("leave", "left"), segment.Plural(a.Records, "blank line"))
	default:
		return a.save() + fmt.Sprintf(" and %s %s for what is lost; %s kept", a.tense("leave", "left"),
			segment.Plural(a.Records-a.Kept, "blank line"), segment.Plural(a.Kept, "record"))
	}
}

func (a *RepairAction) lostTail() string {
	if a.Lost == 0 {
		return ""
	}
	return fmt.Sprintf("; %s lost, and given out again by the next append", a.span())
}
