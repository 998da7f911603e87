package profile

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"example.com/jlq/internal/jsonl"
)

// of makes a profile of lines.
func of(lines ...string) *Profile {
	p := New(MaxPaths)
	for _, line := range lines {
		p.Add([]byte(line))
	}
	return p
}

// field returns the field of that path.
func field(t *testing.T, p *Profile, path string) Field {
	t.Helper()
	for _, f := range p.Fields() {
		if f.Path == path {
			return f
		}
	}
	require.Fail(t, "no such path", "%s in %v", path, paths(p))
	return Field{}
}

func paths(p *Profile) (out []string) {
	for _, f := range p.Fields() {
		out = append(out, f.Path)
	}
	return out
}

func TestPaths(t *testing.T) {
	p := of(`{"b":1,"a":{"x":null,"odd key":[1,[2,{"y":"z"}]]}}`, ` {"c" : true , "b":2} `, `7`, `{"\u0062":3,"q\"":[]}`)
	require.Equal(t, []string{
		".", ".b", ".a", ".a.x", `.a."odd key"`, `.a."odd key"[]`, `.a."odd key"[][]`, `.a."odd key"[][].y`, ".c", `."q\""`,
	}, paths(p))
	require.Equal(t, uint64(4), p.Records())
	require.Equal(t, uint64(3), field(t, p, ".b").Records, "a key has one path however it is spelt")
	root := field(t, p, ".")
	require.Equal(t, uint64(3), root.Types[Object])
	require.Equal(t, uint64(1), root.Types[Integer])
}

func TestCounts(t *testing.T) {
	p := of(`{"a":[1,2,"x",null],"n":1}`, `{"a":[]}`, `{"a":5.0}`)
	a := field(t, p, ".a")
	require.Equal(t, [types]uint64{Array: 2, Number: 1}, a.Types)
	require.Equal(t, []uint64{0, 4}, []uint64{a.Shortest, a.Longest})
	each := field(t, p, ".a[]")
	require.Equal(t, []uint64{1, 4}, []uint64{each.Records, each.Values})
	require.Equal(t, [types]uint64{Integer: 2, String: 1, Null: 1}, each.Types)
	require.Equal(t, uint64(1), field(t, p, ".n").Records)
}

func TestExtremes(t *testing.T) {
	p := of(
		`{"n":9007199254740993,"s":"b","t":"2026-01-02T00:00:00+02:00","m":"2026-01-01"}`,
		`{"n":9007199254740992,"s":"\u0061","t":"2026-01-01T23:00:00Z","m":"x"}`,
		`{"n":-1e400,"s":"`+strings.Repeat("é", 60)+`","m":"2026-01-01"}`,
	)
	n := field(t, p, ".n")
	require.Equal(t, []string{"-1e400", "9007199254740993"}, []string{n.Least, n.Most})
	s := field(t, p, ".s")
	require.Equal(t, Text{"a", false}, s.First)
	require.Equal(t, Text{strings.Repeat("é", 32), true}, s.Final)
	require.Empty(t, s.Early)
	when := field(t, p, ".t")
	require.Equal(t, []string{"2026-01-02T00:00:00+02:00", "2026-01-01T23:00:00Z"}, []string{when.Early, when.Late}, "by time, not by spelling")
	require.Empty(t, field(t, p, ".m").Early, "one of them is no time")
	require.Empty(t, field(t, of(`{"id":"1764500000"}`), ".id").Early, "digits are many things")
	require.Equal(t, Text{}, field(t, of(`{"a":""}`), ".a").First)
}

func TestDistinct(t *testing.T) {
	p := New(MaxPaths)
	for i := range 10_000 {
		p.Add(fmt.Appendf(nil, `{"few":"%c","some":%d,"many":"user-%d","long":"%s%d"}`, 'a'+i%3%2, i%200, i, strings.Repeat("x", 100), i%2))
	}
	require.Equal(t, []Value{{`"a"`, 6667}, {`"b"`, 3333}}, field(t, p, ".few").Common)
	some := field(t, p, ".some")
	require.Equal(t, uint64(200), some.Distinct)
	require.False(t, some.About)
	require.Nil(t, some.Common)
	require.Equal(t, []Value{{Raw: "0"}, {Raw: "1"}, {Raw: "2"}}, some.Examples)
	many := field(t, p, ".many")
	require.True(t, many.About)
	require.InDelta(t, 10_000, many.Distinct, 2000)
	require.Equal(t, uint64(2), field(t, p, ".long").Distinct, "long values are not kept but counted")

	// No estimate says more values than there are.
	for n := 400; n < 3000; n += 200 {
		p := New(MaxPaths)
		for i := range n {
			p.Add(fmt.Appendf(nil, `{"i":%d}`, 1_700_000_000+i))
		}
		require.LessOrEqual(t, field(t, p, ".i").Distinct, uint64(n))
	}
}

