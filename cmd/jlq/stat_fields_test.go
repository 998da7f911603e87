package main

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// fieldsOracle counts, for each path of the files that it is given, the records
// that hold it and the values of each type.
const fieldsOracle = `
import json, re, sys
class Number(str):
    pass
class Object(tuple): # of pairs, so that keys that come twice count twice
    pass
def step(key):
    return "." + (key if re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", key) else json.dumps(key, ensure_ascii=False))
def kind(v):
    for t, name in ((bool, "boolean"), (int, "integer"), (Number, "number"), (str, "string"), (Object, "object"), (list, "array")):
        if isinstance(v, t):
            return name
    return "null"
def walk(path, v, number, seen):
    f = seen.setdefault(path or ".", {"records": 0, "last": -1, "values": 0, "types": {}})
    f["records"] += f["last"] != number
    f["last"] = number
    f["values"] += 1
    f["types"][kind(v)] = f["types"].get(kind(v), 0) + 1
    if isinstance(v, Object):
        for key, w in v:
            walk(path + step(key), w, number, seen)
    if isinstance(v, list):
        for w in v:
            walk(path + "[]", w, number, seen)
for name in sys.argv[1:]:
    seen, records = {}, 0
    for line in open(name, "rb").read().split(b"\n"):
        if not line.strip():
            continue
        walk("", json.loads(line, parse_float=Number, object_pairs_hook=Object), records, seen)
        records += 1
    for f in seen.values():
        del f["last"]
    print(json.dumps({"records": records, "fields": seen}))
`

// seenFields is what it prints of one file.
type seenFields struct {
	Records uint64                `json:"records"`
	Fields  map[string]seenValues `json:"fields"`
}

type seenValues struct {
	Records uint64            `json:"records"`
	Values  uint64            `json:"values"`
	Types   map[string]uint64 `json:"types"`
}

// TestFieldsOfSampleData compares stat --fields with python on real files.
func TestFieldsOfSampleData(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3")
	}
	var files []string
	var found []*fieldsReport
	err = filepath.WalkDir(sampleData, func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".jsonl" {
			return err
		}
		var stdout bytes.Buffer
		if run([]string{"stat", "--fields", "--json", path}, nil, &stdout, new(bytes.Buffer)) != exitOK {
			return nil // not all of it is JSON
		}
		report := new(fieldsReport)
		require.NoError(t, json.Unmarshal(stdout.Bytes(), report), path)
		files, found = append(files, path), append(found, report)
		return nil
	})
	if os.IsNotExist(err) {
		t.Skip("no sample data beside this checkout")
	}
	require.NoError(t, err)
	require.Greater(t, len(files), 10)
	oracle := exec.Command(python, append([]string{"-c", fieldsOracle}, files...)...)
	oracle.Stderr = os.Stderr
	out, err := oracle.Output()
	require.NoError(t, err)
	answers := json.NewDecoder(bytes.NewReader(out))
	for i, path := range files {
		var want seenFields
		require.NoError(t, answers.Decode(&want), path)
		got := seenFields{found[i].Records, map[string]seenValues{}}
		for _, f := range found[i].Fields {
			got.Fields[f.Path] = seenValues{f.Records, f.Values, f.Types}
		}
		require.Equal(t, want, got, path)
	}
}
