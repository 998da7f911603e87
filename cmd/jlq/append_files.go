package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"example.com/jlq/internal/segment"
	"example.com/jlq/internal/vfs"
	"example.com/jlq/partition"
)

// checkInputs finds files that cannot be read before anything is stored in the
// log at path.
func checkInputs(path string, files []string) error {
	stdins := 0
	for _, name := range files {
		if name == "-" {
			stdins++
			continue
		}
		if err := checkInput(name); err != nil {
			return &usageError{err: err, hint: logLast(path, files)}
		}
	}
	if stdins > 1 {
		return usagef("append: stdin (-) can be read only once")
	}
	return nil
}

func checkInput(name string) error {
	info, err := os.Stat(name)
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("%s: %w", name, e.Err)
	}
	if err == nil && info.IsDir() {
		err = fmt.Errorf("%s: is a directory; name the files to append", name)
	}
	return err
}

// logLast is the hint for who names the log last, as cp does: a file is there,
// and what it was to be filled from is not.
func logLast(path string, files []string) string {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || len(files) != 1 {
		return ""
	}
	return fmt.Sprintf("the LOG comes before the files: jlq append %s %s", files[0], path)
}

// refuseOwn keeps a log from being fed to itself, which would not end, and
// bad lines from being appended to it.
func refuseOwn(p *partition.Partition, name string, f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() || elsewhere(p, name, info) {
		return nil
	}
	for _, path := range ownFiles(p) {
		own, err := os.Stat(path)
		if err == nil && os.SameFile(own, info) {
			return fmt.Errorf("%s: is a file of the log itself", name)
		}
	}
	return nil
}

// elsewhere reports whether a file is known to be in another directory only. It
// saves looking at each file of a log of many segments.
func elsewhere(p *partition.Partition, name string, info os.FileInfo) bool {
	if p.Log().Place().Bare {
		return false // which has two files
	}
	named, err := os.Stat(name)
	if err != nil || !os.SameFile(named, info) {
		return false // it came without a name
	}
	links, err := vfs.OS.Stat(name)
	if err != nil || links.Links != 1 {
		return false
	}
	path, err := filepath.EvalSymlinks(name)
	if err != nil {
		return false
	}
	dir, err := os.Stat(filepath.Dir(path))
	log, err2 := os.Stat(p.Path())
	return err == nil && err2 == nil && !os.SameFile(dir, log)
}

// ownFiles are the files of a log.
func ownFiles(p *partition.Partition) []string {
	own := []string{filepath.Join(p.Path(), segment.MetaName)}
	for _, pair := range p.Log().Files() {
		own = append(own, pair.Records, pair.Index)
	}
	return own
}
