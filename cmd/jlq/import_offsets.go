package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	committed "example.com/jlq/internal/offsets"
	"example.com/jlq/internal/vfs"
	"example.com/jlq/partition"
)

// offsets registers the groups of a flat file with a log.
func (c *importCommand) offsets(from, to string, all []committed.Flat) error {
	place, err := committed.Locate(vfs.OS, to)
	if err != nil {
		return noLog(to, err)
	}
	mine, err := c.choose(from, to, place, all)
	if err != nil {
		return err
	}
	fallback, err := committed.Import(vfs.OS, place, 0, mine, func(number int, next uint64) (string, error) {
		return checkBefore(partitionPath(place, number), next)
	})
	if fallback != nil {
		c.report("%v", fallback)
	}
	if errors.Is(err, committed.ErrRegistered) {
		return &usageError{err: fmt.Errorf("import %s: %w", from, err), hint: "jlq group reset moves a group, jlq group delete forgets it"}
	}
	if err != nil {
		return fmt.Errorf("import %s: %w", from, err)
	}
	for _, one := range mine {
		group := strings.ToLower(one.Group) // Import has checked it
		c.report("%s: group %s reads offset %d of %s next", to, group, one.Next(), place.Key(one.Partition))
	}
	if n := len(all) - len(mine); n > 0 {
		c.report("%s: left out, because they are of other topics: %s", from, countText(uint64(n), "offset"))
	}
	return nil
}

// choose finds the offsets that are the log's.
func (c *importCommand) choose(from, to string, place committed.Place, all []committed.Flat) (mine []committed.Flat, err error) {
	topic, number := c.topic, -1
	switch {
	case place.Topic == "":
		if topic, number, err = c.single(to, all); err != nil {
			return nil, err
		}
	case topic == "":
		topic = place.Topic
	}
	for _, one := range all {
		if !strings.EqualFold(one.Topic, topic) || number >= 0 && one.Partition != number {
			continue
		}
		if number >= 0 {
			one.Partition = place.Partition // the log is what was one partition of many
		}
		if place.Partition < 0 || place.Partition == one.Partition {
			mine = append(mine, one)
		}
	}
	if len(mine) == 0 {
		return nil, &usageError{
			err:  fmt.Errorf("import %s: no offset of %s is there", from, topic),
			hint: "--topic says which is LOG's: " + strings.Join(topics(all), ", "),
		}
	}
	return mine, nil
}

// single is the topic and the number of the one entry that is a log's which is no
// topic.
func (c *importCommand) single(to string, all []committed.Flat) (topic string, number int, err error) {
	key := c.topic
	if known := keys(all); key == "" && len(known) == 1 {
		key = known[0]
	}
	i := strings.LastIndexByte(key, '-')
	number, ok := committed.ParsePartition(key[i+1:])
	if i <= 0 || !ok {
		return "", 0, &usageError{
			err:  fmt.Errorf("import: %s is no topic; --topic TOPIC-N says which offsets are its own", to),
			hint: "there are " + strings.Join(keys(all), ", "),
		}
	}
	return key[:i], number, nil
}

func keys(all []committed.Flat) []string {
	var names []string
	for _, one := range all {
		names = append(names, one.Topic+"-"+strconv.Itoa(one.Partition))
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func topics(all []committed.Flat) []string {
	var names []string
	for _, one := range all {
		names = append(names, one.Topic)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func partitionPath(place committed.Place, number int) string {
	if place.Topic == "" {
		return place.Path
	}
	return filepath.Join(place.Path, strconv.Itoa(number))
}

// checkBefore sums up the record before next, where it is still there.
func checkBefore(path string, next uint64) (check string, err error) {
	p, err := partition.OpenReader(path, nil)
	if err != nil {
		return "", noLog(path, err)
	}
	defer p.Close() // it was only read
	start, end := p.Bounds()
	switch {
	case next > end:
		return "", fmt.Errorf("%s ends at offset %d, before %d: import the records first", path, end, next)
	case next <= start:
		return "", nil
	}
	record, err := p.Get(next - 1)
	if err != nil {
		return "", err
	}
	return committed.Check(record), nil
}
