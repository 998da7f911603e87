package jsonl

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// moment is when the times of these tests are read.
var moment = time.Date(2026, 5, 4, 12, 30, 0, 0, time.UTC)

func TestParseMoment(t *testing.T) {
	for text, want := range map[string]string{
		"now":                           "2026-05-04T12:30:00Z",
		"-3h":                           "2026-05-04T09:30:00Z",
		"-1w2d3h":                       "2026-04-25T09:30:00Z",
		"10m ago":                       "2026-05-04T12:20:00Z",
		"1 hour ago":                    "2026-05-04T11:30:00Z",
		"2 weeks ago":                   "2026-04-20T12:30:00Z",
		"90 secs ago":                   "2026-05-04T12:28:30Z",
		"1w2d3h ago":                    "2026-04-25T09:30:00Z",
		"today":                         "2026-05-04T00:00:00Z",
		"yesterday":                     "2026-05-03T00:00:00Z",
		"tomorrow":                      "2026-05-05T00:00:00Z",
		"15:04":                         "2026-05-04T15:04:00Z",
		"15:04:05.5":                    "2026-05-04T15:04:05.5Z",
		"9:30":                          "2026-05-04T09:30:00Z",
		"2026-01-02":                    "2026-01-02T00:00:00Z",
		"2026/01/02 15:04":              "2026-01-02T15:04:00Z",
		"2026-01-02 15:04:05,25":        "2026-01-02T15:04:05.25Z",
		"2026-01-02t15:04:05z":          "2026-01-02T15:04:05Z",
		"2026-01-02T15:04:05.000+0130":  "2026-01-02T13:34:05Z",
		"02/Jan/2026:15:04:05 -0700":    "2026-01-02T22:04:05Z",
		"Fri, 02 Jan 2026 15:04:05 GMT": "2026-01-02T15:04:05Z",
		"1767366245":                    "2026-01-02T15:04:05Z",
		"1767366245.25":                 "2026-01-02T15:04:05.25Z",
		"1.767366245e9":                 "2026-01-02T15:04:05Z",
		"1767366245000":                 "2026-01-02T15:04:05Z",
		"1767366245000000":              "2026-01-02T15:04:05Z",
		"1767366245000000001":           "2026-01-02T15:04:05.000000001Z",
		"0":                             "1970-01-01T00:00:00Z",
		"2026.0":                        "1970-01-01T00:33:46Z",
	} {
		got, err := ParseMoment(text, moment)
		require.NoError(t, err, text)
		require.Equal(t, want, got.UTC().Format(time.RFC3339Nano), text)
	}
}

func TestParseMomentRefuses(t *testing.T) {
	for text, reason := range map[string]string{
		"":                    "no time behind the @",
		"2026":                "is a year",
		"lately":              "is not a time",
		"long ago":            "is not a duration",
		" ago":                "is not a duration",
		"1 moon ago":          "is not a duration",
		"1  ago":              "is not a duration",
		"-1 hour ago":         "is not a duration",
		"24:00":               "is not a time",
		"15:60":               "is not a time",
		"15:04x":              "is not a time",
		"1:2":                 "is not a time",
		":02":                 "is not a time",
		"2026-02-30":          "is not a time",
		"2026/01-02":          "is not a time",
		"2026.01.02":          "is not a time",
		"31/Feb/2026:1:1:1":   "is not a time",
		"02/Foo/2026":         "is not a time",
		"02/Ja":               "is not a time",
		"02":                  "",
		"-":                   "is not a duration",
		"-3":                  "is not a duration",
		"--3h":                "is not a duration",
		"-300y":               "is not a duration",
		"-99999999w":          "is not a duration",
		"-9000000000s1w":      "is not a duration",
		"1767366245.":         "is not a time",
		"2026-01-02T15:04:05": "",
	} {
		_, err := ParseMoment(text, moment)
		if reason == "" {
			require.NoError(t, err, text)
			continue
		}
		require.ErrorContains(t, err, reason, text)
	}
}

// What states no zone is in the zone of now, also where clocks are put forward
// and back; what states one is not.
func TestParseMomentZone(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip(err)
	}
	now := time.Date(2026, 10, 25, 0, 30, 0, 0, berlin)
	for text, want := range map[string]string{
		"today":                "2026-10-24T22:00:00Z",
		"tomorrow":             "2026-10-25T23:00:00Z", // the day has 25 hours
		"2026-07-01":           "2026-06-30T22:00:00Z",
		"2026-01-02 15:04":     "2026-01-02T14:04:00Z",
		"2026-01-02T15:04Z":    "2026-01-02T15:04:00Z",
		"1767366245":           "2026-01-02T15:04:05Z",
		"02:30":                "2026-10-25T00:30:00Z", // the first of two
		"2026-10-25 01:59:59":  "2026-10-24T23:59:59Z",
		"2026-10-25 03:00":     "2026-10-25T02:00:00Z",
		"2026-03-29 02:30":     "2026-03-29T01:30:00Z", // which clocks leave out: they show 03:30
		"2026-03-29 01:59":     "2026-03-29T00:59:00Z",
		"2026-03-29 03:00":     "2026-03-29T01:00:00Z",
		"2026-03-29 03:00 UTC": "2026-03-29T03:00:00Z",
	} {
		got, err := ParseMoment(text, now)
		require.NoError(t, err, text)
		require.Equal(t, want, got.UTC().Format(time.RFC3339), text)
	}
}

// What is a time in a record is the same time on the command line.
func FuzzParseMoment(f *testing.F) {
	for _, text := range []string{"now", "-1w2d3h", "15:04:05.1", "02/Jan/2026:15:04:05 -0700", "Fri, 02 Jan 2026 15:04:05 GMT", "17e8", "2026/01/02"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := ParseMoment(text, moment)
		if err != nil {
			require.True(t, got.IsZero())
		}
		if want, ok := parseTime([]byte(text)); ok && !strings.HasPrefix(text, "-") && !isYear(text) && text != "" && text[0] != '"' {
			require.NoError(t, err)
			require.True(t, want.Equal(got), "%q: %s, %s", text, want, got)
		}
	})
}
