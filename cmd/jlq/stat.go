package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"example.com/jlq/internal/segment"
	"example.com/jlq/internal/vfs"
	"example.com/jlq/partition"
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
	Index    string        `json:"index"`
	Behind   uint64        `json:"behind,omitempty"` // whole lines that no index entry describes
	Promise  *segment.Meta `json:"promise,omitempty"`
	Segments []segmentStat `json:"segments"`
}

// sizeStat tells about record sizes in bytes.
type sizeStat struct {
	P50 int64 `json:"p50"`
	P99 int64 `json:"p99"`
	Max int64 `json:"max"`
}

// segmentStat tells about one segment.
type segmentStat struct {
	Base    uint64 `json:"base"`
	Records uint64 `json:"records"`
	Bytes   int64  `json:"bytes"`
	File    string `json:"file"`
}

func (a *app) statCmd() *cobra.Command {
	var (
		flags  readFlags
		asJSON bool
	)
	cmd := &cobra.Command{
		Use:   "stat LOG",
		Short: "tell about a log",
		Long: `stat tells where a log stands: offsets, bytes, record sizes (in bytes, without the
newline), segments, the state of the index, and what its last writer promised. Sizes
come from the index; a file without one is read through.`,
		Example: `  jlq stat orders
  jlq stat --json app.jsonl | jq .records`,
		Args: wantArgs(1, 1, "one LOG"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.stat(cmd.Context(), args[0], flags, asJSON)
		},
	}
	flags.add(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func (a *app) stat(ctx context.Context, path string, flags readFlags, asJSON bool) error {
	p, err := a.openReadOnly(path, flags)
	if err != nil {
		return err
	}
	defer p.Close() // it was only read
	s, err := a.examine(ctx, p, path)
	if err != nil {
		return err
	}
	if asJSON {
		line, err := json.Marshal(s)
		if err != nil {
			return err
		}
		return a.out.WriteLine(line, "\n")
	}
	for line := range strings.Lines(s.text()) {
		if err := a.out.WriteLine(appendVisible(nil, []byte(strings.TrimSuffix(line, "\n"))), "\n"); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) examine(ctx context.Context, p *partition.Partition, path string) (*logStat, error) {
	info := p.Log().Info()
	s := &logStat{Log: path, Kind: "partition", BOM: info.BOM, Segments: []segmentStat{}}
	if info.Bare {
		s.Kind = "file"
	}
	var err error
	if s.Start, s.Next, err = p.Log().Bounds(ctx); err != nil {
		return nil, err
	}
	s.Records = s.Next - s.Start
	measured := new(sizes)
	for i, seg := range info.Segments {
		if err := measured.measure(ctx, seg, info.Bare); err != nil {
			return nil, err
		}
		s.Bytes += seg.Bytes
		s.IdxBytes += seg.IndexBytes
		end := s.Next
		if i+1 < len(info.Segments) {
			end = info.Segments[i+1].Base
		}
		s.Segments = append(s.Segments, segmentStat{seg.Base, end - seg.Base, seg.Bytes, seg.Records})
	}
	if measured.count > 0 {
		s.Sizes = &sizeStat{measured.quantile(0.5), measured.quantile(0.99), measured.max}
	}
	return s, s.examineIndex(p)
}

// examineIndex finds out how far the index reaches and what was promised.
func (s *logStat) examineIndex(p *partition.Partition) error {
	info := p.Log().Info()
	var err error
	switch {
	case !info.Bare:
		s.Index = "complete"
		if s.Behind, _, err = p.Log().Behind(); err != nil {
			return err
		}
	case info.HasIndex:
		s.Index = "complete"
		s.Behind = s.Next - min(s.Next, info.Segments[0].Count)
	case s.IdxBytes > 0:
		s.Index = "unreadable, or not that of this file"
	default:
		s.Index = "none"
	}
	if s.Behind > 0 {
		s.Index = "behind"
	}
	if info.Bare {
		return nil
	}
	meta, ok, err := segment.ReadMeta(vfs.OS, p.Path())
	if ok {
		s.Promise = &meta
	}
	return err
}

// text is what stat prints for people.
func (s *logStat) text() string {
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-9s %s\n", name, fmt.Sprintf(format, args...))
	}
	line("log", "%s (%s)", s.Log, s.Kind)
	line("records", "%d, offsets %d to %d (next)", s.Records, s.Start, s.Next)
	line("bytes", "%d (%s), index %d (%s)", s.Bytes, bytesText(s.Bytes), s.IdxBytes, bytesText(s.IdxBytes))
	if s.Sizes != nil {
		line("sizes", "p50 %d, p99 %d, max %d bytes", s.Sizes.P50, s.Sizes.P99, s.Sizes.Max)
	}
	line("index", "%s", s.indexText())
	if s.BOM {
		line("note", "the first record begins with a byte order mark")
	}
	if s.Kind == "partition" {
		line("promise", "%s", s.promiseText())
	}
	for _, seg := range s.Segments {
		line("segment", "%d, %s, %s: %s", seg.Base, recordsText(seg.Records), bytesText(seg.Bytes), seg.File)
	}
	return b.String()
}

func (s *logStat) indexText() string {
	switch {
	case s.Behind == 0 && s.Index == "none":
		return "none; jlq index " + s.Log + " builds it"
	case s.Behind == 0:
		return s.Index
	case s.Kind == "partition":
		return fmt.Sprintf("behind: %d whole lines are not in it; opening for appending adopts them", s.Behind)
	}
	return fmt.Sprintf("behind: %d whole lines are not in it; jlq index %s adds them", s.Behind, s.Log)
}

func (s *logStat) promiseText() string {
	if s.Promise == nil {
		return "none (no partition.json)"
	}
	return fmt.Sprintf("sync %s, validate %s, known to be on the disk up to position %d of segment %d",
		s.Promise.Sync, s.Promise.Validate, s.Promise.Synced.Position, s.Promise.Synced.Base)
}
