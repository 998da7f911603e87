package jsonl

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// sharedData is where the sample data lies beside a checkout, if it does.
const sharedData = "../../../shared/data"

// implementationDefined is what becomes of the files that JSONTestSuite leaves
// to the implementation: the error, or nil for those accepted.
var implementationDefined = map[string]error{
	// Numbers are kept as they are written, so none is too large.
	"i_number_double_huge_neg_exp":   nil,
	"i_number_huge_exp":              nil,
	"i_number_neg_int_huge_exp":      nil,
	"i_number_pos_double_huge_exp":   nil,
	"i_number_real_neg_overflow":     nil,
	"i_number_real_pos_overflow":     nil,
	"i_number_real_underflow":        nil,
	"i_number_too_big_neg_int":       nil,
	"i_number_too_big_pos_int":       nil,
	"i_number_very_big_negative_int": nil,
	// Escapes are kept as they are written, so lone surrogates do no harm.
	"i_object_key_lone_2nd_surrogate":                nil,
	"i_string_1st_surrogate_but_2nd_missing":         nil,
	"i_string_1st_valid_surrogate_2nd_invalid":       nil,
	"i_string_incomplete_surrogate_and_escape_valid": nil,
	"i_string_incomplete_surrogate_pair":             nil,
	"i_string_incomplete_surrogates_escape_valid":    nil,
	"i_string_invalid_lonely_surrogate":              nil,
	"i_string_invalid_surrogate":                     nil,
	"i_string_inverted_surrogates_U+1D11E":           nil,
	"i_string_lone_second_surrogate":                 nil,
	// Bytes that are not UTF-8 would make the file unreadable for others.
	"i_string_UTF-8_invalid_sequence":         ErrUTF8,
	"i_string_UTF8_surrogate_U+D800":          ErrUTF8,
	"i_string_invalid_utf-8":                  ErrUTF8,
	"i_string_iso_latin_1":                    ErrUTF8,
	"i_string_lone_utf8_continuation_byte":    ErrUTF8,
	"i_string_not_in_unicode_range":           ErrUTF8,
	"i_string_overlong_sequence_2_bytes":      ErrUTF8,
	"i_string_overlong_sequence_6_bytes":      ErrUTF8,
	"i_string_overlong_sequence_6_bytes_null": ErrUTF8,
	"i_string_truncated-utf-8":                ErrUTF8,
	"i_string_UTF-16LE_with_BOM":              ErrNUL,
	"i_string_utf16BE_no_BOM":                 ErrNUL,
	"i_string_utf16LE_no_BOM":                 ErrNUL,
	"i_structure_500_nested_arrays":           nil,
	"i_structure_UTF-8_BOM_empty_object":      errByteOrderMark,
}

// errByteOrderMark stands in the table for a *SyntaxError without a sentinel.
var errByteOrderMark = &SyntaxError{Position: 0, Reason: "byte order mark"}

// checkCase checks one case of JSONTestSuite by the first letter of its name.
func checkCase(t *testing.T, name string, rec []byte) {
	err := CheckStrict(rec, 0)
	switch name[0] {
	case 'y':
		if bytes.Contains(rec, []byte("\n")) {
			require.ErrorIs(t, err, ErrNewline, name)
			line, err := Compact(nil, rec)
			require.NoError(t, err, name)
			rec = line
		}
		require.NoError(t, CheckStrict(rec, 0), name)
	case 'n':
		require.Error(t, err, name)
		_, err = Compact(nil, rec)
		require.Error(t, err, name)
	default:
		want, ok := implementationDefined[name]
		require.True(t, ok, name)
		if want == errByteOrderMark {
			require.Equal(t, want, err, name)
			return
		}
		require.ErrorIs(t, err, want, name)
	}
	checkAgainstOracle(t, rec)
}

func TestJSONTestSuite(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(sharedData, "jsontestsuite/test_parsing/*.json"))
	require.NoError(t, err)
	if len(paths) == 0 {
		t.Skip("no JSONTestSuite in", sharedData)
	}
	count := map[byte]int{}
	for _, path := range paths {
		rec, err := os.ReadFile(path)
		require.NoError(t, err)
		name := strings.TrimSuffix(filepath.Base(path), ".json")
		checkCase(t, name, rec)
		count[name[0]]++
	}
	require.Equal(t, map[byte]int{'y': 95, 'n': 188, 'i': len(implementationDefined)}, count)
}

func TestJSONTestSuiteLines(t *testing.T) {
	for kind, want := range map[string]int{"y": 91, "n": 182, "i": 35} {
		path := filepath.Join(sharedData, "jsontestsuite-lines", kind)
		data, err := os.ReadFile(path + ".jsonl")
		if os.IsNotExist(err) {
			t.Skip("no JSONTestSuite lines in", sharedData)
		}
		require.NoError(t, err)
		names, err := os.ReadFile(path + ".names")
		require.NoError(t, err)
		lines := bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n"))
		require.Len(t, lines, want)
		for i, name := range strings.Fields(string(names)) {
			checkCase(t, strings.TrimSuffix(name, ".json"), lines[i])
		}
	}
}

// Every line of the sample data gets the answer that encoding/json and UTF-8
// give it.
func TestSampleData(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(sharedData, "*/*"))
	require.NoError(t, err)
	if len(paths) == 0 {
		t.Skip("no sample data in", sharedData)
	}
	for _, path := range paths {
		if info, err := os.Stat(path); err != nil || info.IsDir() {
			continue
		}
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		for line := range bytes.Lines(data) {
			checkAgainstOracle(t, bytes.TrimSuffix(line, []byte("\n")))
		}
	}
}
