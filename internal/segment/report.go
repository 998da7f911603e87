package segment

import "fmt"

// Report says what opening a log for writing found and did. Its zero value
// says that everything was in order.
type Report struct {
	Created bool // the log did not exist

	Adopted     uint64 // whole lines behind the last index entry that were taken in
	AdoptedFrom uint64 // offset of the first of them

	TornBytes int64  // bytes of a torn tail that were set aside
	TornPath  string // the file that holds them now
	TornWhy   string // what was wrong with the first of them

	IndexRebuilt bool   // the index was replaced by one made from the records
	IndexReason  string // why

	// ZeroEntries were dropped from the end of the index: what a power loss
	// made of entries that had not reached the disk. They claim no record.
	ZeroEntries uint64

	// LostFrom to LostTo (half-open) are the offsets that the index claimed
	// and the records do not hold.
	LostFrom, LostTo uint64

	Rewritten int64 // bytes above the last writer's promise that were written again and synced

	Rolled    bool // a roll that was broken off was finished
	Leftovers int  // segments without records that broken-off rolls left behind, and that were removed
	Trimmed   int  // segments below the start of the log that were removed, which a crash had kept from it

	WasChecked string // how the records so far were checked, where the new writer checks more

	NewlineAdded   bool // a bare file's last line got its newline
	IncompleteTail bool // and that line is not complete JSON
}

// Lines tells a person what happened, a sentence each. What is routine
// (a new log, bytes written again) is left out.
func (r Report) Lines() []string {
	var lines []string
	say := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	if r.IndexRebuilt {
		say("the index was rebuilt from the records: %s", r.IndexReason)
	}
	if r.ZeroEntries > 0 {
		say("the index ended in %d zero entries, left by a power loss; they were dropped", r.ZeroEntries)
	}
	if r.Adopted > 0 {
		say("%s behind the index adopted as %s", Plural(r.Adopted, "whole line"), span(r.AdoptedFrom, r.AdoptedFrom+r.Adopted))
	}
	if r.TornBytes > 0 {
		say("a torn tail of %d bytes (%s) was set aside in %s", r.TornBytes, r.TornWhy, r.TornPath)
	}
	if r.LostTo > r.LostFrom {
		say("lost: %s, in the index but not in the records file", span(r.LostFrom, r.LostTo))
	}
	if r.Rolled {
		say("a roll that was broken off was finished")
	}
	if r.Leftovers > 0 {
		say("%s without records, left by a roll that was put off or broken off, removed", Plural(uint64(r.Leftovers), "segment"))
	}
	if r.Trimmed > 0 {
		say("%s below the start of the log removed, which trimming had begun with", Plural(uint64(r.Trimmed), "segment"))
	}
	if r.WasChecked != "" {
		say("the records so far were checked by %s only and stay as they are; those that follow are checked strictly", r.WasChecked)
	}
	if r.NewlineAdded {
		say("the last line had no newline and was given one")
	}
	if r.IncompleteTail {
		say("that line is not complete JSON and stays as it is")
	}
	return lines
}

// span names the records of a half-open range.
func span(from, to uint64) string {
	if to-from == 1 {
		return fmt.Sprintf("record %d", from)
	}
	return fmt.Sprintf("records %d to %d", from, to-1)
}

// Plural names n things, each of which is a noun.
func Plural(n uint64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// add takes in what is told of the segment that follows.
func (r *Report) add(next Report) {
	before := *r
	*r = next
	r.Created = r.Created || before.Created
	r.Adopted += before.Adopted
	if before.Adopted > 0 {
		r.AdoptedFrom = before.AdoptedFrom
	}
	if before.IndexRebuilt {
		r.IndexRebuilt, r.IndexReason = true, before.IndexReason
	}
	r.ZeroEntries += before.ZeroEntries
	r.Rewritten += before.Rewritten
}
