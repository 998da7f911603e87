package queue

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"example.com/jlq/internal/jsonl"
)

// order is what the tests of JSON carry.
type order struct {
	ID   int      `json:"id"`
	Tags []string `json:"tags,omitempty"`
}

// The form of a record is part of the format: other programs read it.
func TestRecordForms(t *testing.T) {
	requireForm(t, JSON[order](), order{ID: 7, Tags: []string{"<a>"}}, `{"id":7,"tags":["<a>"]}`)
	requireForm(t, JSON[struct{}](), struct{}{}, `{}`)
	requireForm(t, JSON[string](), "", `""`)
	requireForm(t, JSON[any](), nil, `null`)
	requireForm(t, JSON[*order](), nil, `null`)
	requireForm(t, JSON[[]byte](), []byte{}, `""`)
	requireForm(t, JSON[[]byte](), nil, `null`)
	requireForm(t, Text(), "", `{"text":""}`)
	requireForm(t, Text(), "a\n\"b\"\x00é<", `{"text":"a\n\"b\"\u0000é<"}`)
	requireForm(t, Bytes(), []byte{}, `{"base64":""}`)
	requireForm(t, Bytes(), nil, `{"base64":null}`)
	requireForm(t, Bytes(), []byte{0, 0xff, '\n'}, `{"base64":"AP8K"}`)
}

// requireForm says what v is stored as, and that it comes back as it was.
func requireForm[T any](t *testing.T, codec Codec[T], v T, want string) {
	t.Helper()
	record, err := codec.AppendRecord([]byte("before"), v)
	require.NoError(t, err)
	require.Equal(t, "before"+want, string(record))
	record = record[len("before"):]
	require.NoError(t, jsonl.CheckStrict(record, 0))
	back, err := codec.Decode(record)
	require.NoError(t, err)
	require.Equal(t, v, back)
}

func TestCodecsGiveBackWhatTheyGot(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "text")
		record, err := Text().AppendRecord(nil, s)
		require.NoError(t, err)
		require.NoError(t, jsonl.CheckStrict(record, 0))
		text, err := Text().Decode(record)
		require.NoError(t, err)
		require.Equal(t, s, text)

		b := rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")
		record, err = Bytes().AppendRecord(nil, b)
		require.NoError(t, err)
		require.NoError(t, jsonl.CheckStrict(record, 0))
		data, err := Bytes().Decode(record)
		require.NoError(t, err)
		require.Equal(t, b, data)
	})
}

func TestCodecsRefuse(t *testing.T) {
	for _, record := range []string{``, `{`, `[]`, `"x"`, `{}`, `{"text":null}`, `{"text":1}`, `{"text":"x"} {}`} {
		_, err := Text().Decode([]byte(record))
		require.Error(t, err, record)
	}
	for _, record := range []string{``, `{`, `[]`, `"x"`, `{}`, `{"base64":1}`, `{"base64":"AP8"}`, `{"base64":"AP8L","x"}`, `{"base64":"AP9="}`, `{"base64":"*"}`} {
		_, err := Bytes().Decode([]byte(record))
		require.Error(t, err, record)
	}
	for _, record := range []string{``, `{`, `{"id":"x"}`, `[]`, `{} {}`} {
		_, err := JSON[order]().Decode([]byte(record))
		require.Error(t, err, record)
	}
	_, err := Text().AppendRecord(nil, "\xff")
	require.ErrorIs(t, err, ErrNotUTF8)
	_, err = JSON[float64]().AppendRecord(nil, math.NaN())
	require.Error(t, err)
	_, err = JSON[any]().AppendRecord(nil, func() {})
	require.Error(t, err)
}

// A record that a person added has what else they found worth noting.
func TestMembersBesideAreAllowed(t *testing.T) {
	text, err := Text().Decode([]byte(`{"by":"me","text":"x"}`))
	require.NoError(t, err)
	require.Equal(t, "x", text)
	data, err := Bytes().Decode([]byte(`{"base64":"eA==","by":"me"}`))
	require.NoError(t, err)
	require.Equal(t, "x", string(data))
}

// What the codecs of this package return shares no memory with the record.
func TestDecodedValuesAreTheCallers(t *testing.T) {
	record := []byte(`{"text":"` + strings.Repeat("x", 100) + `"}`)
	text, err := Text().Decode(record)
	require.NoError(t, err)
	generic, err := JSON[map[string]string]().Decode(record)
	require.NoError(t, err)
	for i := range record {
		record[i] = '#'
	}
	require.Equal(t, strings.Repeat("x", 100), text)
	require.Equal(t, strings.Repeat("x", 100), generic["text"])
}

func FuzzDecode(f *testing.F) {
	for _, seed := range []string{`{"text":"x"}`, `{"base64":"AP8K"}`, `{"base64":null}`, `null`, `{"id":1}`, "\xef\xbb\xbf{}", `{"text":"\ud800"}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, record []byte) {
		fuzzCodec(t, Text(), record)
		fuzzCodec(t, Bytes(), record)
		fuzzCodec(t, JSON[any](), record)
	})
}

// fuzzCodec requires that what decodes can be stored again, as the same value.
func fuzzCodec[T any](t *testing.T, codec Codec[T], record []byte) {
	v, err := codec.Decode(record)
	if err != nil {
		return
	}
	again, err := codec.AppendRecord(nil, v)
	require.NoError(t, err)
	back, err := codec.Decode(again)
	require.NoError(t, err)
	require.Equal(t, v, back)
}

// What is decoded the short way is what the long way makes of it, and what the
// long way refuses is not.
func TestBytesShortWay(t *testing.T) {
	for record, short := range map[string]bool{
		`{"base64":""}`: true, `{"base64":"eA=="}`: true, `{"base64":"eHh4"}`: true,
		`{"base64":null}`: false, `{"base64":"eA=="} `: false, `{"base64" :"eA=="}`: false, `{"base64":"eA\u003d="}`: false,
		`{"base64":"}`: false, `{"base64":"eB=="}`: false, `{"base64":"eA"}`: false, `{"base64":"e-_="}`: false,
		`{"base64":"eA==","by":"me"}`: false, "{\"base64\":\"eA==\r\"}": false, "{\"base64\":\"eA\n==\"}": false,
	} {
		data, ok := ownBytes([]byte(record))
		require.Equal(t, short, ok, record)
		if ok {
			want, err := anyBytes([]byte(record))
			require.NoError(t, err, record)
			require.Equal(t, want, data, record)
		}
	}
	record, codec := []byte(`{"base64":"eHh4eHh4"}`), Bytes()
	require.LessOrEqual(t, testing.AllocsPerRun(100, func() {
		if _, err := codec.Decode(record); err != nil {
			t.Error(err)
		}
	}), 1.0, "the bytes")
}
