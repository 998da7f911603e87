package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"example.com/jlq/internal/segment"
	"example.com/jlq/internal/vfs"
	"example.com/jlq/partition"
	"example.com/jlq/reader"
	"example.com/jlq/topic"
)

// logStat is what stat prints; its JSON names are those of --json.
type logStat struct {
	Log      string        `json:"log"`
	Kind     string        `json:"kind"` // partition or file
	Start    uint64        `json:"start"`
	Next     uint64        `json:"next"`
	Records  uint64        `json:"records"`
	Bytes    int64         `json:"bytes"`
	IdxBytes int64         `json:"index_bytes"`
	BOM      bool          `json:"bom,omitempty"`
	Sizes    *sizeStat     `json:"sizes,omitempty"`
	Index    string        `json:"index"`            // of the last segment, or incomplete where it is that of another
	Behind   uint64        `json:"behind,omitempty"` // whole lines that no index entry describes
	Ahead    uint64        `json:"ahead,omitempty"`  // index entries at its end that fit no line
	Promise  *segment.Meta `json:"promise,omitempty"`
	Segments []segmentStat `json:"segments"`
	Groups   []groupRow    `json:"groups,omitempty"`
	Problems []string      `json:"problems,omitempty"` // what is wrong with it, as far as stat looks

	outside segment.Outside
	metaErr error // why partition.json does not tell
	failed  int   // exit code
}

// sizeStat tells about record sizes in bytes.
type sizeStat struct {
	P50     int64 `json:"p50"`
	P99     int64 `json:"p99"`
	Max     int64 `json:"max"`
	Sampled bool  `json:"sampled,omitempty"` // of some of the records
}

// shownProblems is how many problems are told one by one.
const shownProblems = 20

// statCommand is one call of stat.
type statCommand struct {
	*app
	pickFlags
	fields   bool
	json     bool
	segments bool
	watch    time.Duration
	number   int
}

func (a *app) statCmd() *cobra.Command {
	c := &statCommand{app: a}
	cmd := &cobra.Command{
		Use:   "stat LOG",
		Short: "tell about a log, or watch it grow",
		Long: `stat tells where a log stands: offsets, bytes, record sizes (in bytes, without the
newline), the state of the index, what its last writer promised, and each segment with
the time of its last append, which is when its file was last modified, and how far the
consumer groups are (see jlq group show). A segment is
active (the last one), sealed, or away (moved or lost); its index is ok, missing,
behind (lines are not in it) or damaged. Sizes come from the index, of a sample where
there are more than 16 million records; a file without an index is read through.

Of a topic it prints a line for each partition (jlq topic show); with --watch, one for
each partition that grew, and a total of all.

With --fields it reads the records instead, or those of -o and --where, and tells of each
field how many have it, the types of its values, how many different ones there are (from
256 on about: 6 %), and its values where they are few, else the least and the largest:
numbers exactly, strings by their beginning, times where all strings of the field are
times. .a.b[] is each element of an array. Values count as they are spelt. Lines that are
not JSON are left out, counted, and make the exit code 4. Memory is bounded: of more than
10,000 fields it tells the first, and how many values the others have.

Of a damaged log it prints what can be known, says what is wrong, and exits 4; verify
is what looks at every byte.

With --watch it prints, each interval, how fast each segment grew: records and bytes a
second, the next offset, the size, and the time since the last append; the last segment
also when none grew, and a total when several did. It looks at names, sizes and the last
entry of an index that grew, so it costs the same for any log, and goes on when the log
rolls, is trimmed or replaced. Records are counted by the size of the index; of a file
without one that grows with it, only bytes are known (-). Units are for a terminal; a
pipe gets plain numbers and no heading. Interrupt it to end it (exit code 130), or use
-n.`,
		Example: `  jlq stat orders
  jlq stat --json app.jsonl | jq .records
  jlq stat --fields -o -10000: orders
  jlq stat --watch 1s orders
  jlq stat --watch 10s -n 6 --json orders | jq .bytes_per_second`,
		Args: wantArgs(1, 1, "one LOG"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.run(cmd, args[0])
		},
	}
	c.pickFlags.add(cmd, "with --fields: only the records of this range: "+offsetsHelp)
	c.expr.add(cmd)
	cmd.Flags().BoolVar(&c.fields, "fields", false, "tell what fields the records have, which reads them all")
	cmd.Flags().BoolVar(&c.json, "json", false, "print one JSON object; with --watch, one a line")
	cmd.Flags().BoolVar(&c.segments, "segments", false, "print every segment, also of many on a terminal")
	cmd.Flags().DurationVar(&c.watch, "watch", 0, "print rates, each `INTERVAL` (such as 1s)")
	cmd.Flags().Lookup("watch").DefValue = "0s" // none is shown
	cmd.Flags().IntVarP(&c.number, "number", "n", 0, "with --watch: end after `N` intervals")
	return cmd
}

func (c *statCommand) run(cmd *cobra.Command, path string) error {
	watching := cmd.Flags().Changed("watch")
	if err := c.fieldsOnly(cmd); err != nil {
		return err
	}
	switch {
	case c.fields:
		return c.showFields(cmd, path)
	case watching && c.watch < minWatch:
		return &usageError{err: fmt.Errorf("stat: --watch %v: want at least %v", c.watch, minWatch), hint: seeHelp(cmd)}
	case !watching && cmd.Flags().Changed("number"):
		return &usageError{err: errors.New("stat: -n counts the intervals of --watch"), hint: seeHelp(cmd)}
	case cmd.Flags().Changed("number") && c.number < 1:
		return &usageError{err: fmt.Errorf("stat: -n %d: want at least 1", c.number), hint: seeHelp(cmd)}
	case watching:
		return c.watchLog(cmd.Context(), path)
	case topic.IsTopic(path, nil):
		return c.topicShow(cmd.Context(), path, c.readFlags, c.json)
	}
	return c.stat(cmd.Context(), path)
}

func (c *statCommand) stat(ctx context.Context, path string) error {
	p, err := c.openReadOnly(path, c.readFlags, nil)
	if err != nil {
		return err
	}
	defer p.Close() // it was only read
	s, err := examine(ctx, p, path)
	if err != nil {
		return err
	}
	s.Groups, err = c.lagOf(ctx, []string{path})
	s.problem(err)
	if err := c.print(s); err != nil {
		return err
	}
	if s.outside.Segments > 0 {
		c.report("%s", s.outside.Text(bytesText))
	}
	if len(s.Problems) == 0 {
		return nil
	}
	for _, problem := range s.Problems[:min(len(s.Problems), shownProblems)] {
		c.report("%s", problem)
	}
	if more := len(s.Problems) - shownProblems; more > 0 {
		c.report("… and %d more; --json lists all", more)
	}
	if s.failed == exitInvalid {
		c.report("hint: jlq repair %s shows how to mend it", path)
		for _, seg := range s.Segments {
			if seg.State == stateAway {
				c.hint(awayHint(path, seg.Base))
				break
			}
		}
	}
	return silent(s.failed)
}

func (c *statCommand) print(s *logStat) error {
	if c.json {
		line, err := json.Marshal(s)
		if err != nil {
			return err
		}
		return c.out.WriteLine(line, "\n")
	}
	most := len(s.Segments)
	if c.out.tty && !c.segments {
		most = shownSegments
	}
	return c.out.WriteText(s.text(most))
}

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
		s.Index = "unreadable, or not that of this file"
	default:
		s.Index = "none"
	}
	if s.Behind > 0 {
		s.Index = "behind"
	}
	if s.Ahead > 0 {
		s.Index = "damaged"
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
