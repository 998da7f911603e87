package offsets

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"example.com/jlq/internal/vfs"
)

// ErrRegistered: a group that is to be imported is registered already, and
// stands elsewhere.
var ErrRegistered = errors.New("is registered already")

// Flat is one consumer offset as EQueue has it in its offsets file. There, what
// is stored is the offset that was consumed last, -1 for none, and a consumer
// goes on with the one behind it; here, it is the one that is read next.
type Flat struct {
	Group     string // as the file has it
	Topic     string
	Partition int
	Consumed  int64
}

// Next is the offset that is read next.
func (f Flat) Next() uint64 { return uint64(f.Consumed + 1) }

// DecodeFlat reads the offsets file of EQueue in either of its forms, by group:
//
//	{"G":{"topic1-3":89055}}
//	{"G":{"topic1":{"3":89055}}}
//
// The result is sorted.
func DecodeFlat(data []byte) ([]Flat, error) {
	d := decoder{json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))))}
	d.UseNumber()
	var all []Flat
	err := d.object(func(group string) error {
		return d.object(func(key string) error {
			found, err := d.flat(key)
			for i := range found {
				found[i].Group = group
			}
			all = append(all, found...)
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one JSON value")
	}
	slices.SortFunc(all, func(a, b Flat) int {
		return strings.Compare(fmt.Sprintf("%s\x00%s\x00%010d", a.Group, a.Topic, a.Partition), fmt.Sprintf("%s\x00%s\x00%010d", b.Group, b.Topic, b.Partition))
	})
	return all, nil
}

// flat reads what belongs to key: a number, or one for each partition.
func (d decoder) flat(key string) (found []Flat, err error) {
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	if n, ok := t.(json.Number); ok {
		i := strings.LastIndexByte(key, '-')
		if i <= 0 {
			return nil, errors.New("is no TOPIC-NUMBER")
		}
		one, err := flatOf(key[:i], key[i+1:], n)
		return []Flat{one}, err
	}
	if t != json.Delim('{') {
		return nil, fmt.Errorf("%v is neither an offset nor an object of them", t)
	}
	seen := map[string]bool{}
	for d.More() {
		number, err := value[string](d)
		if err != nil {
			return nil, err
		}
		if seen[number] {
			return nil, fmt.Errorf("%.80q comes twice", number)
		}
		seen[number] = true
		n, err := value[json.Number](d)
		if err != nil {
			return nil, err
		}
		one, err := flatOf(key, number, n)
		if err != nil {
			return nil, err
		}
		found = append(found, one)
	}
	return found, d.delim('}')
}

func flatOf(topic, number string, n json.Number) (Flat, error) {
	partition, ok := ParsePartition(number)
	if !ok {
		return Flat{}, fmt.Errorf("%w of a partition: %.80q", ErrName, number)
	}
	consumed, err := strconv.ParseInt(n.String(), 10, 64)
	if err != nil || consumed < -1 || consumed == math.MaxInt64 {
		return Flat{}, fmt.Errorf("%.80s is no offset", n)
	}
	return Flat{Topic: topic, Partition: partition, Consumed: consumed}, nil
}

// EncodeFlat is the inverse of [DecodeFlat], in the first form. Entries that
// have no topic in their key get the one that is given.
func EncodeFlat(f *File, topic string) ([]byte, error) {
	flat := map[string]map[string]int64{}
	for group, entries := range f.Groups {
		flat[group] = map[string]int64{}
		for key, e := range entries {
			if !strings.Contains(key, "-") {
				key = topic + "-" + key
			}
			flat[group][key] = int64(e.Next) - 1
		}
	}
	data, err := json.Marshal(flat)
	return append(data, '\n'), err
}

// LocalName is the name of a group or a topic of another system in this one:
// capitals become small letters.
func LocalName(name string) (string, error) {
	local := strings.ToLower(name)
	return local, CheckName(local)
}

// Import registers the groups of flat offsets, whose topic is not looked at,
// with what lies at p. check returns the [Entry.Check] of a partition's record
// before next, or an error where the log does not reach that far. An entry that
// is there and says the same stays, so that an import can be done again; one
// that says something else matches [ErrRegistered], and nothing is imported.
func Import(fsys vfs.FS, p Place, perm fs.FileMode, all []Flat, check func(partition int, next uint64) (string, error)) (*Fallback, error) {
	entries, err := importable(p, all, check)
	if err != nil {
		return nil, err
	}
	return Update(fsys, p, perm, func(f *File) error {
		for _, group := range slices.Sorted(maps.Keys(entries)) {
			f.Register(group)
			for _, key := range slices.Sorted(maps.Keys(entries[group])) {
				e := entries[group][key]
				switch old, there := f.Lookup(group, key); {
				case !there:
					f.Set(group, key, e)
				case old.Next != e.Next:
					return fmt.Errorf("group %s %w: it is at %d of %s, not at %d", group, ErrRegistered, old.Next, key, e.Next)
				}
			}
		}
		return nil
	})
}

// importable makes entries under names of this system.
func importable(p Place, all []Flat, check func(partition int, next uint64) (string, error)) (map[string]map[string]Entry, error) {
	entries, was := map[string]map[string]Entry{}, map[string]string{}
	for _, one := range all {
		group, err := LocalName(one.Group)
		if err != nil {
			return nil, fmt.Errorf("group: %w", err)
		}
		if old, known := was[group]; known && old != one.Group {
			return nil, fmt.Errorf("groups %q and %q would both be %s", old, one.Group, group)
		}
		was[group] = one.Group
		if entries[group] == nil {
			entries[group] = map[string]Entry{}
		}
		key := p.Key(one.Partition)
		if _, twice := entries[group][key]; twice {
			return nil, fmt.Errorf("group %s: two offsets for %s", group, key)
		}
		e := Entry{Next: one.Next()}
		if e.Check, err = check(one.Partition, e.Next); err != nil {
			return nil, fmt.Errorf("group %s: %w", group, err)
		}
		entries[group][key] = e
	}
	return entries, nil
}
