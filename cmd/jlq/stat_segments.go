package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"example.com/jlq/index"
	"example.com/jlq/internal/segment"
	"example.com/jlq/reader"
)

// segmentStat tells about one segment.
type segmentStat struct {
	Base       uint64    `json:"base"`
	Records    uint64    `json:"records"` // of a sealed one, by the names
	Bytes      int64     `json:"bytes"`
	IdxBytes   int64     `json:"index_bytes"`
	LastAppend time.Time `json:"last_append,omitzero"` // when the records file was last modified, in UTC
	State      string    `json:"state"`                // sealed, active or away
	Index      string    `json:"index"`                // ok, missing, behind or damaged; of one that is away unknown
	File       string    `json:"file"`                 // the records file
}

// States of segments and indexes.
const (
	stateSealed = "sealed"
	stateActive = "active"
	stateAway   = "away"

	indexOK      = "ok"
	indexMissing = "missing"
	indexBehind  = "behind"
	indexDamaged = "damaged"
	indexUnknown = "unknown"
)

// examineSegments tells about each segment, and finds the record sizes. The
// error is that of ctx.
func (s *logStat) examineSegments(ctx context.Context, info reader.Info) error {
	e := &segmentExaminer{logStat: s, ctx: ctx, info: info, measurer: newMeasurer(s.Records)}
	e.away(s.Start, e.base(0))
	for i, seg := range info.Segments {
		row := segmentStat{
			Base: seg.Base, Bytes: seg.Bytes, IdxBytes: seg.IndexBytes,
			LastAppend: seg.ModTime.UTC().Truncate(time.Millisecond), File: seg.Records,
		}
		if seg.ModTime.IsZero() {
			row.LastAppend = time.Time{}
		}
		if i+1 < len(info.Segments) {
			e.sealed(row, seg, info.Segments[i+1].Base)
		} else {
			e.active(row, seg)
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	e.lastAway()
	e.sum()
	if m := e.measurer; m.sizes.count > 0 {
		s.Sizes = &sizeStat{m.sizes.quantile(0.5), m.sizes.quantile(0.99), m.sizes.max, m.step > 1}
	}
	return nil
}

// segmentExaminer looks at the segments of a log, one after the other.
type segmentExaminer struct {
	*logStat
	*measurer
	ctx  context.Context
	info reader.Info
}

// base is that of segment i, or the end of the log where there are fewer.
func (e *segmentExaminer) base(i int) uint64 {
	if i < len(e.info.Segments) {
		return e.info.Segments[i].Base
	}
	return e.Next
}

// away tells of offsets that no segment holds.
func (e *segmentExaminer) away(from, to uint64) {
	if from >= to || e.info.Bare {
		return
	}
	e.gone(from, to-from)
}

func (e *segmentExaminer) gone(base, records uint64) {
	path := segment.PairAt(e.Log, base).Records
	e.problem(&segment.SegmentAwayError{Path: path, Base: base})
	e.Segments = append(e.Segments, segmentStat{Base: base, Records: records, State: stateAway, Index: indexUnknown, File: path})
}

// lastAway tells of a segment behind all that are there, of which
// partition.json knows.
func (e *segmentExaminer) lastAway() {
	if e.Promise == nil {
		return
	}
	base := max(e.Promise.Synced.Base, e.Promise.Start)
	segments := e.info.Segments
	if len(segments) > 0 && segments[len(segments)-1].Base >= base {
		return
	}
	if len(segments) == 0 && base == 0 && e.Promise.Synced.Position == 0 {
		return // nothing was stored yet
	}
	if n := len(e.Segments); n > 0 {
		e.Segments[n-1].State = stateSealed
	}
	e.gone(base, 0)
}

// sealed tells about a segment behind which another one begins at next. How
// many records it has follows from the names; what its index describes less
// lies in a segment between them, or the index is short.
func (e *segmentExaminer) sealed(row segmentStat, seg reader.SegmentInfo, next uint64) {
	row.State, row.Records = stateSealed, next-seg.Base
	described := min(index.Count(seg.IndexBytes), row.Records)
	end, err := e.described(seg, described)
	row.Index = indexState(err)
	switch {
	case err != nil:
		e.indexProblem(seg, err)
	case index.Count(seg.IndexBytes) > row.Records, end > seg.Bytes:
		row.Index = indexDamaged
		e.indexProblem(seg, fmt.Errorf("%w: it tells of other records than those of a segment that ends at %d bytes, where offset %d follows",
			segment.ErrIndexMismatch, seg.Bytes, next))
	case end < seg.Bytes:
		row.Index = indexBehind
		e.indexProblem(seg, fmt.Errorf("%w: it ends at position %d of %d", segment.ErrIndexMismatch, end, seg.Bytes))
	case described < row.Records:
		row.Records = described
	}
	e.Segments = append(e.Segments, row)
	e.away(row.Base+row.Records, next)
}

// described measures the first n records of a segment and returns where its
// index says that they end. An index that is not there is an error.
func (e *segmentExaminer) described(seg reader.SegmentInfo, n uint64) (end int64, err error) {
	if seg.IndexBytes < index.EntrySize && seg.Bytes == 0 {
		return 0, nil
	}
	if seg.IndexBytes < index.EntrySize {
		return 0, errNoIndex
	}
	return e.measurer.index(e.ctx, seg, n)
}

// errNoIndex: a segment that holds records has no index.
var errNoIndex = errors.New("there is no index")

func indexState(err error) string {
	_, corrupt := errors.AsType[*segment.CorruptError](err)
	switch {
	case err == nil:
		return indexOK
	case errors.Is(err, errNoIndex), errors.Is(err, fs.ErrNotExist):
		return indexMissing
	case corrupt:
		return indexDamaged
	}
	return indexUnknown
}

// indexProblem takes down what is wrong with the index of a sealed segment.
func (e *segmentExaminer) indexProblem(seg reader.SegmentInfo, err error) {
	if e.Index == "complete" {
		e.Index = "incomplete"
	}
	if errors.Is(err, errNoIndex) || errors.Is(err, segment.ErrIndexMismatch) && !isCorrupt(err) {
		err = &segment.CorruptError{Path: seg.Index, Offset: seg.Base, Position: seg.IndexBytes, Err: err}
	}
	e.problem(err)
}

func isCorrupt(err error) bool {
	_, ok := errors.AsType[*segment.CorruptError](err)
	return ok
}

// active tells about the last segment, or a bare file. How far its index
// reaches was found out before.
func (e *segmentExaminer) active(row segmentStat, seg reader.SegmentInfo) {
	row.State, row.Records = stateActive, e.Next-min(e.Next, seg.Base)
	row.Index = map[string]string{
		"complete": indexOK, "incomplete": indexOK, "behind": indexBehind, "none": indexMissing,
	}[e.Index]
	if row.Index == "" {
		row.Index = indexDamaged
	}
	switch unread, failed := errors.AsType[*fs.PathError](e.info.Err); {
	case failed && (unread.Path == seg.Index || unread.Path == seg.Records && row.Index != indexOK):
		row.Index = indexUnknown
	case !e.info.Bare && seg.IndexBytes < index.EntrySize && seg.Bytes > 0:
		row.Index = indexMissing
	}
	end := int64(0)
	var err error
	if seg.Count > 0 {
		end, err = e.measurer.index(e.ctx, seg, seg.Count)
	}
	if err == nil && e.info.Bare {
		err = e.lines(e.ctx, seg, end)
	}
	if state := indexState(err); err != nil && e.ctx.Err() == nil {
		row.Index = state
		e.problem(err)
	}
	e.Segments = append(e.Segments, row)
}

// sum adds up what is there.
func (e *segmentExaminer) sum() {
	for _, seg := range e.Segments {
		e.Bytes += seg.Bytes
		e.IdxBytes += seg.IdxBytes
	}
}
