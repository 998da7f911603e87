package mutants

import (
	"embed"
	"errors"
	"io/fs"
	"path"
	"strings"
)

//go:embed *.patch
var patches embed.FS

// List returns all mutants, by name.
func List() ([]Mutant, error) { return load(patches) }

// load parses the files that end in .patch.
func load(dir fs.FS) ([]Mutant, error) {
	names, err := fs.Glob(dir, "*.patch")
	if err != nil {
		return nil, err
	}
	var list []Mutant
	var errs []error
	for _, name := range names {
		text, err := fs.ReadFile(dir, name)
		if err != nil {
			return nil, err
		}
		m, err := Parse(strings.TrimSuffix(path.Base(name), ".patch"), string(text))
		list, errs = append(list, m), append(errs, err)
	}
	return list, errors.Join(errs...)
}
