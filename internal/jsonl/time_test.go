package jsonl

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestTimeFormats(t *testing.T) {
	const noon = "2024-03-01T12:00:00Z"
	for _, c := range []struct{ raw, want string }{
		{`"2024-03-01T12:00:00Z"`, noon},
		{`"2024-03-01t12:00:00z"`, noon},
		{`" 2024-03-01T12:00:00Z "`, noon},
		{`"2024-03-01T13:30:00+01:30"`, noon},
		{`"2024-03-01T13:30:00\u002B01:30"`, noon},
		{`"2024-03-01T13:00:00+0100"`, noon},
		{`"2024-03-01T04:00:00-08"`, noon},
		{`"2024-03-01T12:00:00-00:00"`, noon},
		{`"2024-03-01T12:00:00"`, noon},
		{`"2024-03-01T12:00"`, noon},
		{`"2024-03-01T12:00Z"`, noon},
		{`"2024-03-01 12:00:00"`, noon},
		{`"2024-03-01 12:00:00Z"`, noon},
		{`"2024-03-01 12:00:00 UTC"`, noon},
		{`"2024-03-01 12:00:00 +0000 UTC"`, noon},
		{`"2024-03-01 13:00:00 +0100 CET"`, noon},
		{`"2024-03-01T12:00:00.123Z"`, "2024-03-01T12:00:00.123Z"},
		{`"2024-03-01 12:00:00,123"`, "2024-03-01T12:00:00.123Z"},
		{`"2024-03-01T12:00:00.123456789+00:00"`, "2024-03-01T12:00:00.123456789Z"},
		{`"2024-03-01T12:00:00.1234567899999Z"`, "2024-03-01T12:00:00.123456789Z"},
		{`"2024-03-01"`, "2024-03-01T00:00:00Z"},
		{`"2024/03/01 12:00:00"`, noon},
		{`"01/Mar/2024:13:00:00 +0100"`, noon},
		{`"01 Mar 2024 12:00:00 GMT"`, noon},
		{`"Fri, 01 Mar 2024 12:00:00 GMT"`, noon},
		{`"2024-02-29"`, "2024-02-29T00:00:00Z"},
		{`"0000-01-01"`, "0000-01-01T00:00:00Z"},
		{`"2016-12-31T23:59:60Z"`, "2017-01-01T00:00:00Z"},
		{`"2024-03-01T00:30:00+01:00"`, "2024-02-29T23:30:00Z"},

		{`1709294400`, noon},
		{`"1709294400"`, noon},
		{`1709294400.123`, "2024-03-01T12:00:00.123Z"},
		{`1709294400.123456789`, "2024-03-01T12:00:00.123456789Z"},
		{`1709294400.1234567899`, "2024-03-01T12:00:00.123456789Z"},
		{`1709294400.` + strings.Repeat("9", 100), "2024-03-01T12:00:00.999999999Z"},
		{`"` + strings.Repeat("0", 100) + `1709294400"`, noon},
		{`0.` + strings.Repeat("0", 100) + `1e99`, "1970-01-01T00:00:00.01Z"},
		{`1709294400123`, "2024-03-01T12:00:00.123Z"},
		{`1709294400123.456789`, "2024-03-01T12:00:00.123456789Z"},
		{`"1709294400123456"`, "2024-03-01T12:00:00.123456Z"},
		{`1709294400123456789`, "2024-03-01T12:00:00.123456789Z"},
		{`1.7092944001234567e9`, "2024-03-01T12:00:00.1234567Z"},
		{`17092944001.234567E-01`, "2024-03-01T12:00:00.1234567Z"},
		{`1.7092944e+0012`, noon},
		{`0`, "1970-01-01T00:00:00Z"},
		{`-0`, "1970-01-01T00:00:00Z"},
		{`1`, "1970-01-01T00:00:01Z"},
		{`0.001`, "1970-01-01T00:00:00.001Z"},
		{`1e-9`, "1970-01-01T00:00:00.000000001Z"},
		{`-1.5`, "1969-12-31T23:59:58.5Z"},
		{`-1709294400123`, "1915-11-02T11:59:59.877Z"},
		{`99999999999`, "5138-11-16T09:46:39Z"},
		{`100000000000`, "1973-03-03T09:46:40Z"},
		{`99999999999999`, "5138-11-16T09:46:39.999Z"},
		{`100000000000000`, "1973-03-03T09:46:40Z"},
		{`100000000000000000`, "1973-03-03T09:46:40Z"},
		{`9999999999999999999`, "2286-11-20T17:46:39.999999999Z"},
	} {
		got, ok := Time([]byte(`{"x":0,"at":`+c.raw+`}`), "at")
		require.True(t, ok, c.raw)
		require.Equal(t, c.want, got.Format(time.RFC3339Nano), c.raw)
		require.Equal(t, time.UTC, got.Location())
	}
}

