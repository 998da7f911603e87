package main

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.com/jlq/group"
	"example.com/jlq/internal/jsonl"
	"example.com/jlq/internal/profile"
	"example.com/jlq/internal/vfs"
	"example.com/jlq/reader"
	"example.com/jlq/topic"
)

const (
	// sampled is how many records at each end of a log are looked at for the
	// names of fields.
	sampled = 100
	// completeRecord is the largest record that is looked at for it.
	completeRecord = 1 << 20
)

// completeTime is how long a key press may take. Tests have all the time they
// need.
var completeTime = 300 * time.Millisecond

const noFiles = cobra.ShellCompDirectiveNoFileComp

// completer answers what may stand at one place of a command line.
type completer func(args []string, typed string) ([]string, cobra.ShellCompDirective)

// argCompleters are by the word that stands for an argument in a command's use.
var argCompleters = map[string]completer{
	"LOG": completeLogs, "LOG…": completeLogs, "FILE": completeLogs, "FILE…": anyFile, "TOPIC": completeDirs, "DIR": completeDirs, "FROM": anyFile,
	"GROUP": completeGroups, "OFFSET": completeOffsets, "OFFSET…": completeOffsets, "@TIME…": completeMoments, "EXPR": completePaths,
}

// flagCompleters are by the name of the flag.
var flagCompleters = map[string]completer{
	"offset": completeOffsets, "before": completeOffsets, "where": completePaths, "fields": completeFields,
	"time-field": completeFields, "key": completeFields, "tag-field": completeFields, "group": completeGroups,
	"since": completeTimes, "until": completeTimes, "zone": completeZones,
}

// completeCommand lets the shell offer what cmd's arguments and flags may be.
func completeCommand(cmd *cobra.Command) {
	if cmd.ValidArgsFunction == nil && len(cmd.ValidArgs) == 0 {
		cmd.ValidArgsFunction = completeArgs
	}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		answer := flagCompleters[f.Name]
		if c, ok := f.Value.(interface{ offered() []string }); ok {
			answer = func([]string, string) ([]string, cobra.ShellCompDirective) { return c.offered(), noFiles }
		}
		if answer == nil {
			return
		}
		// It fails for a flag that is not there or is completed already.
		_ = cmd.RegisterFlagCompletionFunc(f.Name, func(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 && argKinds(cmd.Use)[0] == "PATTERN" {
				args = args[1:] // the log is what answers are about
			}
			return answer(args, typed)
		})
	})
}

// completeArgs offers what the next argument may be, as the command's use says.
func completeArgs(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	kinds := argKinds(cmd.Use)
	if len(kinds) == 0 || cmd.HasSubCommands() {
		return nil, noFiles
	}
	kind := kinds[min(len(args), len(kinds)-1)]
	if len(args) >= len(kinds) && !strings.Contains(kind, "…") {
		return nil, noFiles
	}
	if answer := argCompleters[strings.Trim(kind, "[{}]|-")]; answer != nil {
		return answer(args, typed)
	}
	return nil, noFiles
}

// argKinds are the words of a use that stand for arguments: of "get LOG OFFSET…"
// LOG and OFFSET…; a flag with its value is none.
func argKinds(use string) (kinds []string) {
	words := strings.Fields(use)
	for i := 1; i < len(words); i++ {
		word := strings.Trim(words[i], "[]{}")
		switch {
		case word == "" || word == "|":
		case strings.HasPrefix(word, "-"):
			i++ // and its value
		default:
			kinds = append(kinds, words[i])
		}
	}
	return kinds
}

func completeLogs([]string, string) ([]string, cobra.ShellCompDirective) {
	names := make([]string, len(logSuffixes))
	for i, suffix := range logSuffixes {
		names[i] = suffix[1:]
	}
	return names, cobra.ShellCompDirectiveFilterFileExt
}

func completeDirs([]string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

func anyFile([]string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveDefault
}

// completeGroups offers the groups of the log that was named before.
func completeGroups(args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return nil, noFiles
	}
	// Without any there is nothing to offer.
	names, _ := group.List(args[0], nil)
	return names, noFiles
}

// completeTimes offers ways to write a time.
func completeTimes([]string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"-15m\ta quarter of an hour ago", "-1h\tan hour ago", "-1d\ta day ago", "now",
		"today\tfrom midnight on", "yesterday\tfrom its midnight on", time.Now().UTC().Format(time.DateOnly) + "\ttoday in UTC"}, noFiles
}

