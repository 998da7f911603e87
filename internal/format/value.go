package format

import (
	"strconv"

	"example.com/jlq/internal/jsonl"
)

// style is how a JSON value is written.
type style uint8

const (
	stored style = iota
	compact
	indented
)

// value is raw, json and pretty.
type value struct {
	opts  *Options
	style style
	log   *logView // decides by the first record; nil where that is not wanted
	buf   []byte
}

func (v *value) append(dst []byte, rec *Record) ([]byte, error) {
	if v.log != nil {
		decided := v.log.decide(rec)
		if v.log.chosen {
			return v.log.append(dst, rec)
		}
		if decided {
			v.log = nil
		}
	}
	switch {
	case v.style == stored && !v.opts.Visible:
		return append(dst, rec.Data...), nil
	case v.style == stored && (v.opts.Palette == Palette{} || rec.check() != nil):
		return AppendVisible(dst, rec.Data), nil
	case v.style == stored:
		return AppendColored(dst, rec.Data, v.opts.Palette), nil
	case !v.opts.Visible:
		return v.style.append(dst, rec.json())
	}
	var err error
	if v.buf, err = v.style.append(v.buf[:0], rec.json()); err != nil {
		return dst, err
	}
	return AppendColored(dst, v.buf, v.opts.Palette), nil
}

// append appends src, which is checked.
func (s style) append(dst, src []byte) ([]byte, error) {
	if s == indented {
		return jsonl.Indent(dst, src, "  ")
	}
	return jsonl.Compact(dst, src)
}

// appendShown appends text as the options want it.
func (o *Options) appendShown(dst, text []byte) []byte {
	if o.Visible {
		return AppendVisible(dst, text)
	}
	return append(dst, text...)
}

func (r *Record) appendOffset(dst []byte) []byte {
	if r.Offset == UnknownOffset {
		return append(dst, '?')
	}
	return strconv.AppendUint(dst, r.Offset, 10)
}

// appendID appends the id of the record as package topic writes it.
func (r *Record) appendID(dst []byte) []byte {
	if r.Topic != "" {
		dst = append(append(dst, r.Topic...), '-')
	}
	dst = append(strconv.AppendInt(dst, int64(r.Partition), 10), '@')
	return r.appendOffset(dst)
}
