package partition

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"slices"
	"time"

	"example.com/jlq/internal/segment"
	"example.com/jlq/writer"
)

// Trim drops the segments of which every record lies below offset before; the
// first record that is kept is at most before. Where that is the next offset,
// the segment that is appended to goes as well: it is sealed first, so that
// the next record keeps its offset. What Options.Retention holds is kept, and so
// is by default what a registered consumer group has not consumed.
// Offsets never change.
func (p *Partition) Trim(before uint64) error {
	_, err := p.applyTrim(TrimPolicy{Before: before, brief: true})
	return err
}

// PlanTrim says what [Partition.ApplyTrim] would do, and why. It changes
// nothing, and works on a partition that was opened for reading.
func (p *Partition) PlanTrim(policy TrimPolicy) (TrimPlan, error) {
	if p.place.Bare {
		return TrimPlan{}, &fs.PathError{Op: "trim", Path: p.place.Path, Err: ErrNoSegments}
	}
	if err := policy.check(); err != nil {
		return TrimPlan{}, err
	}
	policy.holdAs(&p.opts)
	if p.write == nil {
		return p.planHeld(&policy)
	}
	var plan TrimPlan
	// As in a trim, the turn comes before the holds: in the other order two
	// processes could wait for each other.
	err := p.write.Alone(func(writer.Turn) (err error) {
		plan, err = p.planHeld(&policy)
		return err
	})
	return plan, err
}

// planHeld plans with what is held now.
func (p *Partition) planHeld(policy *TrimPolicy) (TrimPlan, error) {
	h, err := p.holds(policy, false)
	if err != nil {
		return TrimPlan{}, err
	}
	plan, err := p.planTrim(policy, &h, true)
	return plan, errors.Join(err, h.release())
}

// ApplyTrim drops the segments from the front that the policy does not keep,
// and says what it did. Where it would drop the segment that is appended to,
// that is sealed first. The plan it returns with an error says what was done
// all the same; files that could not be removed are tried again by the next
// trim, and by the next opening.
func (p *Partition) ApplyTrim(policy TrimPolicy) (TrimPlan, error) { return p.applyTrim(policy) }

func (p *Partition) applyTrim(policy TrimPolicy) (TrimPlan, error) {
	if p.place.Bare {
		return TrimPlan{}, &fs.PathError{Op: "trim", Path: p.place.Path, Err: ErrNoSegments}
	}
	if p.write == nil {
		return TrimPlan{}, ErrReadOnly
	}
	if err := policy.check(); err != nil {
		return TrimPlan{}, err
	}
	policy.holdAs(&p.opts)
	return p.trim(&policy, true)
}

// trim is ApplyTrim; the background, which does not seal, does it too. One
// goes on at a time.
//
// Crash table, by the step before which the power fails:
//
//	sync of what stays          nothing has changed
//	partition.json with start   nothing has changed
//	each unlink                 names below start are no part of the log: nobody
//	                            reads them, and the next opening removes those
//	                            that partition.json says were to be removed
func (p *Partition) trim(policy *TrimPolicy, seal bool) (TrimPlan, error) {
	p.trimming.Lock()
	defer p.trimming.Unlock()
	if err := p.write.Err(); err != nil {
		return TrimPlan{}, err
	}
	var plan TrimPlan
	err := p.write.Alone(func(turn writer.Turn) (err error) {
		plan, err = p.raiseStart(turn, policy, seal)
		return errors.Join(err, p.finishTrim())
	})
	p.noteTrim(&plan, err)
	return plan, err
}

// raiseStart decides what goes and makes that durable, while the holds stand
// still. From then on the segments below are no part of the log.
func (p *Partition) raiseStart(turn writer.Turn, policy *TrimPolicy, seal bool) (TrimPlan, error) {
	h, err := p.holds(policy, true)
	if err != nil {
		return TrimPlan{}, err
	}
	plan, err := p.raiseStartOver(turn, policy, &h, seal)
	return plan, errors.Join(err, h.release())
}

func (p *Partition) raiseStartOver(turn writer.Turn, policy *TrimPolicy, h *held, seal bool) (TrimPlan, error) {
	plan, err := p.planTrim(policy, h, seal)
	if err != nil {
		return plan, err
	}
	var sealing error
	if plan.seals() {
		// Records may have been appended since, and those that limit says
		// nothing about must not go: it is all decided again.
		if sealing = turn.Roll(); errors.Is(sealing, ErrEmptySegment) {
			sealing = nil // another roll has sealed it since
		}
		if plan, err = p.planTrim(policy, h, false); err != nil {
			return plan, errors.Join(sealing, err)
		}
	}
	if plan.NewStart == plan.Start {
		return plan, sealing
	}
	// Others go because of the records that stay: those must not be lost with
	// the power once the others are gone. What a roll has sealed is durable, and
	// a roll that is under way is not waited for.
	if p.write.Durable() < plan.Next {
		if err := turn.SyncRecords(); err != nil {
			return plan, errors.Join(sealing, err)
		}
	}
	// Another directory may have the name by now.
	if err := turn.CheckNames(); err != nil {
		return plan, errors.Join(sealing, err)
	}
	if err := p.drop(&plan); err != nil {
		return plan, errors.Join(sealing, err)
	}
	plan.Done = true
	p.sizes.forget(&plan)
	return plan, errors.Join(sealing, p.log.Refresh())
}

// planTrim looks at the log and decides.
func (p *Partition) planTrim(policy *TrimPolicy, h *held, seal bool) (TrimPlan, error) {
	for {
		log, err := p.trimLog()
		if err != nil {
			return TrimPlan{}, err
		}
		if policy.Before > log.next && policy.Before != math.MaxUint64 {
			return TrimPlan{}, &RangeError{Offset: policy.Before, Start: log.start, Next: log.next}
		}
		d := decision{policy: policy, log: log, holds: h.holds, now: time.Now(), seal: seal}
		plan := d.decide()
		plan.HoldsUnknown = errorText(h.unknown)
		changed, err := p.lookAgain(log.segs[:min(plan.dropped()+1, len(log.segs))])
		if err != nil || !changed {
			return plan, err
		}
	}
}

// trimLog finds the segments, their sizes and times. A roll may be under way:
// the segment that was appended to before counts as the active one, whatever
// names there are by now, because the roll may yet be taken back.
func (p *Partition) trimLog() (trimLog, error) {
	active := uint64(math.MaxUint64)
	if p.live != nil {
		active = p.live.Base()
	}
	// What a reader knows may be old.
	if err := p.log.Refresh(); err != nil {
		return trimLog{}, err
	}
	found, err := p.place.Files(p.opts.FS)
	if err != nil {
		return trimLog{}, err
	}
	found = slices.DeleteFunc(found, func(f segment.Files) bool { return f.Base > active })
	start, next, err := p.log.Bounds(context.Background())
	if err != nil {
		return trimLog{}, err
	}
	widows, err := p.widows(found, &segment.Meta{Start: start})
	if err != nil {
		return trimLog{}, err
	}
	log := segmentsFrom(start, next, segment.WithRecords(found))
	if err := p.look(log.segs); err != nil {
		return trimLog{}, err
	}
	return log.withAway(widows), nil
}
