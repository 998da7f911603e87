package queue

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"unicode/utf8"

	"example.com/jlq/internal/jsonl"
)

// Codec turns values into records and back. A record is one JSON value on one
// line, so that a queue stays a log that people can read. It is called by many
// goroutines at once.
type Codec[T any] interface {
	// AppendRecord appends the record of v to dst and returns it. It refuses
	// a value that Decode could not give back.
	AppendRecord(dst []byte, v T) ([]byte, error)
	// Decode returns the value of a record, which it does not keep or change.
	// An error sends the record to the dead letters.
	Decode(record []byte) (T, error)
}

// JSON stores a value as what encoding/json makes of it, and is the codec where
// Options name none. As there, a nil pointer, slice, map or interface is null;
// invalid UTF-8 in a string becomes U+FFFD (Text refuses it, Bytes keeps it).
// A record that is not JSON of the right shape does not decode.
func JSON[T any]() Codec[T] { return jsonCodec[T]{} }

type jsonCodec[T any] struct{}

func (jsonCodec[T]) AppendRecord(dst []byte, v T) ([]byte, error) {
	record, err := jsonl.Marshal(v)
	return append(dst, record...), err
}

func (jsonCodec[T]) Decode(record []byte) (v T, err error) {
	err = jsonl.Unmarshal(record, &v)
	return v, err
}

// Text stores a string as {"text":"…"}, a JSON object with this one member.
// The string is any valid UTF-8, the empty one and newlines included. Members
// beside it are allowed in a record, for people who add one by hand.
func Text() Codec[string] { return textCodec{} }

// ErrNotUTF8 is returned by Text for a string that JSON cannot hold as it is.
var ErrNotUTF8 = errors.New("not UTF-8: use the Bytes codec")

type textCodec struct{}

func (textCodec) AppendRecord(dst []byte, v string) ([]byte, error) {
	if !utf8.ValidString(v) {
		return dst, ErrNotUTF8
	}
	quoted, err := jsonl.Marshal(v)
	if err != nil {
		return dst, err
	}
	dst = append(dst, `{"text":`...)
	return append(append(dst, quoted...), '}'), nil
}

func (textCodec) Decode(record []byte) (string, error) {
	var envelope struct {
		Text *string `json:"text"`
	}
	if err := jsonl.Unmarshal(record, &envelope); err != nil {
		return "", err
	}
	if envelope.Text == nil {
		return "", errors.New(`no string in the member "text"`)
	}
	return *envelope.Text, nil
}

// Bytes stores any bytes as {"base64":"…"}, a JSON object with this one member
// in the standard alphabet, padded; nil is {"base64":null}, which is not the
// same as no bytes. Members beside it are allowed in a record.
func Bytes() Codec[[]byte] { return bytesCodec{} }

type bytesCodec struct{}

func (bytesCodec) AppendRecord(dst []byte, v []byte) ([]byte, error) {
	if v == nil {
		return append(dst, `{"base64":null}`...), nil
	}
	dst = append(dst, bytesLead...)
	dst = base64.StdEncoding.AppendEncode(dst, v)
	return append(dst, bytesTail...), nil
}

// A record as AppendRecord makes it.
const (
	bytesLead = `{"base64":"`
	bytesTail = `"}`
)

var strictBase64 = base64.StdEncoding.Strict()

// ownBytes decodes a record as AppendRecord makes it, with nothing else in it:
// then letters of the alphabet are all that there is to be checked. Line ends are
// not: the decoder would pass over them, and JSON forbids them.
func ownBytes(record []byte) (data []byte, ok bool) {
	text, lead := bytes.CutPrefix(record, []byte(bytesLead))
	text, tail := bytes.CutSuffix(text, []byte(bytesTail))
	if !lead || !tail || bytes.ContainsAny(text, "\r\n") {
		return nil, false
	}
	data = make([]byte, strictBase64.DecodedLen(len(text)))
	n, err := strictBase64.Decode(data, text)
	return data[:n], err == nil
}

func (bytesCodec) Decode(record []byte) ([]byte, error) {
	if data, ok := ownBytes(record); ok {
		return data, nil
	}
	return anyBytes(record)
}

// anyBytes decodes a record that people may have written.
func anyBytes(record []byte) ([]byte, error) {
	raw, ok := jsonl.Field(record, "base64")
	if err := jsonl.CheckStrict(record, -1); err != nil {
		return nil, err
	}
	switch {
	case !ok:
		return nil, errors.New(`no member "base64"`)
	case string(raw) == "null":
		return nil, nil
	}
	var text *string
	if err := jsonl.Unmarshal(raw, &text); err != nil {
		return nil, fmt.Errorf(`member "base64": %w`, err)
	}
	data, err := strictBase64.DecodeString(*text)
	if err != nil {
		return nil, fmt.Errorf(`member "base64": %w`, err)
	}
	return data, nil
}
