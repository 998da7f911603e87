package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	committed "example.com/jlq/internal/offsets"
	"example.com/jlq/internal/vfs"
)

const importLong = `import takes in what a log of another kind left: the records of a two-file partition,
or the consumer offsets of EQueue. Lines of JSON of any other origin go in by append.

FROM is one of
  x.records   and x.index beside it, the positions of its records as unsigned 64-bit
              numbers: the queue that jlq descends from. FROM may be named x
  FILE.json   offsets by group, {"G":{"topic1-3":89055}} or {"G":{"topic1":{"3":89055}}}

RECORDS are compared with their index first, and checked; nothing is stored where
they do not fit, or where one of them is no JSON. --validate frame stores those as
they are (jq and the like will not read them), --wrap stores each record as a JSON
string. Where the index is behind, because the writer died, all whole lines count; a
last line without newline does not. LOG gets the same offsets: it is a new log, or
one that begins with the same records, so an import that was broken off is done again
to go on. Everything is durable when it ends with 0. FROM is only read.

OFFSETS are set for the topic that LOG is (for a log that is no topic, --topic says
which entry is its own, such as topic1-3). EQueue stores the offset that was consumed
last, -1 for none; what is stored here is the one that is read next, so 89055 becomes
89056. Names of groups get small letters. A group that is registered already and
stands elsewhere is refused, and so is an offset beyond the end of LOG: import the
records first.

The chunk files of EQueue and of the .NET file queue are binary and not read: let the
old consumer write what it gets, a line each, into jlq append, and when nothing comes
any more, move the producers.`

type importCommand struct {
	*app
	validate choice
	wrap     bool
	topic    string
	max      sizeFlag
	network  bool
}

func (a *app) importCmd() *cobra.Command {
	c := &importCommand{app: a, validate: newChoice("strict", "frame"), max: 16 << 20}
	cmd := &cobra.Command{
		Use:   "import FROM LOG",
		Short: "take in the records or the consumer offsets of another log",
		Long:  importLong,
		Example: `  jlq import queue.records orders
  jlq import --wrap queue.records orders
  jlq import consume-offsets.json orders`,
		Args: wantArgs(2, 2, "FROM and a LOG"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.run(cmd.Context(), args[0], args[1])
		},
	}
	f := cmd.Flags()
	f.Var(&c.validate, "validate", "strict: each record is one JSON value; frame: any line without NUL bytes that is not empty")
	f.BoolVar(&c.wrap, "wrap", false, "store each record as a JSON string")
	f.StringVar(&c.topic, "topic", "", "the `TOPIC` of FROM whose offsets are LOG's (default: the one of its name), or TOPIC-N where LOG is no topic")
	f.Var(&c.max, "max-record", "the largest record that is stored, in bytes")
	f.BoolVar(&c.network, "allow-network", false, "write on a network file system, where locks and fsync may not hold what they promise")
	return cmd
}

// maxOffsetsBytes bounds what is read of a file of offsets.
const maxOffsetsBytes = 64 << 20

func (c *importCommand) run(ctx context.Context, from, to string) error {
	records, err := recordsFile(from)
	if err != nil {
		return err
	}
	if records != "" {
		if c.topic != "" {
			return usagef("import: --topic belongs to offsets, and %s are records", records)
		}
		return c.records(ctx, records, to)
	}
	if info, err := vfs.OS.Stat(from); err == nil && info.Mode.IsDir() {
		return &usageError{err: fmt.Errorf("import %s: is a directory", from), hint: "name a file of it: x.records, or a file of offsets"}
	}
	data, err := vfs.ReadFile(vfs.OS, from, maxOffsetsBytes)
	if err != nil {
		return err
	}
	all, err := committed.DecodeFlat(data)
	if err != nil {
		return &usageError{
			err:  fmt.Errorf("import %s: is neither a file of offsets (%w) nor named x.records", from, err),
			hint: "lines of JSON go in by jlq append " + to + " " + from,
		}
	}
	return c.offsets(from, to, all)
}

// recordsFile is the file of records that from names, "" where it names none.
func recordsFile(from string) (string, error) {
	if filepath.Ext(from) == ".records" {
		return from, nil
	}
	if filepath.Ext(from) == ".index" {
		from = strings.TrimSuffix(from, ".index")
	}
	info, err := vfs.OS.Stat(from + ".records")
	switch {
	case err == nil && info.Mode.IsRegular():
		return from + ".records", nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return "", err
	}
	return "", nil
}
