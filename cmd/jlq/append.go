package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"

	"example.com/jlq/internal/segment"
	"example.com/jlq/partition"
)

const appendLong = `append stores the lines of files, or of stdin, as records: one JSON value a line,
checked before anything is written. LOG is created when it does not exist: as a
bare file when its name ends in .jsonl, .ndjson or .records, else as a partition
directory. gzip and zstd input is unpacked. A last line without newline counts.

Input is stored as soon as it pauses. At the end, and also when it fails, append
says how many records are stored; exit code 0 means that all of them are durable.
An invalid line ends it (--on-bad): what came before is stored.

To go on after a crash, first let append take in what the crash left; the count
is then where the input goes on, and --expect-offset makes sure of it:

  jlq append LOG </dev/null
  n=$(jlq count LOG)
  tail -n +$((n+1)) input.jsonl | jlq append --expect-offset $n LOG

--sync says what a record survives once it is acknowledged (by --ack, or by exit
code 0):
  always    a power loss: nothing acknowledged is lost (the default)
  interval  the death of the process; after a power loss up to 1 s and one fsync
            of acknowledged records may be lost
  os        the death of the process; after a power loss everything since append
            began, or the last 64 to 256 MiB, may be lost
With every mode, exit code 0 comes after the last fsync.`

type appendCommand struct {
	*app
	sync, validate choice
	compact        bool
	onBad          string
	max            sizeFlag
	expect         string
	ack            bool
	mode           string
	network        bool
}

func (a *app) appendCmd() *cobra.Command {
	c := &appendCommand{app: a, sync: newChoice("always", "interval", "os"), validate: newChoice("strict", "frame"), max: 16 << 20}
	cmd := &cobra.Command{
		Use:   "append LOG [FILE…|-]",
		Short: "store lines as records",
		Long:  appendLong,
		Example: `  app | jlq append --ack orders
  jlq append --on-bad bad.lines orders old.jsonl.gz more.jsonl
  jlq append --compact app.jsonl pretty.json`,
		Args: wantArgs(1, -1, "a LOG"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.run(cmd.Context(), args[0], args[1:])
		},
	}
	c.addFlags(cmd)
	return cmd
}

func (c *appendCommand) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.Var(&c.sync, "sync", "what an acknowledged record survives, see above")
	f.Var(&c.validate, "validate", "strict: one JSON value, RFC 8259, UTF-8; frame: any line without NUL bytes that is not empty")
	f.BoolVar(&c.compact, "compact", false, "the input is a stream of JSON values, of one or more lines each: store each on one line, without its white space")
	f.StringVar(&c.onBad, "on-bad", "fail", "what to do about an invalid line: `fail|skip|FILE`; FILE gets it as it is")
	f.Var(&c.max, "max-record", "the largest record that is stored, in bytes")
	f.StringVar(&c.expect, "expect-offset", "", "store only if the first record gets offset `N`; else store nothing and exit with 1")
	f.BoolVar(&c.ack, "ack", false, "print the offset of each record on stdout once it is durable under --sync")
	f.StringVar(&c.mode, "mode", "0600", "permission of new files, `OCTAL`; directories get the search bits that go with it")
	f.BoolVar(&c.network, "allow-network", false, "write on a network file system, where locks and fsync may not hold what they promise")
}

func (c *appendCommand) run(ctx context.Context, path string, files []string) error {
	opts, err := c.options()
	if err != nil {
		return err
	}
	if path == "-" {
		return &usageError{err: errors.New("append: - is an input; the LOG comes first"), hint: "jlq append LOG -"}
	}
	if err := checkPlain(path); err != nil {
		return err
	}
	if len(files) == 0 {
		files = []string{"-"}
	}
	if err := checkInputs(files); err != nil {
		return err
	}
	// Both files are open for writing before any input is taken: what could
	// not be stored is not consumed.
	bar := c.startProgress("index " + path)
	opts.Progress = bar.set
	p, err := partition.Open(path, opts)
	bar.finish()
	if err != nil {
		return damaged(path, err)
	}
	c.tellCreated(p)
	s := &store{app: c.app, p: p, path: path, ack: c.ack, compact: c.compact, max: opts.MaxRecordBytes, check: opts.Validate}
	return s.all(ctx, c, files)
}

// tellCreated says what was made of a name that looks like that of a file.
func (c *appendCommand) tellCreated(p *partition.Partition) {
	if p.Recovery().Created && !p.Log().Info().Bare && filepath.Ext(p.Path()) != "" {
		c.report("%s: created as a partition directory; names in .jsonl, .ndjson and .records become files", p.Path())
	}
}

// damaged adds to the refusal of a damaged log what can be done.
func damaged(path string, err error) error {
	if _, corrupt := errors.AsType[*partition.CorruptError](err); !corrupt {
		return err
	}
	return &usageError{err: err, hint: "nothing was changed, and reading goes on; jlq verify " + path + " lists the damage"}
}

// options are those of the log.
func (c *appendCommand) options() (*partition.Options, error) {
	opts := &partition.Options{MaxRecordBytes: int(c.max), AllowNetwork: c.network, Logger: c.logger()}
	var err error
	if opts.Sync, err = partition.ParseSync(c.sync.value); err != nil {
		return nil, err
	}
	if opts.Validate, err = partition.ParseValidate(c.validate.value); err != nil {
		return nil, err
	}
	mode, err := strconv.ParseUint(c.mode, 8, 32)
	if err != nil || mode == 0 || mode > 0o777 || mode&0o600 != 0o600 {
		return nil, usagef("append: --mode %q: want an octal mode of files that the owner can read and write, such as 0640", c.mode)
	}
	opts.Mode = fs.FileMode(mode)
	return opts, nil
}

// expected parses --expect-offset.
func (c *appendCommand) expected() (offset uint64, given bool, err error) {
	if c.expect == "" {
		return 0, false, nil
	}
	offset, err = strconv.ParseUint(c.expect, 10, 64)
	if err != nil {
		return 0, false, usagef("append: --expect-offset %q: want a number", c.expect)
	}
	return offset, true, nil
}

// checkInputs finds files that cannot be read before anything is stored.
func checkInputs(files []string) error {
	stdins := 0
	for _, name := range files {
		if name == "-" {
			stdins++
			continue
		}
		info, err := os.Stat(name)
		if err != nil {
			return err
		}
		if info.IsDir() {
			return &fs.PathError{Op: "read", Path: name, Err: errors.New("is a directory; name the files to append")}
		}
	}
	if stdins > 1 {
		return usagef("append: stdin (-) can be read only once")
	}
	return nil
}

// refuseOwn keeps a log from being fed to itself, which would not end, and
// bad lines from being appended to it.
func refuseOwn(p *partition.Partition, name string, f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	for _, path := range ownFiles(p) {
		own, err := os.Stat(path)
		if err == nil && os.SameFile(own, info) {
			return fmt.Errorf("%s: is a file of the log itself", name)
		}
	}
	return nil
}

// ownFiles are the files of a log.
func ownFiles(p *partition.Partition) []string {
	own := []string{filepath.Join(p.Path(), segment.MetaName)}
	for _, s := range p.Log().Info().Segments {
		own = append(own, s.Records, s.Index)
	}
	return own
}
