package offsets

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"

	"example.com/jlq/internal/vfs"
)

const (
	fileName  = "offsets.json"
	topicName = "topic.json"

	maxTopicBytes = 1 << 20
	topicFormat   = 1
)

// Place is where the groups of a log are kept.
type Place struct {
	Path      string // what is consumed: the topic, the partition directory or the bare file
	Dir       string // the directory that File lies in
	File      string // offsets.json
	Lock      string // the file whose lock guards File
	Groups    string // directory of the groups' own directories
	Dead      string // directory of the dead letters
	Topic     string // the topic's name, "" where it is none
	Partition int    // the partition that was named; -1 for all of a topic
	Bare      bool   // it is a bare file
}

// Key names a partition in the file.
func (p Place) Key(partition int) string {
	if p.Topic == "" {
		return strconv.Itoa(partition)
	}
	return p.Topic + "-" + strconv.Itoa(partition)
}

// Prev is the file with the version before.
func (p Place) Prev() string { return p.File + ".prev" }

// MembersDir is where the members of a group say that they live.
func (p Place) MembersDir(group string) string { return filepath.Join(p.Groups, group, "members") }

// ClaimDir is the directory whose lock is the claim on a partition.
func (p Place) ClaimDir(group string, partition int) string {
	return filepath.Join(p.Groups, group, strconv.Itoa(partition))
}

// DeadDir is the partition directory of a group's dead letters.
func (p Place) DeadDir(group string, partition int) string {
	return filepath.Join(p.Dead, group, strconv.Itoa(partition))
}

// Locate finds out where the groups of a log are kept. The log has to exist.
// A symbolic link leads to what it denotes: to the topic of a partition, or to a
// bare file, so that a group has one place however the log is named. Two hard links
// to one file are two logs.
func Locate(fsys vfs.FS, path string) (Place, error) {
	info, err := fsys.Stat(path)
	if err != nil {
		return Place{}, err
	}
	switch {
	case info.Mode.IsRegular():
		return locateBare(fsys, path)
	case !info.Mode.IsDir():
		return Place{}, &fs.PathError{Op: "open", Path: path, Err: vfs.ErrNotRegular}
	}
	name, ok, err := readTopic(fsys, path)
	if err != nil {
		return Place{}, err
	}
	if ok {
		return dirAt(path, name, -1), nil
	}
	place, ok, err := inTopic(fsys, path)
	if err != nil || ok {
		return place, err
	}
	return dirAt(path, "", 0), nil
}

// locateBare is Locate for a bare file. Where a person, or an older version, left
// offsets beside a link to it, nobody knows whether they or those beside the file
// count: to leave them out would begin a group anew without a word.
func locateBare(fsys vfs.FS, path string) (Place, error) {
	target, err := followed(fsys, path)
	if err != nil {
		return Place{}, err
	}
	place := bareAt(target)
	if target == path {
		return place, nil
	}
	left := bareAt(path).File
	beside, err := fsys.Stat(left)
	if errors.Is(err, fs.ErrNotExist) {
		return place, nil
	}
	if err != nil {
		return Place{}, err
	}
	if kept, err := fsys.Stat(place.File); err == nil && kept.Same(beside) {
		return place, nil
	}
	return Place{}, &fs.PathError{Op: "read", Path: left, Err: fmt.Errorf("%w: those of this file are in %s; move it there, or away", ErrLeft, place.File)}
}

func dirAt(dir, topic string, partition int) Place {
	file := filepath.Join(dir, fileName)
	return Place{
		Path: dir, Dir: dir, File: file, Lock: file + ".lock",
		Groups: filepath.Join(dir, "groups"), Dead: filepath.Join(dir, "dead"),
		Topic: topic, Partition: partition,
	}
}

func bareAt(path string) Place {
	file := path + "." + fileName
	return Place{
		Path: path, Dir: filepath.Dir(path), File: file, Lock: file + ".lock",
		Groups: path + ".groups", Dead: path + ".dead", Bare: true,
	}
}

// inTopic finds the topic that a partition directory lies in, by its name or,
// where that is a symbolic link, by what it leads to: whoever trims a
// partition under another name must not miss who still needs it.
func inTopic(fsys vfs.FS, path string) (Place, bool, error) {
	place, ok, err := partitionOf(fsys, path)
	if err != nil || ok {
		return place, ok, err
	}
	full := path
	if base := filepath.Base(path); base == "." || base == ".." {
		if full, err = filepath.Abs(path); err != nil {
			return Place{}, false, err
		}
		if place, ok, err = partitionOf(fsys, full); err != nil || ok {
			return place, ok, err
		}
	}
	target, err := followed(fsys, full)
	if err != nil || target == full {
		return Place{}, false, err
	}
	return partitionOf(fsys, target)
}

// followed is what path denotes where it is a symbolic link, else path itself.
// Links in front of its last element lead to the same directory in any case.
func followed(fsys vfs.FS, path string) (string, error) {
	info, err := fsys.Lstat(path)
	if err != nil || info.Mode&fs.ModeSymlink == 0 {
		return path, err
	}
	return filepath.EvalSymlinks(path)
}

// partitionOf takes path for DIR/NUMBER where DIR is a topic.
func partitionOf(fsys vfs.FS, path string) (Place, bool, error) {
	number, ok := ParsePartition(filepath.Base(path))
	if !ok {
		return Place{}, false, nil
	}
	dir := filepath.Dir(filepath.Clean(path))
	topic, ok, err := readTopic(fsys, dir)
	if err != nil || !ok {
		return Place{}, false, err
	}
	return dirAt(dir, topic, number), true, nil
}

// readTopic returns the name in the topic.json of dir; ok is false where there
// is none.
func readTopic(fsys vfs.FS, dir string) (name string, ok bool, err error) {
	path := filepath.Join(dir, topicName)
	data, err := vfs.ReadFile(fsys, path, maxTopicBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return "", false, nil
	}
	if err != nil {
		return "", false, err
	}
	if name, err = parseTopic(data); err != nil {
		return "", false, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return name, true, nil
}

// parseTopic reads what this package needs of a topic.json.
func parseTopic(data []byte) (string, error) {
	var version struct {
		Format int `json:"format"`
	}
	if err := json.Unmarshal(data, &version); err != nil {
		return "", err
	}
	if version.Format > topicFormat {
		return "", fmt.Errorf("%w: format %d, known are up to %d", ErrNewerFormat, version.Format, topicFormat)
	}
	var topic struct {
		Name string `json:"name"`
	}
	if err := json.Unmarshal(data, &topic); err != nil {
		return "", err
	}
	return topic.Name, CheckName(topic.Name)
}