// TestMostPaths: what lies beyond the most paths is counted and costs nothing.
func TestMostPaths(t *testing.T) {
	p := New(3)
	p.Add([]byte(`{"a":1,"b":{"c":[1,2]},"d":3}`))
	p.Add([]byte(`{"a":1,"d":{"e":1}}`))
	require.Equal(t, []string{".", ".a", ".b"}, paths(p))
	require.Equal(t, uint64(3), p.Unpathed())
	deep := New(100)
	deep.Add([]byte(strings.Repeat("[", 1<<20)))
	require.Len(t, deep.Fields(), 100, "what was not checked does not go deeper than the most paths")
}

func TestReset(t *testing.T) {
	p := New(2)
	for i := range 10 {
		p.Add(fmt.Appendf(nil, `{"k%d":1}`, i))
		require.Equal(t, []string{".", fmt.Sprintf(".k%d", i)}, paths(p), "paths of before take no room")
		p.Reset()
		require.Empty(t, p.Fields())
	}
}

// anyRecord draws JSON of few keys and values, so that they come again.
func anyRecord() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string { return anyValue(t, 3) })
}

func anyValue(t *rapid.T, depth int) string {
	kind := rapid.IntRange(0, 6).Draw(t, "kind")
	if depth == 0 {
		kind %= 5
	}
	switch kind {
	case 0:
		return rapid.SampledFrom([]string{"null", "true", "false"}).Draw(t, "word")
	case 1, 2:
		return rapid.SampledFrom([]string{"0", "-1", "1.5", "1e3", "12345678901234567890", "7", "8", "9", "10", "11", "12", "13", "14"}).Draw(t, "number")
	case 3, 4:
		return rapid.SampledFrom([]string{`"a"`, `"b"`, `""`, `"\u0061"`, `"2026-01-02"`, `"` + strings.Repeat("y", 80) + `"`}).Draw(t, "string")
	}
	var parts []string
	for range rapid.IntRange(0, 3).Draw(t, "members") {
		part := anyValue(t, depth-1)
		if kind == 5 {
			part = rapid.SampledFrom([]string{`"a"`, `"b"`, `"c d"`, `"\u0061"`}).Draw(t, "key") + ":" + part
		}
		parts = append(parts, part)
	}
	if kind == 5 {
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return "[" + strings.Join(parts, ",") + "]"
}

// TestMerge: parts one after the other make the same as the whole.
func TestMerge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		records := rapid.SliceOfN(anyRecord(), 0, 60).Draw(t, "records")
		whole, merged, part := New(MaxPaths), New(MaxPaths), New(MaxPaths)
		for _, r := range records {
			if jsonl.CheckStrict([]byte(r), 1<<20) != nil {
				t.Fatalf("drawn: %s", r)
			}
			whole.Add([]byte(r))
			part.Add([]byte(r))
			if rapid.Bool().Draw(t, "cut") {
				merged.Merge(part)
				part.Reset()
			}
		}
		merged.Merge(part)
		require.Equal(t, whole.Fields(), merged.Fields())
		require.Equal(t, whole.Records(), merged.Records())
	})
}

// FuzzAdd: what is not JSON does no harm either.
func FuzzAdd(f *testing.F) {
	for _, seed := range []string{`{"a":[1,{"b":"c"}]}`, `{"a"`, `[,]`, `{"a":1 "b"`, `"`, `[[[`, `{"\ud800":"\`, "\xef\xbb\xbf1"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		p := New(50)
		p.Add(line)
		q := New(50)
		q.Merge(p)
		require.LessOrEqual(t, len(q.Fields()), 50)
	})
}

func BenchmarkAdd(b *testing.B) {
	line := []byte(`{"ts":"2026-01-02T03:04:05.678Z","level":"info","msg":"request done","user":{"id":12345,"name":"ada"},"amount":12.50,"tags":["a","b"],"pad":"` + strings.Repeat("x", 80) + `"}`)
	p := New(MaxPaths)
	b.SetBytes(int64(len(line)))
	at := bytes.Index(line, []byte("12345"))
	for i := 0; b.Loop(); i++ {
		copy(line[at:], fmt.Sprintf("%05d", i%100_000))
		p.Add(line)
	}
}
