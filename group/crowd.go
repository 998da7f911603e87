package group

import (
	"fmt"

	"example.com/jlq/internal/vfs"
)

// A claim is a lock, and a lock an open file: a member of a group of very many
// partitions takes no more of them than leave it handles to read and to commit.

// claimsFor is how many claims a member has at most, where its process may have so
// many files open: half of them. 0 is no bound.
func claimsFor(files int) int { return files / 2 }

// fitting is how many of count partitions the member may still take. That it is
// not all is told once, as the error of the first one that is left.
func (m *Member) fitting(numbers []int, count int) int {
	most, held := claimsFor(m.g.files), len(m.Partitions())
	if count == 0 || most == 0 || held+count <= most {
		return count
	}
	room := max(0, most-held)
	if !m.full {
		m.full = true
		m.report(&PartitionError{Partition: numbers[room], Err: &CrowdedError{
			Group: m.g.name, Held: held + room, Left: count - room, Files: m.g.files}})
	}
	return room
}

// crowded says of claims that are all needed at once what to do where the system
// has no more handles for them.
func (g *Group) crowded(claims int, err error) error {
	if !vfs.Exhausted(err) {
		return err
	}
	return fmt.Errorf("group %s: %d partitions are claimed at once, each with an open file, and this process may have %d: allow more (ulimit -n): %w",
		g.name, claims, g.files, err)
}
