package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// noon is now in the tests of times.
var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

func utc(text string) bound {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		panic(err)
	}
	return bound{kind: atTime, time: t}
}

func TestParseOffsets(t *testing.T) {
	start, end := bound{kind: atStart}, bound{kind: atEnd}
	at := func(n uint64) bound { return bound{kind: atOffset, n: n} }
	last := func(n uint64) bound { return bound{kind: atLast, n: n} }
	for text, want := range map[string]offsets{
		"start":                {from: start, to: end, single: true},
		"end":                  {from: end, to: end, single: true},
		"0":                    {from: at(0), to: end, single: true},
		"18446744073709551615": {from: at(1<<64 - 1), to: end, single: true},
		"-1":                   {from: last(1), to: end, single: true},
		"-0":                   {from: last(0), to: end, single: true},
		"5:9":                  {from: at(5), to: at(9)},
		"9:5":                  {from: at(9), to: at(5)},
		"5:":                   {from: at(5), to: end},
		":9":                   {from: start, to: at(9)},
		":":                    {from: start, to: end},
		"-10:-5":               {from: last(10), to: last(5)},
		"start:-1":             {from: start, to: last(1)},
		"3:end":                {from: at(3), to: end},

		"@now":                             {from: bound{kind: atTime, time: noon}, to: end, single: true},
		"@-3h":                             {from: utc("2026-05-04T09:00:00Z"), to: end, single: true},
		"@-1h30m:now":                      {from: utc("2026-05-04T10:30:00Z"), to: bound{kind: atTime, time: noon}},
		"@-1w1d:-2d":                       {from: utc("2026-04-26T12:00:00Z"), to: utc("2026-05-02T12:00:00Z")},
		"@2026-01-02":                      {from: utc("2026-01-02T00:00:00Z"), to: end, single: true},
		"@2026-01-02:2026-01-03":           {from: utc("2026-01-02T00:00:00Z"), to: utc("2026-01-03T00:00:00Z")},
		"@2026-01-02:@2026-01-03":          {from: utc("2026-01-02T00:00:00Z"), to: utc("2026-01-03T00:00:00Z")},
		"@-3h:@now":                        {from: utc("2026-05-04T09:00:00Z"), to: bound{kind: atTime, time: noon}},
		"@2026-01-02:":                     {from: utc("2026-01-02T00:00:00Z"), to: end},
		"@:2026-01-02":                     {from: start, to: utc("2026-01-02T00:00:00Z")},
		"@2026-01-02T03:04:05Z":            {from: utc("2026-01-02T03:04:05Z"), to: end, single: true},
		"@2026-01-02t03:04:05.25z":         {from: utc("2026-01-02T03:04:05.25Z"), to: end, single: true},
		"@2026-01-02T03:04:05+02:00":       {from: utc("2026-01-02T03:04:05+02:00"), to: end, single: true},
		"@2026-01-02T03:04:05":             {from: utc("2026-01-02T03:04:05Z"), to: end, single: true},
		"@2026-01-02 03:04:05":             {from: utc("2026-01-02T03:04:05Z"), to: end, single: true},
		"@2026-01-02T03:04":                {from: utc("2026-01-02T03:04:00Z"), to: end, single: true},
		"@2026-01-02T03:04:05Z:":           {from: utc("2026-01-02T03:04:05Z"), to: end},
		"@2026-01-02T03:04:05Z:1767323100": {from: utc("2026-01-02T03:04:05Z"), to: utc("2026-01-02T03:05:00Z")},
		"@1767323100:2026-01-02T03:05:01Z": {from: utc("2026-01-02T03:05:00Z"), to: utc("2026-01-02T03:05:01Z")},
		"@2026-01-02T03:04:05+02:00:2026-01-02T03:04:06+02:00": {
			from: utc("2026-01-02T03:04:05+02:00"), to: utc("2026-01-02T03:04:06+02:00")},
		"@1700000000":                         {from: utc("2023-11-14T22:13:20Z"), to: end, single: true},
		"@1700000000.125":                     {from: utc("2023-11-14T22:13:20.125Z"), to: end, single: true},
		"@1700000000123":                      {from: utc("2023-11-14T22:13:20.123Z"), to: end, single: true},
		"@1700000000123456":                   {from: utc("2023-11-14T22:13:20.123456Z"), to: end, single: true},
		"@1700000000123456789":                {from: utc("2023-11-14T22:13:20.123456789Z"), to: end, single: true},
		"@2026-01-02T03:04Z:2026-01-02T03:05": {from: utc("2026-01-02T03:04:00Z"), to: utc("2026-01-02T03:05:00Z")},
		"@02/Jan/2026:03:04:05 +0000":         {from: utc("2026-01-02T03:04:05Z"), to: end, single: true},
		"@10:30":                              {from: utc("2026-05-04T10:30:00Z"), to: end, single: true},
		"@10:30:11:30":                        {from: utc("2026-05-04T10:30:00Z"), to: utc("2026-05-04T11:30:00Z")},
		"@10:30:@11:30":                       {from: utc("2026-05-04T10:30:00Z"), to: utc("2026-05-04T11:30:00Z")},
		"@yesterday:today":                    {from: utc("2026-05-03T00:00:00Z"), to: utc("2026-05-04T00:00:00Z")},
		"@0":                                  {from: utc("1970-01-01T00:00:00Z"), to: end, single: true},
	} {
		t.Run(text, func(t *testing.T) {
			got, err := parseOffsets(text, noon)
			require.NoError(t, err)
			require.Equal(t, text, got.text)
			requireBound(t, want.from, got.from)
			requireBound(t, want.to, got.to)
			require.Equal(t, want.single, got.single)
		})
	}
}

