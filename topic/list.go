package topic

import (
	"errors"
	"path/filepath"

	"example.com/jlq/internal/segment"
)

// Listed is one topic that [List] found.
type Listed struct {
	Dir  string
	Meta Meta
	Err  error // why its topic.json does not tell
}

// List finds the topics in a directory, by the names of their own directories.
// One whose topic.json cannot be read is listed with the error.
func List(root string, opts *Options) ([]Listed, error) {
	o := opts.withDefaults()
	names, err := o.fs().List(root)
	if err != nil {
		return nil, err
	}
	var found []Listed
	for _, name := range names {
		dir := filepath.Join(root, name)
		info, err := o.fs().Stat(dir)
		if err != nil || !info.Mode.IsDir() {
			continue // a dangling link, a file: no topic
		}
		t := Listed{Dir: dir}
		t.Meta, t.Err = ReadMeta(o.fs(), dir)
		if errors.Is(t.Err, ErrNotTopic) {
			continue
		}
		found = append(found, t)
	}
	return found, nil
}

// IsTopic reports whether a directory is a topic, also one whose topic.json is
// damaged.
func IsTopic(dir string, opts *Options) bool {
	o := opts.withDefaults()
	_, err := o.fs().Stat(filepath.Join(dir, segment.TopicName))
	return err == nil
}
