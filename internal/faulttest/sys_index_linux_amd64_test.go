package faulttest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"example.com/jlq/index"
	"example.com/jlq/partition"
)

// indexing is jlq index on a bare file.
type indexing struct {
	name  string
	spoil func(path string, a *account) error
}

func (x *indexing) String() string { return "index, " + x.name }

func (x *indexing) faults(calls []call) []fault { return new(workload).faults(calls) }

func (x *indexing) attempt(jlq, dir string, f *fault) (*traced, error) {
	a, err := left("f.jsonl", partition.SyncAlways, x.spoil)(dir)
	if err != nil {
		return nil, err
	}
	pair := pairOf(filepath.Join(dir, "f.jsonl"))
	before, err := os.ReadFile(pair.Records)
	if err != nil {
		return nil, err
	}
	r, err := traceRun(dir, f, []string{jlq, "index", "f.jsonl"}, func(p *process) error {
		_, err := io.Copy(io.Discard, p.stdout)
		return err
	})
	if err != nil {
		return r, err
	}
	after, err := os.ReadFile(pair.Records)
	if err == nil && !bytes.Equal(before, after) {
		err = errors.New("the records changed")
	}
	return r, errors.Join(err, r.wantEnd(f, "os", newSource("")), checkIndexable(pair.Records, pair.Index), a.check(pair.Records))
}

// checkIndexable builds an index on what a fault left.
func checkIndexable(records, name string) error {
	if _, err := index.BuildFile(noContext, records, name, nil); err != nil {
		return err
	}
	_, problems, err := index.CheckFile(noContext, records, name, nil)
	if err == nil && len(problems) > 0 {
		err = fmt.Errorf("the index is wrong: %v", problems)
	}
	return err
}

// TestIndexFaults fails and kills jlq index at every system call: it never
// touches the records, and the next one makes the index right.
func TestIndexFaults(t *testing.T) {
	runMatrix(t, []*indexing{
		{"complete", unspoilt},
		{"missing", noIndex},
		{"behind", linesBehind},
		{"wrong", wrongEntries},
		{"without a last newline", noNewline},
	}, 150)
}
