package partition

import (
	"errors"
	"fmt"
	"io/fs"

	"example.com/jlq/internal/segment"
)

// promise writes partition.json anew where what it says does not hold any
// more.
func (r *repairer) promise() error {
	if r.badMeta != nil {
		return r.replaceMeta()
	}
	if r.meta == nil {
		return nil
	}
	m, _ := r.newMeta()
	if m == *r.meta {
		return nil
	}
	r.report.Begun = true
	return segment.WriteMeta(r.p.opts.FS, r.p.place.Path, m, r.p.opts.filePerm())
}

// newMeta is what partition.json says after the repair. why says what was
// wrong with it; that more is synced now is a matter of course.
func (r *repairer) newMeta() (m segment.Meta, why string) {
	m = *r.meta
	if len(r.plans) == 0 || r.plans[len(r.plans)-1].Left != "" {
		return m, ""
	}
	last := r.plans[len(r.plans)-1]
	mark := segment.Mark{Base: last.Base, Position: last.NewEnd}
	end := last.Base + last.NewRecords
	why = wrongSynced(m.Synced, last, end)
	if why != "" || last.Needed() {
		m.Synced, m.Unchecked = mark, m.Unchecked.UpTo(mark)
	}
	if m.Start > last.Base && m.Start > r.meta.Synced.Base {
		why = fmt.Sprintf("it says that the records begin at offset %d, where no segment does", m.Start)
		m.Start = r.plans[0].Base
	}
	return m, why
}

// wrongSynced says why what is said to be synced is not.
func wrongSynced(m segment.Mark, last *segment.PairRepair, end uint64) string {
	switch {
	case m.Base > last.Base && m.Base != end:
		return fmt.Sprintf("it says that the segment at offset %d is the last, and there is none", m.Base)
	case m.Base == last.Base && m.Position > last.NewEnd:
		return fmt.Sprintf("the records were synced up to %d and end at %d now", m.Position, last.NewEnd)
	case m.Base == last.Base && !last.SyncedFits() && !last.Needed():
		return fmt.Sprintf("it says that the records were synced up to %d, where no line ends", m.Position)
	}
	return ""
}

// replaceMeta keeps a partition.json that cannot be read under another name
// and writes one that promises what has been read and synced.
func (r *repairer) replaceMeta() error {
	r.report.Begun = true
	if err := r.keepBadMeta(); err != nil {
		return err
	}
	m := segment.Meta{Sync: SyncOS.String(), Validate: Frame.String(), Batch: r.p.opts.writer().BatchBytes()}
	for _, plan := range r.plans {
		// What is there must stay readable, however long it is.
		m.Batch = min(max(m.Batch, plan.Longest), segment.MaxBatch)
		m.Synced.Base = plan.Base
		if plan.Left == "" {
			m.Synced.Position = plan.NewEnd
		}
	}
	if len(r.plans) > 0 {
		m.Start = r.plans[0].Base
	}
	return segment.WriteMeta(r.p.opts.FS, r.p.place.Path, m, r.p.opts.filePerm())
}

// badSuffix marks a partition.json that could not be read. A name that is taken
// gets the next free "-n" behind it.
const badSuffix = ".bad"

// keepBadMeta gives the file another name. Without it, until a new one is
// there, nothing is promised of the log.
func (r *repairer) keepBadMeta() error {
	for i := 1; ; i++ {
		_, err := r.p.opts.FS.Lstat(r.keptAs)
		if errors.Is(err, fs.ErrNotExist) {
			break
		}
		if err != nil {
			return err
		}
		r.keptAs = fmt.Sprintf("%s%s-%d", r.p.metaPath(), badSuffix, i)
	}
	if err := r.p.opts.FS.Rename(r.p.metaPath(), r.keptAs); err != nil {
		return err
	}
	return r.p.opts.FS.SyncDir(r.p.place.Path)
}
