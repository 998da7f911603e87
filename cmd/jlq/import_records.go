package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"example.com/jlq/index"
	"example.com/jlq/internal/vfs"
	"example.com/jlq/partition"
	"example.com/jlq/reader"
)

// importBatch is how many bytes of records are stored at once.
const importBatch = 1 << 20

// records takes in a two-file partition.
func (c *importCommand) records(ctx context.Context, from, to string) error {
	f, info, err := vfs.OpenRegular(vfs.OS, from)
	if err != nil {
		return err
	}
	defer f.Close() // it was only read
	src := &importSource{c: c, path: from, file: f, size: info.Size}
	c.noteStaleLock(from)
	if err := c.compareIndex(ctx, from); err != nil {
		return err
	}
	if err := src.check(ctx); err != nil {
		return err
	}
	p, err := partition.Open(to, &partition.Options{
		Validate: c.kind(), MaxRecordBytes: int(c.max), AllowNetwork: c.network, Logger: c.logger(),
	})
	if err != nil {
		return damaged(to, err)
	}
	into := &importing{c: c, p: p, to: to, from: from}
	err = into.all(ctx, src)
	if closed := p.Close(); err == nil {
		err = closed
	}
	into.tell()
	return err
}

func (c *importCommand) kind() partition.Validate {
	if c.validate.value == "frame" && !c.wrap {
		return partition.Frame
	}
	return partition.Strict
}

// noteStaleLock: the original leaves its lock file behind when it dies.
func (c *importCommand) noteStaleLock(from string) {
	lock := strings.TrimSuffix(from, ".records") + ".lock"
	if _, err := vfs.OS.Lstat(lock); err == nil {
		c.report("%s is there: a writer has the records, or died; what it adds from now on is not imported", lock)
	}
}

// compareIndex refuses records that are not those of their index: then nobody
// knows which of the two is right. An index that is behind is what a writer
// leaves that dies.
func (c *importCommand) compareIndex(ctx context.Context, from string) error {
	name := index.Path(from)
	bar := c.startProgress("check " + name)
	rep, problems, err := index.CheckFile(ctx, from, name, &index.Options{MaxProblems: 2, Progress: bar.set})
	bar.finish()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		c.report("%s is not there: every line counts", name)
		return nil
	case err != nil:
		return err
	}
	for _, problem := range problems {
		c.report("%s: %v", name, problem)
		if problem.Kind == index.Partial {
			continue // what a writer leaves that dies
		}
		c.report("nothing is imported: the records are not those of their index")
		c.hint("if the records are right, move " + name + " away: then every line counts")
		return silent(exitInvalid)
	}
	if rep.Behind > 0 {
		c.report("%s ends at offset %d: %s behind it imported as well", name, rep.Records, countText(rep.Behind, "whole line"))
	}
	return nil
}

// importing is the way into the log.
type importing struct {
	c    *importCommand
	p    *partition.Partition
	to   string
	from string
	old  *reader.Reader // of what was there before

	start, there uint64 // bounds of that
	seen, stored uint64 // records that were given, and that were stored
	batch        [][]byte
	bytes        int
}

// all compares what is there and appends the rest.
func (i *importing) all(ctx context.Context, src *importSource) error {
	i.start, i.there = i.p.Bounds()
	i.old = i.p.Reader(i.start)
	bar := i.c.startProgress("import " + src.path)
	defer bar.finish()
	err := src.each(ctx, func(record []byte, end int64) error {
		bar.set(end, src.size)
		i.seen++
		return i.take(record)
	})
	if err == nil && i.seen < i.there {
		err = fmt.Errorf("%s: has %d records, and %s only %d", i.to, i.there, src.path, i.seen)
	}
	if err != nil {
		return err
	}
	return i.flush()
}

func (i *importing) take(record []byte) error {
	switch {
	case i.seen <= i.start:
		return nil // dropped from the log since
	case i.seen <= i.there:
		return i.compare(record)
	}
	if i.bytes+len(record) > importBatch {
		if err := i.flush(); err != nil {
			return err
		}
	}
	i.batch, i.bytes = append(i.batch, bytes.Clone(record)), i.bytes+len(record)
	return nil
}

// compare makes sure that an earlier import from the same records goes on.
func (i *importing) compare(record []byte) error {
	rec, err := i.old.Next()
	if err == nil && !bytes.Equal(rec.Data, record) {
		err = fmt.Errorf("%s: record %d is not that of %s: name a new log, or the one that an import from there began", i.to, i.seen-1, i.from)
	}
	return err
}

// flush stores what was gathered, durably.
func (i *importing) flush() error {
	if len(i.batch) == 0 {
		return nil
	}
	err := i.p.AppendAt(i.there+i.stored, i.batch...)
	if batch, ok := errors.AsType[*partition.BatchError](err); ok {
		i.stored += uint64(batch.Stored)
	} else if err == nil {
		i.stored += uint64(len(i.batch))
	}
	i.batch, i.bytes = i.batch[:0], 0
	return err
}

func (i *importing) tell() {
	what := recordsText(i.stored) + " imported"
	if i.there > 0 {
		what += fmt.Sprintf(", %d were there already", i.there)
	}
	i.c.report("%s: %s", i.to, what)
}
