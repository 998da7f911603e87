package jsonl

import (
	"bytes"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestCheckStrictAccepts(t *testing.T) {
	for _, rec := range accepted {
		require.NoError(t, CheckStrict([]byte(rec), 0), "%.60q", rec)
		require.NoError(t, CheckFrame([]byte(rec), 0), "%.60q", rec)
	}
}

func TestCheckStrictRefuses(t *testing.T) {
	for _, c := range refused {
		err := CheckStrict([]byte(c.rec), 0)
		e, ok := errors.AsType[*SyntaxError](err)
		require.True(t, ok, "%.60q: %v", c.rec, err)
		require.Equal(t, c.reason, e.Reason, "%.60q", c.rec)
		require.Equal(t, c.position, e.Position, "%.60q: %v", c.rec, err)
		require.Equal(t, c.err, e.Err, "%.60q: %v", c.rec, err)
		if c.err != nil {
			require.ErrorIs(t, err, c.err)
		}
		require.NotContains(t, err.Error(), "\n")
	}
}

// Each refusal holds also where the scan begins at another alignment and in a
// larger text, and its position moves with it.
func TestCheckStrictPositionsMove(t *testing.T) {
	for _, c := range refused {
		if c.err != nil || strings.Contains(c.reason, "after the value") || strings.HasPrefix(c.rec, BOM) {
			continue
		}
		for pad := range 9 {
			prefix := strings.Repeat(" ", pad)
			err := CheckStrict([]byte(prefix+c.rec), 0)
			e, ok := errors.AsType[*SyntaxError](err)
			require.True(t, ok, "%.60q", prefix+c.rec)
			require.Equal(t, pad+c.position, e.Position, "%.60q", prefix+c.rec)
			require.Equal(t, c.reason, e.Reason)
		}
	}
}

// The scan looks at eight bytes at a time, and must not miss one of them.
func TestCheckStrictEveryByte(t *testing.T) {
	for c := range 256 {
		for at := range 18 {
			rec := []byte(`"0123456789abcdef"`)
			rec[at] = byte(c)
			checkAgainstOracle(t, rec)
		}
	}
}

func TestSyntaxErrorText(t *testing.T) {
	err := CheckStrict([]byte(`{"a":1,}`), 0)
	require.EqualError(t, err, `invalid record at byte 7: '}' where a key should be`)
}

func TestCheckFrame(t *testing.T) {
	for _, rec := range []string{"x", "lorem ipsum", " ", "\r", "{", "\xff\xfe", BOM, "\x01"} {
		require.NoError(t, CheckFrame([]byte(rec), 0), "%q", rec)
	}
	for _, c := range refused {
		err := CheckFrame([]byte(c.rec), 0)
		framing := c.err == ErrNewline || c.err == ErrNUL || c.rec == ""
		require.Equal(t, framing, err != nil, "%.60q: %v", c.rec, err)
		if framing {
			require.Equal(t, CheckStrict([]byte(c.rec), 0), err)
		}
	}
}

func TestCheckSize(t *testing.T) {
	big := []byte(`"` + strings.Repeat("x", DefaultMaxBytes-1) + `"`) // one byte too many
	for _, check := range []func([]byte, int) error{CheckStrict, CheckFrame} {
		require.NoError(t, check([]byte("1234"), 4))
		require.ErrorIs(t, check([]byte("12345"), 4), ErrTooLarge)
		require.EqualError(t, check([]byte("12345"), 4), "record too large: 5 bytes, at most 4")
		require.ErrorIs(t, check([]byte("12345\n"), 4), ErrTooLarge)
		require.ErrorIs(t, check(big, 0), ErrTooLarge)
		require.NoError(t, check(big, -1))
		require.NoError(t, check(big, len(big)))
	}
}

// Refusing what is too deep or too large costs neither memory nor time worth
// mentioning, however it is arranged.
func TestCheckStrictIsCheap(t *testing.T) {
	for _, unit := range []string{"[", `{"":`, `[{"":`, `[[],`} {
		rec := []byte(strings.Repeat(unit, DefaultMaxBytes/len(unit)))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		begin := time.Now()
		err := CheckStrict(rec, 0)
		took := time.Since(begin)
		runtime.ReadMemStats(&after)
		require.ErrorIs(t, err, ErrDepth)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(64<<10))
		require.Less(t, took, 5*time.Second)
	}
}

func TestCheckAllocatesNothing(t *testing.T) {
	rec := bytes.Repeat([]byte(`{"ключ":"a\u00e9\n","n":[1,-2.5e3,true,null]},`), 20)
	rec = append(append([]byte("["), rec...), "{}]"...)
	require.Zero(t, testing.AllocsPerRun(10, func() {
		if CheckStrict(rec, 0) != nil || CheckFrame(rec, 0) != nil || !Complete(rec) {
			t.Fail()
		}
	}))
}

func TestComplete(t *testing.T) {
	for _, rec := range []string{
		`{}`, `[]`, `{"a":1}`, ` {"a":[1,{}]} `, "[1]\r", BOM + `{"a":1}`, `["\ud800"]`,
	} {
		require.True(t, Complete([]byte(rec)), "%q", rec)
	}
	for _, rec := range []string{
		``, ` `, `1`, `12`, `true`, `null`, `"a"`, `{`, `{"a":1`, `[1`, `{"a":1}}`, `{"a":1} x`, `{} {}`,
		"{\n}", "{\"a\":\"\xff\"}", "{}\x00", `["\x"]`, BOM, nested(MaxDepth + 1),
	} {
		require.False(t, Complete([]byte(rec)), "%.60q", rec)
	}
}
