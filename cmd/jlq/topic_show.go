package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"example.com/jlq/internal/vfs"
	"example.com/jlq/topic"
)

// topicStat is what stat and topic show print of a topic; its JSON names are
// those of --json.
type topicStat struct {
	Log        string          `json:"log"`
	Kind       string          `json:"kind"` // topic
	Name       string          `json:"name"`
	Records    uint64          `json:"records"`
	Bytes      int64           `json:"bytes"`
	IdxBytes   int64           `json:"index_bytes"`
	Deleted    []int           `json:"deleted,omitempty"`
	Partitions []partitionStat `json:"partitions"`
	Groups     []groupRow      `json:"groups,omitempty"`

	failed   int
	mendable bool // by repair, some partition
}

// partitionStat is one partition of a topic.
type partitionStat struct {
	Partition int    `json:"partition"`
	Hidden    string `json:"hidden,omitempty"` // from producers, from consumers, from all
	*logStat
}

func (a *app) topicShowCmd() *cobra.Command {
	var (
		flags  readFlags
		asJSON bool
	)
	cmd := &cobra.Command{
		Use:   "show TOPIC",
		Short: "tell about a topic and its partitions",
		Long: `show prints the partitions of a topic, with offsets, bytes, the time of the last append,
from whom they are hidden, and how far its consumer groups are. jlq stat TOPIC is the
same; jlq stat TOPIC/0 tells more about one partition. Problems are told on stderr and
make the exit code 4.`,
		Example: "  jlq topic show orders\n  jlq topic show --json orders | jq .records",
		Args:    wantArgs(1, 1, "one TOPIC"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.topicShow(cmd.Context(), args[0], flags, asJSON)
		},
	}
	flags.add(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func (a *app) topicShow(ctx context.Context, path string, flags readFlags, asJSON bool) error {
	s, err := a.examineTopic(ctx, path, flags)
	if err != nil {
		return err
	}
	if asJSON {
		err = a.out.WriteJSON(s)
	} else {
		err = a.out.WriteText(s.text())
	}
	if err != nil {
		return err
	}
	for i := range s.Partitions {
		for _, problem := range s.Partitions[i].Problems[:min(len(s.Partitions[i].Problems), shownProblems)] {
			a.report("%s", problem)
		}
	}
	if s.mendable {
		a.hint("jlq repair " + path + " shows how to mend it")
	}
	if s.failed != exitOK {
		return silent(s.failed)
	}
	return nil
}

// examineTopic finds out what there is to tell. What cannot be found out of one
// partition, or of the groups, is complained of, and the rest is there.
func (a *app) examineTopic(ctx context.Context, path string, flags readFlags) (*topicStat, error) {
	m, err := topic.ReadMeta(vfs.OS, path)
	if err != nil {
		return nil, topicError(path, err)
	}
	s := &topicStat{Log: path, Kind: "topic", Name: m.Name, Deleted: m.Deleted, Partitions: []partitionStat{}}
	for _, i := range m.All() {
		part, err := a.examinePartition(ctx, topic.PartitionPath(path, i), flags)
		if ctx.Err() != nil {
			return nil, err
		}
		if err != nil {
			s.failed = max(s.failed, a.toldCode(fmt.Errorf("partition %d: %w", i, err)))
			continue
		}
		one := partitionStat{Partition: i, logStat: part}
		if one.Hidden = hiddenText(&m, i); one.Hidden == "no" {
			one.Hidden = ""
		}
		s.add(one)
	}
	if s.Groups, err = a.lagOf(ctx, []string{path}); err != nil {
		s.failed = max(s.failed, a.toldCode(err))
	}
	return s, nil
}

// toldCode complains of err and returns its exit code.
func (a *app) toldCode(err error) int {
	a.complain(err)
	return exitCode(err)
}

func (a *app) examinePartition(ctx context.Context, path string, flags readFlags) (*logStat, error) {
	p, err := a.openReadOnly(path, flags, nil)
	if err != nil {
		return nil, err
	}
	defer p.Close() // it was only read
	return examine(ctx, p, path)
}

func (s *topicStat) add(p partitionStat) {
	s.Partitions = append(s.Partitions, p)
	s.Records += p.Records
	s.Bytes += p.Bytes
	s.IdxBytes += p.IdxBytes
	s.failed = max(s.failed, p.failed)
	s.mendable = s.mendable || p.mendable
}

func (s *topicStat) text() string {
	text := fmt.Sprintf("%-9s %s (%s)\n%-9s %d\n%-9s %d (%s), index %d (%s)\n", "topic", s.Name, s.Log, "records", s.Records,
		"bytes", s.Bytes, bytesText(s.Bytes), s.IdxBytes, bytesText(s.IdxBytes))
	if len(s.Deleted) > 0 {
		text += fmt.Sprintf("%-9s %v\n", "deleted", s.Deleted)
	}
	t := table{right: []bool{true, true, true, true, true, true, false, false, false}}
	t.add("partition", "records", "start", "next", "bytes", "segments", "last append", "index", "hidden")
	for i := range s.Partitions {
		p := &s.Partitions[i]
		hidden := p.Hidden
		if hidden == "" {
			hidden = "no"
		}
		t.add(strconv.Itoa(p.Partition), uintText(p.Records), uintText(p.Start), uintText(p.Next), strconv.FormatInt(p.Bytes, 10),
			strconv.Itoa(len(p.Segments)), p.lastAppend(), p.Index, hidden)
	}
	return text + t.text("  ") + groupsText(s.Groups)
}

// lastAppend is when the log was appended to last, where it holds anything.
func (s *logStat) lastAppend() string {
	var last time.Time
	for i := range s.Segments {
		if at := s.Segments[i].LastAppend; at.After(last) {
			last = at
		}
	}
	if last.IsZero() || s.Bytes == 0 {
		return "-"
	}
	return last.Local().Format("2006-01-02 15:04:05 MST")
}
