package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"example.com/jlq/internal/segment"
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

	outside  segment.Outside
	metaErr  error // why partition.json does not tell
	failed   int   // exit code
	mendable bool  // repair can do something about it: more is wrong than that a segment is away
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

const statLong = `stat tells where a log stands: offsets, bytes, record sizes (in bytes, without the
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
-n.`

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
		Long:  statLong,
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
	if s.mendable {
		c.hint("jlq repair " + path + " shows how to mend it")
	}
	if s.failed == exitInvalid {
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
		return c.out.WriteJSON(s)
	}
	most := len(s.Segments)
	if c.out.tty && !c.segments {
		most = shownSegments
	}
	return c.out.WriteText(s.text(most))
}