// completeMoments offers times with the @ that stands before them.
func completeMoments(args []string, typed string) ([]string, cobra.ShellCompDirective) {
	times, directive := completeTimes(args, typed)
	for i := range times {
		times[i] = "@" + times[i]
	}
	return times, directive
}

// completeZones offers the zones that need no name of a place.
func completeZones([]string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"UTC", "local\tthat of this machine"}, noFiles
}

// completeOffsets offers the words of the grammar, and the bounds of the log
// that was named before.
func completeOffsets(args []string, _ string) ([]string, cobra.ShellCompDirective) {
	offered := []string{"start\tthe first record", "end\tbehind the last", "-1\tthe last record", "-10\tthe last ten",
		"@now", "@-1h\tan hour ago", "@-1d\ta day ago"}
	if len(args) == 0 {
		return offered, noFiles
	}
	if meta, err := topic.ReadMeta(vfs.OS, args[0]); err == nil {
		for _, n := range meta.All() {
			offered = append(offered, meta.Name+"-"+uintText(uint64(n))+"@\tin partition "+uintText(uint64(n)))
		}
		return offered, noFiles | cobra.ShellCompDirectiveNoSpace
	}
	eachLog(args[0], func(ctx context.Context, log *reader.Log) {
		start, next, err := log.Bounds(ctx)
		if err == nil && next > start {
			offered = append(offered, uintText(next-1)+"\tthe last that is there")
		}
		if err == nil && start > 0 && next > start {
			offered = append(offered, uintText(start)+"\tthe first that is there")
		}
	})
	return offered, noFiles
}

// completePaths offers the fields of the log that was named before, at the end of
// an expression.
func completePaths(args []string, typed string) (offered []string, _ cobra.ShellCompDirective) {
	before := typed[:strings.LastIndexAny(typed, " \t(!&|=<>")+1]
	for _, path := range fieldPaths(args) {
		offered = append(offered, before+path)
	}
	return offered, noFiles | cobra.ShellCompDirectiveNoSpace
}

// completeFields offers them for flags that name fields, of which there may be
// several: a,b.c.
func completeFields(args []string, typed string) (offered []string, _ cobra.ShellCompDirective) {
	before := typed[:strings.LastIndexByte(typed, ',')+1]
	for _, path := range fieldPaths(args) {
		if name := path[1:]; !strings.ContainsAny(name, `"[`) {
			offered = append(offered, before+name)
		}
	}
	return offered, noFiles | cobra.ShellCompDirectiveNoSpace
}

// fieldPaths are the fields of the records at both ends of the log that was
// named before.
func fieldPaths(args []string) (paths []string) {
	if len(args) == 0 {
		return nil
	}
	p := profile.New(profile.MaxPaths / 10)
	eachLog(args[0], func(ctx context.Context, log *reader.Log) {
		for _, r := range []*reader.Reader{log.Reader(0), log.Tail(sampled)} {
			n := 0
			for rec, err := range r.Records() {
				if n++; err != nil || n > sampled || ctx.Err() != nil {
					break
				}
				if data := jsonl.SkipBOM(rec.Data); jsonl.CheckStrict(data, completeRecord) == nil {
					p.Add(data)
				}
			}
		}
	})
	for _, f := range p.Fields() {
		if len(f.Path) > 1 && !strings.Contains(f.Path, "[") {
			paths = append(paths, f.Path)
		}
	}
	return paths
}

// eachLog opens a log, or the partitions of a topic, for as long as a key press
// may take. What cannot be opened has nothing to offer.
func eachLog(path string, do func(context.Context, *reader.Log)) {
	ctx, stop := context.WithTimeout(context.Background(), completeTime)
	defer stop()
	paths := []string{path}
	if meta, err := topic.ReadMeta(vfs.OS, path); err == nil {
		paths = nil
		for _, n := range meta.All() {
			paths = append(paths, topic.PartitionPath(path, n))
		}
	}
	for _, path := range paths {
		log, err := reader.Open(path, &reader.Options{MaxRecordBytes: completeRecord})
		if err != nil || ctx.Err() != nil {
			continue
		}
		closed := context.AfterFunc(ctx, func() { _ = log.Close() }) // it was only read
		do(ctx, log)
		if closed() {
			_ = log.Close()
		}
	}
}