func TestTimeRefuses(t *testing.T) {
	for _, raw := range []string{
		`null`, `true`, `{}`, `[1709294400]`, `""`, `" "`, `"x"`, `"now"`, `"-"`, `"."`, `"1e"`, `"+1"`, `"0x10"`, `"1 2"`,
		`"2024"x`, `"2024-3-1"`, `"2024-13-01"`, `"2024-00-01"`, `"2024-02-30"`, `"2023-02-29"`, `"2024-04-31"`,
		`"2024-03-01T"`, `"2024-03-01T12"`, `"2024-03-01T24:00:00Z"`, `"2024-03-01T12:60:00Z"`, `"2024-03-01T12:00:61Z"`,
		`"2024-03-01T12:00:00."`, `"2024-03-01T12:00:00.Z"`, `"2024-03-01T12:00:00+"`, `"2024-03-01T12:00:00+1"`,
		`"2024-03-01T12:00:00+01:"`, `"2024-03-01T12:00:00+24:00"`, `"2024-03-01T12:00:00Zx"`, `"2024-03-01T12:00:00 PST"`,
		`"2024-03-01T12:00:00+01:00 cet"`, `"2024-03-01x12:00:00Z"`, `"2024-03-01Z"`, `"20240301T120000Z"`, `"-024-03-01"`,
		strings.Repeat("9", 100), `10000000000000000000`, `1e20`, `1e100`, `1e999999999999999999999`, `1e-100`,
	} {
		_, ok := Time([]byte(`{"at":`+raw+`}`), "at")
		require.False(t, ok, raw)
	}
}

func TestTimeFields(t *testing.T) {
	for rec, want := range map[string]int64{
		`{"@timestamp":4,"timestamp":3,"time":2,"ts":1}`:       1,
		`{"@timestamp":4,"timestamp":3,"time":2,"ts":"later"}`: 2,
		`{"@timestamp":4,"timestamp":3,"time":null}`:           3,
		`{"@timestamp":4}`:                      4,
		`{"ts":4,"\u0074s":5,"time\u005f":6}`:   5,
		`{"ts":1,"ts":5}`:                       5,
		`{"ts":1,"t\u0073":6}`:                  6,
		BOM + ` {"level":"info","ts":7}` + "\r": 7,
	} {
		got, ok := Time([]byte(rec), "")
		require.True(t, ok, rec)
		require.Equal(t, want, got.Unix(), rec)
	}
	for _, rec := range []string{`{"TS":1}`, `{}`, `1`, ``, `[{"ts":1}]`, `{"x":{"ts":1}}`, `{"ts":1`, `{"ts":1,`, `{"ts":1} x`, `{"ts":true}`} {
		_, ok := Time([]byte(rec), "")
		require.False(t, ok, rec)
	}
}

// A dotted field is a name first, as flattened logs have it, and a path else.
func TestTimeNested(t *testing.T) {
	for rec, want := range map[string]int64{
		`{"event.created":1,"event":{"created":2}}`: 1,
		`{"event":{"created":2}}`:                   2,
	} {
		got, ok := Time([]byte(rec), "event.created")
		require.True(t, ok, rec)
		require.Equal(t, want, got.Unix(), rec)
	}
	_, ok := Time([]byte(`{"event":2}`), "event.created")
	require.False(t, ok)
}

// Whatever time.Format writes is read back, to the nanosecond.
func TestTimeProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sec := rapid.Int64Range(-62167219200+86400, 253402300799-86400).Draw(t, "sec") // years 0 to 9999
		nsec := rapid.Int64Range(0, 999999999).Draw(t, "nsec")
		zone := time.FixedZone("", 60*rapid.IntRange(-23*60, 23*60).Draw(t, "zone"))
		want := time.Unix(sec, nsec).In(zone)
		for _, layout := range []string{time.RFC3339Nano, "2006-01-02 15:04:05.000000000 -0700", "2006-01-02T15:04:05.999999999Z0700"} {
			text := want.Format(layout)
			got, ok := Time([]byte(`{"ts":"`+text+`"}`), "")
			require.True(t, ok, text)
			require.True(t, want.Equal(got), "%s: %s", text, got)
		}
	})
}

func FuzzTime(f *testing.F) {
	for _, rec := range []string{
		`{"ts":"2024-03-01T12:00:00.123456789+01:00"}`, `{"time":1709294400.123e0}`, `{"ts":"\u0032"}`,
		`{"@timestamp":"2024-03-01 12:00:00,5 +0100 CET"}`, `{"ts":-1e-9,"time":"`,
	} {
		f.Add([]byte(rec), "ts")
	}
	f.Fuzz(func(t *testing.T, d []byte, field string) {
		Time(d, "")
		Time(d, field)
		parseTime(d)
		if got, err := time.Parse(time.RFC3339Nano, string(d)); err == nil {
			mine, ok := parseClock(d)
			require.True(t, ok && mine.Equal(got), "%q: %s", d, mine)
		}
	})
}
