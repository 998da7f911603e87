package group

import (
	"slices"

	"example.com/jlq/internal/offsets"
	"example.com/jlq/internal/vfs"
	"example.com/jlq/reader"
	"example.com/jlq/topic"
)

// source is what a group consumes.
type source struct {
	fs     vfs.FS
	path   string // as it was named
	place  offsets.Place
	shared *reader.Log // of a partition that the process has open, or nil
}

// pinned reports whether one partition of a topic was asked for, and which.
func (s *source) pinned() (number int, ok bool) {
	return s.place.Partition, s.place.Topic != "" && s.place.Partition >= 0
}

// numbers are those of the partitions that consumers see now, ascending.
func (s *source) numbers() ([]int, error) {
	if s.place.Topic == "" {
		return []int{0}, nil
	}
	meta, err := topic.ReadMeta(s.fs, s.place.Dir)
	if err != nil {
		return nil, err
	}
	shown := meta.Consumed()
	if number, ok := s.pinned(); ok {
		if !slices.Contains(shown, number) {
			return nil, nil
		}
		return []int{number}, nil
	}
	return shown, nil
}

// logPath is where partition number lies.
func (s *source) logPath(number int) string {
	if s.place.Topic == "" {
		return s.path
	}
	return topic.PartitionPath(s.place.Dir, number)
}

// key names partition number in the offsets file.
func (s *source) key(number int) string { return s.place.Key(number) }

// open opens partition number for reading. A last line without its newline is
// no record here: it may still grow, and nobody would be given the rest of it.
// own says whether the caller has to close it.
func (s *source) open(number int, o *Options) (log *reader.Log, own bool, err error) {
	if s.shared != nil {
		return s.shared, false, nil
	}
	log, err = reader.Open(s.logPath(number), &reader.Options{
		WholeLines:     true,
		MaxRecordBytes: o.MaxRecordBytes,
		Poll:           o.Poll,
		Logger:         o.Logger,
		FS:             s.fs,
	})
	return log, true, err
}
