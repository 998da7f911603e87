package main

import (
	"os"
	"path/filepath"
	"strings"
)

// nearest finds the name that was probably meant: the one that differs from
// what was given in the fewest letters, at most two or a third of them.
func nearest(given string, names []string) (name string) {
	best := max(2, len(given)/3) + 1
	for _, candidate := range names {
		if d := distance(given, candidate); d > 0 && d < best && d < len(given) {
			best, name = d, candidate
		}
	}
	return name
}

// meant asks whether a name was meant; nothing where there is none.
func meant(name string) string {
	if name == "" {
		return ""
	}
	return "; did you mean " + name + "?"
}

// manyEntries are more than a directory of logs has.
const manyEntries = 10_000

// nearLog finds the log that a path which is not there probably meant: one
// beside it whose name differs in a few letters or goes on with an ending.
func nearLog(path string) string {
	dir, given := filepath.Split(filepath.Clean(path))
	entries, err := os.ReadDir(filepath.Dir(filepath.Clean(path)))
	if err != nil || len(entries) > manyEntries {
		return ""
	}
	var names []string
	for _, entry := range entries {
		name := entry.Name()
		if looksLikeLog(entry) && strings.TrimSuffix(name, filepath.Ext(name)) == given {
			return dir + name
		}
		if looksLikeLog(entry) {
			names = append(names, name)
		}
	}
	if name := nearest(given, names); name != "" {
		return dir + name
	}
	return ""
}

// logSuffixes end the names of files that are logs, as a rule.
var logSuffixes = []string{".jsonl", ".ndjson", ".json", ".log", ".records"}

// looksLikeLog reports whether a directory entry may be a log by its kind and
// name.
func looksLikeLog(entry os.DirEntry) bool {
	if entry.IsDir() {
		return !strings.HasPrefix(entry.Name(), ".") && filepath.Ext(entry.Name()) != ".groups"
	}
	for _, suffix := range logSuffixes {
		if strings.HasSuffix(strings.ToLower(entry.Name()), suffix) {
			return !strings.HasSuffix(entry.Name(), ".offsets.json")
		}
	}
	return false
}
