package offsets

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// maxFileBytes bounds what is read of the file, and written to it.
const maxFileBytes = 64 << 20

// maxAttempts bounds the count of attempts in the file.
const maxAttempts = 1 << 30

var errMissing = errors.New("is missing")

// decode reads the bytes of an offsets.json; a newer format matches
// [ErrNewerFormat], anything else that is wrong is damage.
func decode(data []byte) (File, error) {
	// A newer version may have changed the type of any other field, so the
	// format is read on its own first.
	var version struct {
		Format json.Number `json:"format"`
	}
	if err := json.Unmarshal(data, &version); err != nil {
		return File{}, err
	}
	if n, err := strconv.Atoi(version.Format.String()); err == nil && n > Format {
		return File{}, fmt.Errorf("%w: format %d, known are up to %d", ErrNewerFormat, n, Format)
	}
	d := decoder{json.NewDecoder(bytes.NewReader(data))}
	d.UseNumber()
	f, err := d.file()
	if err != nil {
		return File{}, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return File{}, errors.New("more than one JSON value")
	}
	return f, nil
}

// encode is the inverse of decode.
func encode(f *File) ([]byte, error) {
	f.Format = Format
	if f.Groups == nil {
		f.Groups = map[string]map[string]Entry{}
	}
	data, err := json.Marshal(f)
	if err != nil {
		return nil, err
	}
	// What this version could not read again must not reach the disk.
	if _, err := decode(data); err != nil {
		return nil, err
	}
	if data = append(data, '\n'); len(data) > maxFileBytes {
		return nil, fmt.Errorf("more than %d bytes of groups", maxFileBytes)
	}
	return data, nil
}

// decoder reads token by token, because encoding/json lets a name come twice
// and takes it in any case.
type decoder struct{ *json.Decoder }

func (d decoder) file() (File, error) {
	f := File{}
	err := d.object(func(name string) (err error) {
		switch name {
		case "format":
			f.Format, err = number[int](d, 1, Format)
		case "groups":
			f.Groups, err = d.groups()
		default:
			err = d.skip()
		}
		return err
	})
	if err != nil {
		return f, err
	}
	if f.Format == 0 {
		return f, fmt.Errorf("format %w", errMissing)
	}
	if f.Groups == nil {
		return f, fmt.Errorf("groups %w", errMissing)
	}
	return f, nil
}

func (d decoder) groups() (map[string]map[string]Entry, error) {
	groups := map[string]map[string]Entry{}
	err := d.object(func(group string) (err error) {
		if err := CheckName(group); err != nil {
			return err
		}
		groups[group], err = d.entries()
		return err
	})
	return groups, err
}

func (d decoder) entries() (map[string]Entry, error) {
	entries := map[string]Entry{}
	err := d.object(func(key string) (err error) {
		if _, _, err := ParseKey(key); err != nil {
			return err
		}
		entries[key], err = d.entry()
		return err
	})
	return entries, err
}

func (d decoder) entry() (e Entry, err error) {
	placed := false
	err = d.object(func(name string) (err error) {
		switch name {
		case "next":
			placed = true
			e.Next, err = number[uint64](d, 0, MaxNext)
		case "check":
			e.Check, err = d.check()
		case "gen":
			e.Gen, err = number[uint64](d, 0, 1<<64-1)
		case "held":
			e.Held, err = value[bool](d)
		case "attempts":
			e.Attempts, err = number[int](d, 0, maxAttempts)
		default:
			err = d.skip()
		}
		return err
	})
	if err == nil && !placed {
		// Without it the group would begin from the start.
		err = fmt.Errorf("next %w", errMissing)
	}
	return e, err
}

// object reads an object whose values field reads; no name comes twice.
func (d decoder) object(field func(name string) error) error {
	if err := d.delim('{'); err != nil {
		return err
	}
	seen := map[string]bool{}
	for d.More() {
		name, err := value[string](d)
		if err != nil {
			return err
		}
		if seen[name] {
			return fmt.Errorf("%.80q comes twice", name)
		}
		seen[name] = true
		if err := field(name); err != nil {
			return fmt.Errorf("%.80s: %w", name, err)
		}
	}
	return d.delim('}')
}

func (d decoder) delim(want json.Delim) error {
	t, err := d.Token()
	if err == nil && t != want {
		err = fmt.Errorf("%v where %v belongs", t, want)
	}
	return err
}

// skip passes over the value of a field that is not known.
func (d decoder) skip() error {
	var ignored json.RawMessage
	return d.Decode(&ignored)
}

// value reads one token of a type.
func value[T any](d decoder) (v T, err error) {
	t, err := d.Token()
	if err != nil {
		return v, err
	}
	v, ok := t.(T)
	if !ok {
		err = fmt.Errorf("%v is of the wrong type", t)
	}
	return v, err
}

// number reads a number from low to high, digits only.
func number[T int | uint64](d decoder, low, high uint64) (T, error) {
	text, err := value[json.Number](d)
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseUint(text.String(), 10, 64)
	if err != nil || n < low || n > high {
		return 0, fmt.Errorf("%.80s is no number from %d to %d", text, low, high)
	}
	return T(n), nil
}

// check reads the digits of a record's sum.
func (d decoder) check() (string, error) {
	text, err := value[string](d)
	if err == nil && text != "" && (len(text) != CheckDigits || strings.Trim(text, "0123456789abcdef") != "") {
		err = fmt.Errorf("%.80q is not %d hex digits", text, CheckDigits)
	}
	return text, err
}
