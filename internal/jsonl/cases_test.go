package jsonl

import "strings"

// The tables here are the package's own, of the kinds that JSONTestSuite has,
// so that the tests bite on a clone without that data.

// nested is arrays inside one another, depth of them.
func nested(depth int) string {
	return strings.Repeat("[", depth) + strings.Repeat("]", depth)
}

// nestedObjects is objects inside one another, depth of them.
func nestedObjects(depth int) string {
	return strings.Repeat(`{"k":`, depth-1) + "{}" + strings.Repeat("}", depth-1)
}

// accepted are records.
var accepted = []string{
	`null`, `true`, `false`, `0`, `-0`, `""`, `"a"`, `[]`, `{}`,
	`[1,2,3]`, `[[],{}]`, `[null]`, `[ ]`, ` { } `, "\t[1]\r", "[1]\r", " 1 ",
	`{"a":1}`, `{"a":1,"a":2}`, `{"":0}`, `{"a":{"b":[{"c":null}]}}`,
	`{"a" : [ 1 , 2 ] , "b" : "c"}`, "{\t\"a\":\r1}",
	`1.5`, `-1.5e10`, `1E+2`, `1e-2`, `0.0`, `-0.0e0`, `10`, `123456789012345678901234567890`,
	`1e99999`, `-1e-99999`, `0.1e1`, `[1e0,2E0]`,
	`"\"\\\/\b\f\n\r\t"`, `"\u0000"`, `"\u00e9\uD834\udd1e"`, `"\ud800"`, `"\udc00\ud800"`, `"\ud800\n"`,
	`{"\u0061":1,"a":2}`, `"\\\\"`, `["\\","\""]`,
	"\"\x7f\"", `"é"`, `"€"`, `"𝄞"`, "\"\u2028\u2029\u0085\"", "\"\ufeff\"", "\"\U0010ffff\"", "\"\ufffd\"",
	`"0123456"`, `"01234567"`, `"012345678"`, `"0123456é"`, `"012345é7"`, `"0123456\n"`, `"01234567\""`,
	`["` + strings.Repeat("x", 300) + `"]`,
	nested(MaxDepth), nestedObjects(MaxDepth), nested(500),
	`[` + nested(MaxDepth-1) + `,` + nested(MaxDepth-1) + `]`,
	`"` + strings.Repeat("[", 5000) + `"`,
	`[` + strings.Repeat("[],", 3000) + `{}]`,
}

// multiline are JSON texts that have to be compacted first, and what becomes
// of them.
var multiline = []struct{ text, line string }{
	{"[1\n]", "[1]"},
	{"[\"a\"]\n", `["a"]`},
	{"\r\n{\r\n\t\"a\" : [ 1,\n2 ]\n}\r\n", `{"a":[1,2]}`},
	{"\n1", "1"},
}

