package partition

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"example.com/jlq/internal/segment"
)

// drop makes it durable that the segments go which plan drops. The disk may be
// too full for the new partition.json, which is what makes room: then indexes of
// these segments go first, one by one until it can be written. They are derived
// from the records, which stay.
//
// Crash table, by the step before which the power fails:
//
//	an index is removed    nothing has changed
//	partition.json         segments that were to go have no index: reading them is
//	                       an error until the next trim, or repair makes it anew
func (p *Partition) drop(plan *TrimPlan) error {
	err, removed := p.promiseDrop(plan), 0
	for i := 0; i < plan.dropped() && roomLacked(err); i++ {
		removeErr := p.opts.FS.Remove(segment.PairAt(p.place.Path, plan.Segments[i].Base).Index)
		if errors.Is(removeErr, fs.ErrNotExist) {
			continue // it is away, or an earlier trim has removed it and failed
		}
		if removeErr != nil {
			return errors.Join(err, removeErr)
		}
		removed++
		err = p.promiseDrop(plan)
	}
	if err != nil && removed > 0 {
		err = fmt.Errorf("%w (to make room, %d indexes of segments that were to go have been removed; "+
			"trim again, or let repair make them anew)", err, removed)
	}
	return err
}

func (p *Partition) promiseDrop(plan *TrimPlan) error {
	return p.meta.change(func(m *segment.Meta) { *m = m.Drops(plan.Segments[0].Base, plan.NewStart) })
}

// roomLacked reports whether err says that there was no room for a file that was
// written. A failed sync is none of these: it is not tried again.
func roomLacked(err error) bool {
	pe, ok := errors.AsType[*fs.PathError](err)
	return ok && (pe.Op == "open" || pe.Op == "write") &&
		(errors.Is(pe.Err, syscall.ENOSPC) || errors.Is(pe.Err, syscall.EDQUOT))
}
