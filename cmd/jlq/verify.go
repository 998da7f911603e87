package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"example.com/jlq/partition"
)

type verifyCommand struct {
	*app
	readFlags
	json            bool
	problems, notes uint64
}

func (a *app) verifyCmd() *cobra.Command {
	c := &verifyCommand{app: a}
	cmd := &cobra.Command{
		Use:   "verify LOG",
		Short: "check every byte that can be checked",
		Long: `verify reads the whole log and prints every problem with its offset, position and
length: records that are not valid, index entries that do not fit, a torn tail, NUL
bytes, missing segments. It changes nothing and takes no lock. The exit code is 4
when there is a problem. What is worth knowing but no fault, such as a byte order
mark, is printed as a note.

Records are checked as their writer checked them (partition.json), those of bare
files strictly. An edit by hand that leaves valid lines of the same lengths cannot
be seen.`,
		Example: `  jlq verify orders
  jlq verify --json app.jsonl | jq -r .reason | sort | uniq -c`,
		Args: wantArgs(1, 1, "one LOG"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.run(cmd.Context(), args[0])
		},
	}
	c.readFlags.add(cmd)
	cmd.Flags().BoolVar(&c.json, "json", false, "print one JSON object a line")
	return cmd
}

func (c *verifyCommand) run(ctx context.Context, path string) error {
	p, err := c.openReadOnly(path, c.readFlags)
	if err != nil {
		return err
	}
	defer p.Close() // it was only read
	for problem, err := range p.Verify(ctx) {
		if err != nil {
			return err
		}
		if err := c.show(problem); err != nil {
			return err
		}
	}
	start, next, err := p.Log().Bounds(ctx)
	if err != nil && c.problems == 0 {
		return err
	}
	return c.verdict(path, next-start)
}

// openReadOnly opens a log without lock, writing nothing.
func (a *app) openReadOnly(path string, flags readFlags) (*partition.Partition, error) {
	if err := checkPlain(path); err != nil {
		return nil, err
	}
	return partition.OpenReader(path, &partition.Options{MaxRecordBytes: int(flags.max), Logger: a.logger()})
}

func (c *verifyCommand) show(p partition.Problem) error {
	if p.Note {
		c.notes++
	} else {
		c.problems++
	}
	if c.json {
		line, err := json.Marshal(p)
		if err != nil {
			return err
		}
		return c.out.WriteLine(line, "\n")
	}
	return c.out.WriteLine(appendVisible(nil, []byte(problemText(p))), "\n")
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
		text += fmt.Sprintf("%d bytes from position %d: ", p.Length, p.Position)
	} else {
		text += fmt.Sprintf("position %d: ", p.Position)
	}
	return text + p.Reason
}

func (c *verifyCommand) verdict(path string, records uint64) error {
	notes := ""
	if c.notes > 0 {
		notes = ", " + countText(c.notes, "note")
	}
	if err := c.out.Flush(); err != nil {
		return err
	}
	if c.problems == 0 {
		c.report("%s: no problems in %s%s", path, recordsText(records), notes)
		return nil
	}
	c.report("%s: %s%s", path, countText(c.problems, "problem"), notes)
	return silent(exitInvalid)
}
