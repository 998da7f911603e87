package partition

import (
	"fmt"
	"slices"

	"example.com/jlq/internal/segment"
)

// tell puts the plans into the report.
func (r *repairer) tell() {
	r.report.Actions, r.report.Shifts = nil, nil
	r.report.Left = slices.Clone(r.away)
	for _, plan := range r.plans {
		if plan.Left != "" {
			r.report.Left = append(r.report.Left, plan.Records+": "+plan.Left)
		} else {
			r.tellPair(plan)
		}
	}
	r.tellPromise()
}

func (r *repairer) tellPair(plan *segment.PairRepair) {
	for i := range plan.Damages {
		r.tellDamage(plan, &plan.Damages[i])
	}
	if plan.Newline {
		r.act(RepairAction{Action: ActionNewline, Path: plan.Records, Offset: plan.Base + plan.NewRecords - 1, Position: plan.NewEnd - 1})
	}
	r.tellTail(plan)
	if plan.IndexWhy != "" {
		r.act(RepairAction{Action: ActionIndex, Path: plan.Index, Offset: plan.Base, Records: plan.NewRecords, Reason: plan.IndexWhy})
	}
	if plan.Shift != "" {
		r.report.Shifts = append(r.report.Shifts, fmt.Sprintf("%s: the records from offset %d on may %s other offsets than they had: %s",
			plan.Records, plan.Base+plan.ShiftFrom, r.tense("get", "have got"), plan.Shift))
	}
}

func (r *repairer) tense(before, after string) string {
	if r.report.Done {
		return after
	}
	return before
}

func (r *repairer) tellDamage(plan *segment.PairRepair, d *segment.Damage) {
	r.act(RepairAction{
		Action: ActionFill, Path: plan.Records, Offset: plan.Base + d.First, Records: d.Slots, Kept: d.Kept, Lost: d.Lost,
		Position: d.Start, Length: d.End - d.Start, Reason: d.Why.Error(), Saved: d.Saved,
	})
}

func (r *repairer) tellTail(plan *segment.PairRepair) {
	a := RepairAction{Action: ActionCut, Path: plan.Records, Offset: plan.Base + plan.NewRecords, Records: plan.LostTail, Lost: plan.LostTail, Position: plan.NewEnd}
	switch d := plan.Tail; {
	case d != nil:
		a.Length, a.Reason, a.Saved = d.End-d.Start, d.Why.Error(), d.Saved
	case plan.LostTail > 0:
		a.Action, a.Reason = ActionLost, "they are in the index but not in the records file"
	default:
		return
	}
	r.act(a)
}

// tellPromise tells what becomes of partition.json.
func (r *repairer) tellPromise() {
	if r.badMeta != nil {
		r.act(RepairAction{Action: ActionMeta, Path: r.p.metaPath(), Saved: r.keptAs, Reason: r.badMeta.Error()})
		return
	}
	if r.meta == nil {
		return
	}
	if m, why := r.newMeta(); why != "" {
		r.act(RepairAction{Action: ActionPromise, Path: r.p.metaPath(), Offset: m.Start, Position: m.Synced.Position,
			Length: max(r.meta.Synced.Position-m.Synced.Position, 0), Reason: why})
	}
}

func (r *repairer) act(a RepairAction) {
	a.Done = r.report.Done
	r.report.Actions = append(r.report.Actions, a)
}