func requireBound(t *testing.T, want, got bound) {
	t.Helper()
	require.Equal(t, want.kind, got.kind)
	require.Equal(t, want.n, got.n)
	require.True(t, want.time.Equal(got.time), "want %v, got %v", want.time, got.time)
}

func TestParseOffsetsRefuses(t *testing.T) {
	for text, reason := range map[string]string{
		"":                       "want start end N",
		"-":                      "want start end N",
		"x":                      "want start end N",
		"+1":                     "want start end N",
		"1.5":                    "want start end N",
		"0x10":                   "want start end N",
		" 1":                     "want start end N",
		"--1":                    "want start end N",
		"1:2:3":                  "want start end N",
		"1-2":                    "want start end N",
		"18446744073709551616":   "does not fit 64 bits",
		"@":                      "no time behind the @",
		"@:":                     "is not a time",
		"@lately":                "is not a time",
		"@-5":                    "is not a duration",
		"@--5h":                  "is not a duration",
		"@-":                     "is not a duration",
		"@-9999999w":             "is not a duration",
		"@2026-13-01":            "is not a time",
		"@2026-01-02:@":          "is not a time",
		"@2026-01-03:2026-01-02": "it ends (2026-01-02T00:00:00Z) before it begins (2026-01-03T00:00:00Z)",
		"@now:-3h":               "before it begins",
		"@1.":                    "is not a time",
		"@.5":                    "is not a time",
		"@12345678901234567890":  "is not a time",
		"@2026":                  "is a year",
		"@10:30:11:3":            "is not a time",
		"@24:00":                 "is not a time",
	} {
		t.Run(text, func(t *testing.T) {
			_, err := parseOffsets(text, noon)
			require.ErrorContains(t, err, reason)
			require.ErrorContains(t, err, text)
		})
	}
}

func FuzzParseOffsets(f *testing.F) {
	for _, seed := range []string{"start", "-10:-5", "@-3h:now", "@2026-01-02T03:04:05+02:00:1700000000", "@1e9", "@-1w-2d"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := parseOffsets(text, noon)
		if err != nil {
			return
		}
		require.Equal(t, text, got.text)
		if got.from.kind == atTime || got.to.kind == atTime {
			require.True(t, strings.HasPrefix(text, "@"), "a time without @: %q", text)
		}
		require.False(t, got.single && got.to.kind != atEnd)
	})
}