// refused are not records. The position is the first wrong byte.
var refused = []struct {
	rec      string
	position int
	reason   string
	err      error
}{
	{"", 0, "no value", ErrEmpty},
	{" ", 1, "no value", ErrEmpty},
	{" \t\r", 3, "no value", ErrEmpty},
	{"\n", 0, "newline", ErrNewline},
	{"{\n}", 1, "newline", ErrNewline},
	{"\"a\nb\"", 2, "newline", ErrNewline},
	{"{}\n", 2, "newline", ErrNewline},
	{"{x\x00\n", 3, "newline", ErrNewline}, // the frame comes before the syntax
	{"\x00", 0, "NUL byte", ErrNUL},
	{"{}\x00\x00", 2, "NUL byte", ErrNUL},
	{"\"a\x00\"", 2, "NUL byte", ErrNUL},
	{"x\x00", 1, "NUL byte (the text looks like UTF-16)", ErrNUL},
	{"\xff\xfe[\x00]\x00", 3, "NUL byte (the text looks like UTF-16)", ErrNUL},
	{"\xfe\xff\x00[\x00]", 2, "NUL byte (the text looks like UTF-16)", ErrNUL},
	{"\x00[\x00]", 0, "NUL byte (the text looks like UTF-16)", ErrNUL},
	{"\xef\xbb\xbf{}", 0, "byte order mark", nil},
	{"\xef\xbb\xbf", 0, "byte order mark", nil},
	{"\xef\xbb{}", 0, "invalid UTF-8 (byte 0xef) where a value should be", ErrUTF8},

	{"[", 1, "unexpected end where a value should be", nil},
	{"[1", 2, "unexpected end where a comma or ] should be", nil},
	{`{"a":1`, 6, "unexpected end where a comma or } should be", nil},
	{`{"a":1,`, 7, "unexpected end where a key should be", nil},
	{`{"a"`, 4, "unexpected end where a colon should be", nil},
	{`{"a":`, 5, "unexpected end where a value should be", nil},
	{`"a`, 2, "unexpected end in a string", nil},
	{`"`, 1, "unexpected end in a string", nil},
	{`"\`, 2, "unexpected end in an escape of a string", nil},
	{`"\u12`, 5, "unexpected end in an escape of a string", nil},
	{`-`, 1, "unexpected end in a number", nil},
	{`1.`, 2, "unexpected end in a number", nil},
	{`1e`, 2, "unexpected end in a number", nil},
	{`1e+`, 3, "unexpected end in a number", nil},
	{`tru`, 3, "unexpected end in the word true", nil},
	{`"0123456`, 8, "unexpected end in a string", nil},
	{`"01234567`, 9, "unexpected end in a string", nil},

	{`{} {}`, 3, `'{' after the value`, nil},
	{`{}x`, 2, `'x' after the value`, nil},
	{`{}}`, 2, `'}' after the value`, nil},
	{`1 2`, 2, `'2' after the value`, nil},
	{`nullx`, 4, `'x' after the value`, nil},
	{`""""`, 2, `'"' after the value`, nil},
	{`1,`, 1, `',' after the value`, nil},
	{`]`, 0, `']' where a value should be`, nil},
	{`}`, 0, `'}' where a value should be`, nil},
	{`,`, 0, `',' where a value should be`, nil},
	{`:`, 0, `':' where a value should be`, nil},
	{`[1}`, 2, `'}' where a comma or ] should be`, nil},
	{`{"a":1]`, 6, `']' where a comma or } should be`, nil},
	{`[}`, 1, `'}' where a value should be`, nil},
	{`{]`, 1, `']' where a key should be`, nil},
	{`[[]}`, 3, `'}' where a comma or ] should be`, nil},
	{`{"a":{}]`, 7, `']' where a comma or } should be`, nil},
	{`[1,]`, 3, `']' where a value should be`, nil},
	{`[,1]`, 1, `',' where a value should be`, nil},
	{`[1,,2]`, 3, `',' where a value should be`, nil},
	{`[1 2]`, 3, `'2' where a comma or ] should be`, nil},
	{`[1:2]`, 2, `':' where a comma or ] should be`, nil},
	{`[1]]`, 3, `']' after the value`, nil},
	{`{"a":1,}`, 7, `'}' where a key should be`, nil},
	{`{,}`, 1, `',' where a key should be`, nil},
	{`{1:2}`, 1, `'1' where a key should be`, nil},
	{`{a:1}`, 1, `'a' where a key should be`, nil},
	{`{'a':1}`, 1, `'\'' where a key should be`, nil},
	{`{null:1}`, 1, `'n' where a key should be`, nil},
	{`{"a",1}`, 4, `',' where a colon should be`, nil},
	{`{"a" 1}`, 5, `'1' where a colon should be`, nil},
	{`{"a"::1}`, 5, `':' where a value should be`, nil},
	{`{"a":}`, 5, `'}' where a value should be`, nil},
	{`{"a":1 "b":2}`, 7, `'"' where a comma or } should be`, nil},
	{`{"a"}`, 4, `'}' where a colon should be`, nil},
	{`{[]:1}`, 1, `'[' where a key should be`, nil},

	{`01`, 1, `'1' after a leading zero`, nil},
	{`-01`, 2, `'1' after a leading zero`, nil},
	{`[00]`, 2, `'0' after a leading zero`, nil},
	{`+1`, 0, `'+' where a value should be`, nil},
	{`.5`, 0, `'.' where a value should be`, nil},
	{`-a`, 1, `'a' in a number`, nil},
	{`--1`, 1, `'-' in a number`, nil},
	{`-.5`, 1, `'.' in a number`, nil},
	{`1.e1`, 2, `'e' in a number`, nil},
	{`1.5.5`, 3, `'.' after the value`, nil},
	{`1ea`, 2, `'a' in a number`, nil},
	{`1e+-2`, 3, `'-' in a number`, nil},
	{`[1e]`, 3, `']' in a number`, nil},
	{`0x10`, 1, `'x' after the value`, nil},
	{`1_000`, 1, `'_' after the value`, nil},
	{`Infinity`, 0, `'I' where a value should be`, nil},
	{`-Infinity`, 1, `'I' in a number`, nil},
	{`NaN`, 0, `'N' where a value should be`, nil},
	{`nan`, 1, `'a' in the word null`, nil},
	{`TRUE`, 0, `'T' where a value should be`, nil},
	{`[trub]`, 4, `'b' in the word true`, nil},
	{`[fals]`, 5, `']' in the word false`, nil},
	{`é`, 0, `'é' where a value should be`, nil},
	{"\u202e1", 0, `'\u202e' where a value should be`, nil},
	{"[\u00a01]", 1, `'\u00a0' where a value should be`, nil},
	{"[\v1]", 1, "raw control byte 0x0b where a value should be", nil},
	{"[1\f]", 2, "raw control byte 0x0c where a comma or ] should be", nil},
	{"{}\x1a", 2, "raw control byte 0x1a after the value", nil},
	{`{} // x`, 3, `'/' after the value`, nil},
	{`/**/{}`, 0, `'/' where a value should be`, nil},
	{`#1`, 0, `'#' where a value should be`, nil},

	{`"\x41"`, 2, `'x' in an escape of a string`, nil},
	{`"\'"`, 2, `'\'' in an escape of a string`, nil},
	{`"\U0041"`, 2, `'U' in an escape of a string`, nil},
	{`"\u12G4"`, 5, `'G' in an escape of a string`, nil},
	{`"\u"`, 3, `'"' in an escape of a string`, nil},
	{`"\é"`, 2, `'é' in an escape of a string`, nil},
	{"\"\\\t\"", 2, "raw control byte 0x09 in an escape of a string", nil},
	{`"a\"`, 4, "unexpected end in a string", nil},
	{"\"a\tb\"", 2, "raw control byte 0x09 in a string", nil},
	{"\"a\rb\"", 2, "raw control byte 0x0d in a string", nil},
	{"\"\x1f\"", 1, "raw control byte 0x1f in a string", nil},
	{"{\"a\x01\":1}", 3, "raw control byte 0x01 in a string", nil},
	{"\"01234567\x02\"", 9, "raw control byte 0x02 in a string", nil},
	{"\"\xff\"", 1, "invalid UTF-8 (byte 0xff) in a string", ErrUTF8},
	{"{\"\xff\":1}", 2, "invalid UTF-8 (byte 0xff) in a string", ErrUTF8},
	{"\"0123456\xc3\"", 8, "invalid UTF-8 (byte 0xc3) in a string", ErrUTF8},
	{"\"\xed\xa0\x80\"", 1, "invalid UTF-8 (byte 0xed) in a string", ErrUTF8},
	{"\"\xc0\xaf\"", 1, "invalid UTF-8 (byte 0xc0) in a string", ErrUTF8},
	{"\"\xf4\x90\x80\x80\"", 1, "invalid UTF-8 (byte 0xf4) in a string", ErrUTF8},
	{"\"é\x80\"", 3, "invalid UTF-8 (byte 0x80) in a string", ErrUTF8},
	{"\"\\\xff\"", 2, "invalid UTF-8 (byte 0xff) in an escape of a string", ErrUTF8},
	{"[\xff]", 1, "invalid UTF-8 (byte 0xff) where a value should be", ErrUTF8},
	{"\"\xe2\x82", 1, "invalid UTF-8 (byte 0xe2) in a string", ErrUTF8},

	{nested(MaxDepth + 1), MaxDepth, "nested deeper than 1000 levels", ErrDepth},
	{nestedObjects(MaxDepth + 1), 5 * MaxDepth, "nested deeper than 1000 levels", ErrDepth},
	{strings.Repeat("[", 100_000), MaxDepth, "nested deeper than 1000 levels", ErrDepth},
	{strings.Repeat(`{"":`, 5000), 4 * MaxDepth, "nested deeper than 1000 levels", ErrDepth},
	{strings.Repeat("[", MaxDepth), MaxDepth, "unexpected end where a value should be", nil},
	{strings.Repeat("[", 63) + "{" + strings.Repeat("]", 64), 64, `']' where a key should be`, nil},
	{strings.Repeat("[", 64) + "{}" + strings.Repeat("]", 63) + "}", 129, `'}' where a comma or ] should be`, nil},
	{`{"a":` + strings.Repeat("[", 64) + strings.Repeat("]", 65), 133, `']' where a comma or } should be`, nil},
}
