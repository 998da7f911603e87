package jsonl

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLikelyTimes(t *testing.T) {
	for rec, want := range map[string]string{
		`{"CreationTime":"2022-05-08T15:13:41","n":1}`:                             "CreationTime",
		`{"a":1700000000,"eventTime":1700000000,"created_at":"1700000000"}`:        "eventTime created_at",
		`{"event":{"created":"2026-01-02","by":{"at":{"x":"2026-01-02T03:04Z"}}}}`: "event.created event.by.at.x",
		`{"t":{"$date":"2026-03-10T20:58:10.004+00:00"}}`:                          "t.$date",
		`{"ts":"2026-01-02","td":2026,"update":1}`:                                 "ts",
		`{"datetime":1700000000123,"d":"10/Oct/2000:13:55:36 -0700"}`:              "datetime d",
		`{"a":{"b":{"c":{"d":{"time":"2026-01-02"}}}}}`:                            "",
		`{"time":`: "", `[1]`: "", ``: "", `{"a":[{"time":"2026-01-02"}]}`: "",
	} {
		require.Equal(t, want, strings.Join(LikelyTimes([]byte(rec)), " "), rec)
	}
	many := `{"a":"2026-01-02"` + strings.Repeat(`,"b":"2026-01-02"`, 100) + `}`
	require.Len(t, LikelyTimes([]byte(many)), likelyMost)
}
