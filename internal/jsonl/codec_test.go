package jsonl

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

type order struct {
	ID     int64           `json:"id"`
	Name   string          `json:"name"`
	Key    json.Number     `json:"key"`
	Raw    json.RawMessage `json:"raw"`
	Bytes  []byte          `json:"bytes"`
	Any    any             `json:"any"`
	Map    map[string]any  `json:"map"`
	Ptr    *string         `json:"ptr"`
	Custom custom          `json:"custom"`
}

// custom keeps what it is given, as a careful UnmarshalJSON may not, to show
// that not even that is the record.
type custom struct{ data []byte }

func (c *custom) UnmarshalJSON(data []byte) error { c.data = data; return nil }

func (c custom) MarshalJSON() ([]byte, error) { return c.data, nil }

func TestMarshal(t *testing.T) {
	for _, c := range []struct {
		v    any
		want string
	}{
		{nil, `null`},
		{"a\nb<&>\x00", `"a\nb<&>\u0000"`},
		{"bad\xff", `"bad\ufffd"`},
		{map[string]any{"b": 1, "a": []int{2}}, `{"a":[2],"b":1}`},
		{json.RawMessage("{\n \"a\" : 1.50 }"), `{"a":1.50}`},
		{json.Number("1e400"), `1e400`},
		{custom{[]byte("[\n\"\\ud800\" ]")}, `["\ud800"]`},
		{int64(math.MaxInt64), `9223372036854775807`},
		{time.Date(2024, 3, 1, 12, 0, 0, 0, time.UTC), `"2024-03-01T12:00:00Z"`},
	} {
		got, err := Marshal(c.v)
		require.NoError(t, err)
		require.Equal(t, c.want, string(got))
		require.NoError(t, CheckStrict(got, 0))
	}
}

func TestMarshalRefuses(t *testing.T) {
	type list struct{ Next *list }
	cycle := &list{}
	cycle.Next = cycle
	for _, v := range []any{
		math.NaN(), math.Inf(-1), make(chan int), func() {}, cycle,
		json.RawMessage(`{"a"`), json.RawMessage("\"a\nb\""), json.RawMessage(`"\x"`), json.Number("01"),
		custom{nil}, custom{[]byte("1 2")}, custom{[]byte("\"\x01\"")},
	} {
		got, err := Marshal(v)
		require.Error(t, err, "%T", v)
		require.Nil(t, got)
		require.True(t, strings.HasPrefix(err.Error(), "encode "), err.Error())
	}
	_, err := Marshal(json.RawMessage(nested(MaxDepth + 1)))
	require.ErrorIs(t, err, ErrDepth)
	_, err = Marshal(json.RawMessage(nested(MaxDepth)))
	require.NoError(t, err)
}

// Nothing that was decoded changes when the record's bytes are reused.
func TestUnmarshalCopies(t *testing.T) {
	const text = `{"id":7,"name":"alice","key":12345678901234567890,"raw":{"x":"yy"},"bytes":"aGVsbG8=",` +
		`"any":["deep",{"k":"v"}],"map":{"kk":"vv"},"ptr":"pointed","custom":{"own":"data"}}`
	for _, newTarget := range []func() any{
		func() any { return new(order) },
		func() any { return new(any) },
		func() any { return new(map[string]any) },
		func() any { return new(map[string]json.RawMessage) },
		func() any { return new(json.RawMessage) },
	} {
		rec := []byte(text)
		got, want := newTarget(), newTarget()
		require.NoError(t, Unmarshal(rec, got))
		require.Equal(t, text, string(rec))
		for i := range rec {
			rec[i] = '#'
		}
		require.NoError(t, json.Unmarshal([]byte(text), want))
		require.Equal(t, want, got)
	}
}

func TestUnmarshalBadSyntax(t *testing.T) {
	for _, c := range refused {
		if c.err == ErrNewline || c.err == ErrNUL || strings.HasPrefix(c.rec, BOM) || c.rec == "" {
			continue
		}
		v := any("untouched")
		require.Equal(t, CheckStrict([]byte(c.rec), 0), Unmarshal([]byte(c.rec), &v), "%.60q", c.rec)
		require.Equal(t, "untouched", v)
	}
	var v any
	require.NoError(t, Unmarshal([]byte(BOM+`{"a":[1]}`), &v))
	require.Equal(t, map[string]any{"a": []any{1.0}}, v)
	require.EqualError(t, Unmarshal([]byte(BOM+"[x]"), &v), "invalid record at byte 4: 'x' where a value should be")
	require.Error(t, Unmarshal([]byte("1"), nil))
	require.Error(t, Unmarshal([]byte("1"), 1))
}

// What does not fit is refused in one line that names the field.
func TestUnmarshalMismatch(t *testing.T) {
	for _, rec := range []string{
		`{"id":"x"}`, `{"id":1.5}`, `{"id":1e99}`, `{"name":1}`, `{"map":[]}`, `{"bytes":"%"}`, `[]`,
	} {
		err := Unmarshal([]byte(rec), new(order))
		require.Error(t, err, rec)
		require.NotContains(t, err.Error(), "\n")
		_, ok := errors.AsType[*SyntaxError](err)
		require.False(t, ok)
	}
	e, ok := errors.AsType[*json.UnmarshalTypeError](Unmarshal([]byte(`{"id":"x"}`), new(order)))
	require.True(t, ok)
	require.Equal(t, "id", e.Field)
}

func FuzzUnmarshal(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, d []byte) {
		var got, want any
		err := Unmarshal(d, &got)
		require.Equal(t, checkText(skipBOM(d)) == nil && json.Unmarshal(skipBOM(d), &want) == nil, err == nil, "%v", err)
		if err == nil {
			require.Equal(t, want, got)
			_, err = Marshal(got)
			require.NoError(t, err)
		}
	})
}
