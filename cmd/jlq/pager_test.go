package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPagerCommand(t *testing.T) {
	for _, test := range []struct{ flag, term, pager, want string }{
		{"auto", "xterm", "", "less"},
		{"", "xterm", "more", "more"},
		{"auto", "xterm", "cat", ""},
		{"auto", "dumb", "less", ""},
		{"auto", "", "less", ""},
		{"never", "xterm", "less", ""},
		{"most -x", "dumb", "less", "most -x"},
	} {
		env := map[string]string{"TERM": test.term, "PAGER": test.pager}
		require.Equal(t, test.want, pagerCommand(test.flag, func(name string) string { return env[name] }), test)
	}
}

func TestScreenLines(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "a\n": 1, "12345\n": 1, "123456\n": 2, "\x1b[31m12345\x1b[0m\n": 1, "äöüäö\n": 1, "a\nb\n\n": 3, "12345678901": 2,
	} {
		require.Equal(t, want, screenLines([]byte(text), 5), "%q", text)
	}
}
