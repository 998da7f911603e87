package offsets

import (
	"fmt"
	"strconv"
	"strings"
)

// maxName is how many bytes the name of a group or a topic has at most.
const maxName = 63

// CheckName reports what is no name of a group or a topic; these match
// [a-z0-9][a-z0-9._-]{0,62}, so that one is never a path. The error matches
// [ErrName].
func CheckName(name string) error {
	ok := 0 < len(name) && len(name) <= maxName
	for i := 0; ok && i < len(name); i++ {
		c := name[i]
		ok = 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || i > 0 && (c == '.' || c == '_' || c == '-')
	}
	if !ok {
		return fmt.Errorf("%w: %.80q; use a-z, 0-9 and inside also . _ -, at most %d characters", ErrName, name, maxName)
	}
	return nil
}

// ParsePartition returns the number that a partition's directory is named by:
// decimal, without leading zeros.
func ParsePartition(name string) (number int, ok bool) {
	n, err := strconv.ParseInt(name, 10, 32)
	if err != nil || n < 0 || strconv.FormatInt(n, 10) != name {
		return 0, false
	}
	return int(n), true
}

// ParseKey is the inverse of [Place.Key]. topic is "" for a key that is only a
// number.
func ParseKey(key string) (topic string, partition int, err error) {
	number := key
	if i := strings.LastIndexByte(key, '-'); i >= 0 {
		topic, number = key[:i], key[i+1:]
		if err := CheckName(topic); err != nil {
			return "", 0, err
		}
	}
	partition, ok := ParsePartition(number)
	if !ok {
		return "", 0, fmt.Errorf("%w of a partition: %.80q", ErrName, key)
	}
	return topic, partition, nil
}
