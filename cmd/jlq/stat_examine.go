package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"example.com/jlq/internal/segment"
	"example.com/jlq/internal/vfs"
	"example.com/jlq/partition"
	"example.com/jlq/reader"
)

// examining bounds for how long a log is looked at again that changes meanwhile.
// It is a time and no number: on a busy machine one look takes as long as the
// writer needs for several segments.
const examining = 10 * time.Second

// examine finds out what stat tells. The error is that of ctx: what cannot be
// found out is a problem, and the rest is there. A problem counts only where the
// log is still what it was: its writer may have dropped a segment, or begun one.
func examine(ctx context.Context, p *partition.Partition, path string) (s *logStat, err error) {
	info := p.Log().Info()
	for begun := time.Now(); time.Since(begun) < examining; {
		s, err = examineOnce(ctx, p, info, path)
		if err != nil || len(s.Problems) == 0 {
			return s, err
		}
		before := info
		if info = p.Log().Info(); info.Start == before.Start && slices.Equal(info.Paths, before.Paths) {
			return s, nil
		}
	}
	return s, nil
}

func examineOnce(ctx context.Context, p *partition.Partition, info reader.Info, path string) (*logStat, error) {
	s := &logStat{Log: path, Kind: "partition", BOM: info.BOM, Segments: []segmentStat{}}
	if info.Bare {
		s.Kind = "file"
	}
	s.problem(info.Err)
	var err error
	if s.Start, s.Next, err = p.Log().Bounds(ctx); ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	s.problem(err)
	if n := len(info.Segments); n > 0 && !info.Bare {
		// The moment at which the files were looked at is that of the offsets.
		last := info.Segments[n-1]
		s.Start, s.Next = info.Start, max(info.Start, last.Base+last.Count)
	}
	s.Records = s.Next - s.Start
	s.examineIndex(p, info)
	s.examineMeta(p, info)
	if err := s.examineSegments(ctx, info); err != nil {
		return nil, err
	}
	return s, nil
}

// problem takes down what is wrong.
func (s *logStat) problem(err error) {
	if err == nil {
		return
	}
	code := exitUsage
	_, corrupt := errors.AsType[*segment.CorruptError](err)
	if _, away := errors.AsType[*segment.SegmentAwayError](err); corrupt || away {
		code = exitInvalid
	}
	s.mendable = s.mendable || corrupt
	s.note(code, err.Error())
}

// note takes down what is wrong, once.
func (s *logStat) note(code int, text string) {
	s.failed = max(s.failed, code)
	if !slices.Contains(s.Problems, text) {
		s.Problems = append(s.Problems, text)
	}
}

// examineIndex finds out how far the index of the last segment reaches.
func (s *logStat) examineIndex(p *partition.Partition, info reader.Info) {
	var err error
	switch {
	case len(info.Segments) == 0:
		s.Index = "none"
	case !info.Bare:
		s.Index = "complete"
		s.Behind, _, err = p.Log().Behind()
		s.problem(err)
		s.Ahead, err = p.Log().Ahead()
		s.problem(err)
	case info.HasIndex:
		s.Index = "complete"
		s.Behind = s.Next - min(s.Next, info.Segments[0].Count)
	case info.Segments[0].IndexBytes > 0:
		s.Index = indexOther
	default:
		s.Index = "none"
	}
	if s.Behind > 0 {
		s.Index = "behind"
	}
	if s.Ahead > 0 {
		s.Index = "damaged"
		s.mendable = true
		last := info.Segments[len(info.Segments)-1]
		s.note(exitInvalid, fmt.Sprintf("%s: at its end, %s no record", last.Index, entriesText(s.Ahead)))
	}
}

// examineMeta finds out what was promised.
func (s *logStat) examineMeta(p *partition.Partition, info reader.Info) {
	if info.Bare {
		return
	}
	meta, ok, err := segment.ReadMeta(vfs.OS, p.Path())
	if ok {
		s.Promise = &meta
		s.examineOutside(p, &meta)
	}
	s.metaErr = err
	s.problem(err)
}

// examineOutside finds segments that are no part of the log.
func (s *logStat) examineOutside(p *partition.Partition, meta *segment.Meta) {
	found, err := p.Log().Place().Files(vfs.OS)
	if err == nil {
		s.outside, err = segment.FindOutside(vfs.OS, meta, found)
	}
	s.problem(err)
}

// entriesText says that index entries, so many, fit.
func entriesText(n uint64) string {
	if n == 1 {
		return "1 entry fits"
	}
	return uintText(n) + " entries fit"
}
