package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"example.com/jlq/partition"
)

type verifyCommand struct {
	*app
	readFlags
	json            bool
	problems, notes uint64
	invalid, nul    bool               // records that are none, NUL bytes
	away            *partition.Problem // the first segment that is not there
	edited          *partition.Problem // the first thing wrong from the beginning of a segment on
}

func (a *app) verifyCmd() *cobra.Command {
	c := &verifyCommand{app: a}
	cmd := &cobra.Command{
		Use:   "verify LOG",
		Short: "check every byte that can be checked",
		Long: `verify reads the whole log and prints every problem with its offset, position and
length, and what to do about it: records that are not valid, an index that does not
fit, a torn tail, NUL bytes, missing segments. It changes nothing and takes no lock,
and a log may be written meanwhile. The exit code is 4 when there is a problem. What
is worth knowing but no fault is printed as a note: a byte order mark, or blank lines
that jlq repair left in the place of lost records.

Of a topic it reads every partition, hidden ones too.

An edit by hand is one problem, however many records lie behind it. Records are
checked as their writer checked them (partition.json), those of bare files strictly.
An edit that leaves valid lines of the same lengths cannot be seen.

The summary goes to stderr. With --json each problem is an object on a line of its
own: kind, path, offset, records, position, length, reason; note is true of notes,
and saved names the file that has what a gap has lost.`,
		Example: `  jlq verify orders
  jlq verify --json app.jsonl | jq -r .reason | sort | uniq -c`,
		Args: wantArgs(1, 1, "one LOG"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := c.refuseSmall(c.app, cmd); err != nil {
				return err
			}
			return c.eachPartition(cmd.Context(), args[0], false, func(path string) error {
				one := *c
				return one.run(cmd.Context(), path)
			})
		},
	}
	c.readFlags.add(cmd)
	cmd.Flags().BoolVar(&c.json, "json", false, "print one JSON object a line")
	return cmd
}

func (c *verifyCommand) run(ctx context.Context, path string) error {
	bar := c.startProgress("verify " + path)
	defer bar.finish()
	p, err := c.openReadOnly(path, c.readFlags, bar.set)
	if err != nil {
		return err
	}
	defer p.Close() // it was only read
	var read partition.Verified
	for problem, err := range p.VerifyCount(ctx, &read) {
		if err != nil {
			return err
		}
		if err := c.show(problem); err != nil {
			return err
		}
	}
	bar.finish()
	return c.verdict(p, read)
}

// openReadOnly opens a log without lock, writing nothing.
func (a *app) openReadOnly(path string, flags readFlags, progress func(done, total int64)) (*partition.Partition, error) {
	if err := checkPlain(path); err != nil {
		return nil, err
	}
	p, err := partition.OpenReader(path, &partition.Options{MaxRecordBytes: int(flags.max), Logger: a.logger(), Progress: progress})
	return p, noLog(path, err)
}

func (c *verifyCommand) show(p partition.Problem) error {
	if p.Note {
		c.notes++
	} else {
		c.problems++
		c.invalid = c.invalid || p.Kind == partition.KindRecord
		c.nul = c.nul || p.Kind == partition.KindNUL
		if p.Kind == partition.KindSegment && c.away == nil {
			c.away = &p
		}
		if c.edited == nil && p.Position == 0 && p.Records > 0 {
			c.edited = &p
		}
	}
	line, err := c.line(p)
	if err == nil {
		err = c.out.WriteLine(line, "\n")
	}
	if err != nil || !c.out.tty {
		return err
	}
	if bar := c.bar.Load(); bar != nil {
		bar.clear()
	}
	return c.out.Flush() // whoever looks on sees it at once, and not across the bar
}

func (c *verifyCommand) line(p partition.Problem) ([]byte, error) {
	if c.json {
		return json.Marshal(p)
	}
	return appendVisible(nil, []byte(problemText(p))), nil
}

// problemText says a problem in one line:
// "a.jsonl: record 3, bytes 20 to 33: text after the value".
func problemText(p partition.Problem) string {
	text := p.Path + ": "
	if p.Note {
		text += "note: "
	}
	switch {
	case p.Records == 1:
		text += fmt.Sprintf("record %d, ", p.Offset)
	case p.Records > 1:
		text += fmt.Sprintf("records %d to %d, ", p.Offset, p.Offset+p.Records-1)
	default:
		text += fmt.Sprintf("offset %d, ", p.Offset)
	}
	if p.Length > 0 {
		text += fmt.Sprintf("%s from position %d: ", countText(uint64(p.Length), "byte"), p.Position)
	} else {
		text += fmt.Sprintf("position %d: ", p.Position)
	}
	return text + p.Reason
}

// verdict says on stderr what was read and what came of it.
func (c *verifyCommand) verdict(p *partition.Partition, read partition.Verified) error {
	if err := c.out.Flush(); err != nil {
		return err
	}
	problems := "no problems"
	if c.problems > 0 {
		problems = countText(c.problems, "problem")
	}
	if c.notes > 0 {
		problems += " and " + countText(c.notes, "note")
	}
	// Each other problem says for itself what to do; of these there may be
	// millions.
	advice := ""
	if c.nul || c.invalid && !p.Log().Place().Bare {
		advice = "; jlq repair " + p.Path() + " shows what can be done"
	}
	c.report("%s: %s in %s, %s%s", p.Path(), problems, recordsText(read.Records), bytesText(read.Bytes), advice)
	if c.problems == 0 {
		return nil
	}
	if c.away != nil {
		if _, err := os.Stat(c.away.Path); errors.Is(err, fs.ErrNotExist) {
			c.hint(awayHint(p.Path(), c.away.Offset))
		}
	}
	if c.edited != nil && !p.Log().Place().Bare {
		c.hint(editorHint(p.Path(), c.edited.Offset))
	}
	return silent(exitInvalid)
}
