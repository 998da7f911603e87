package partition

import (
	"context"
	"errors"

	"example.com/jlq/internal/segment"
)

// RepairOptions say what [Repair] may do.
type RepairOptions struct {
	// Execute does what is otherwise only planned.
	Execute bool

	// Renumber lets records behind damage get other offsets than they had,
	// where nothing proves how many were lost before them. Without it such a
	// log is left as it is.
	Renumber bool
}

// RepairReport says what [Repair] found to do.
type RepairReport struct {
	Actions []RepairAction // in the order in which they are done
	Shifts  []string       // records that may change their offsets, and why
	Left    []string       // what cannot be repaired
	Begun   bool           // something has been changed
	Done    bool           // the actions have been done
}

// Repair plans how a damaged log is put right and, with Execute, does it. It
// takes the writer's lock ([ErrLocked] when another has it) and needs nothing
// of the log but its files.
//
// Damaged bytes are never deleted: they are first saved in a file beside the
// records, <base>.torn-<position>. A record that is lost in the middle leaves
// a blank line, of the same length where it is known, so that all records
// behind it keep their positions and, as far as the index or the next segment
// proves how many were lost, their offsets. Damage that reaches the end of the
// last segment is cut off. An index that is not that of the records is derived
// again. It is safe to be interrupted, and to be run again.
func Repair(ctx context.Context, path string, opts *Options, how RepairOptions) (report RepairReport, err error) {
	r := repairer{ctx: ctx, p: &Partition{opts: opts.withDefaults()}, how: how}
	err = r.run(path)
	return r.report, errors.Join(err, r.p.locks.Release())
}

// repairer is one run of Repair.
type repairer struct {
	ctx    context.Context
	p      *Partition
	how    RepairOptions
	report RepairReport

	found   []segment.Files
	bases   []uint64      // of all segments, those that are away too
	meta    *segment.Meta // nil where there is none, or none that can be read
	badMeta error         // why it cannot be read
	keptAs  string        // the name that it gets, or has got
	away    []string      // what is said of the segments that are away
	plans   []*segment.PairRepair
	torn    segment.Torn

	done, total int64 // bytes, for the progress
}

func (r *repairer) run(path string) error {
	if err := r.locate(path); err != nil {
		return err
	}
	if err := r.plan(); err != nil {
		return err
	}
	r.tell()
	if !r.how.Execute || len(r.report.Shifts) > 0 && !r.how.Renumber {
		return nil
	}
	if err := r.execute(); err != nil {
		return err
	}
	r.report.Done = true
	r.tell() // where the bytes are is known only now
	return nil
}

// locate finds the log, locks it and reads its promise.
func (r *repairer) locate(path string) (err error) {
	p := r.p
	if p.place, err = segment.Locate(p.opts.FS, path); err != nil {
		return err
	}
	if err := p.refuseSegment(); err != nil {
		return err
	}
	if err := p.refuseNetwork(); err != nil {
		return err
	}
	if p.place.Bare {
		return r.lockBare()
	}
	if err := p.locks.Take(p.opts.FS, path); err != nil {
		return err
	}
	r.meta, err = p.readMeta()
	if corrupt, ok := errors.AsType[*CorruptError](err); ok {
		r.badMeta, r.keptAs, err = corrupt.Err, p.metaPath()+badSuffix, nil
	}
	return err
}

func (r *repairer) lockBare() error {
	pair := segment.BarePair(r.p.place.Path)
	if err := r.p.locks.Take(r.p.opts.FS, pair.Records); err != nil {
		return err
	}
	return ignoreMissing(r.p.locks.Take(r.p.opts.FS, pair.Index))
}

// execute does what was planned, the promise last.
func (r *repairer) execute() error {
	for i, plan := range r.plans {
		promised := r.badMeta != nil && i == len(r.plans)-1
		if plan.Left != "" || !plan.Needed() && !promised {
			continue
		}
		if err := context.Cause(r.ctx); err != nil {
			return err
		}
		if err := r.lockRecords(plan); err != nil {
			return err
		}
		r.done, r.total, r.report.Begun = 0, plan.Size(), true
		if err := plan.Apply(); err != nil {
			return err
		}
	}
	return r.promise()
}

// lockRecords excludes a writer that came to the file under another name.
func (r *repairer) lockRecords(plan *segment.PairRepair) error {
	if r.p.place.Bare {
		return nil
	}
	return r.p.locks.Take(r.p.opts.FS, plan.Records)
}
