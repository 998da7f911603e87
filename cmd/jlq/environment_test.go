package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFromEnvironment(t *testing.T) {
	for _, test := range []struct {
		args, environ []string
		sync          string
		taken         []string
	}{
		{nil, nil, "always", nil},
		{nil, []string{"JLQ_SYNC=os"}, "os", []string{"JLQ_SYNC"}},
		{nil, []string{"JLQ_SYNC=os", "JLQ_APPEND_SYNC=interval"}, "interval", []string{"JLQ_APPEND_SYNC"}},
		{[]string{"--sync=always"}, []string{"JLQ_SYNC=os"}, "always", nil},
		{nil, []string{"JLQ_SYNC=", "JLQ_SYCN=os", "SYNC=os"}, "always", nil},
	} {
		a := newApp(nil, &bytes.Buffer{}, &bytes.Buffer{})
		cmd, _, err := a.root().Find([]string{"append"})
		require.NoError(t, err)
		require.NoError(t, cmd.ParseFlags(test.args))
		require.NoError(t, a.fromEnvironment(cmd, test.environ))
		require.Equal(t, test.sync, cmd.Flags().Lookup("sync").Value.String(), test.environ)
		require.Equal(t, test.taken, a.fromEnv)
	}
}

// What drops data is never taken from the environment.
func TestFromEnvironmentNever(t *testing.T) {
	a := newApp(nil, &bytes.Buffer{}, &bytes.Buffer{})
	cmd, _, err := a.root().Find([]string{"trim"})
	require.NoError(t, err)
	require.NoError(t, a.fromEnvironment(cmd, []string{"JLQ_EXECUTE=true", "JLQ_TRIM_EXECUTE=true", "JLQ_FORCE=true", "JLQ_BEFORE=end", "JLQ_HELP=true", "JLQ_OFFSET=7", "JLQ_PARTITION=1"}))
	require.Empty(t, a.fromEnv)
	require.False(t, cmd.Flags().Changed("execute"))
}

func TestVariableName(t *testing.T) {
	require.Equal(t, "JLQ_MAX_RECORD", variableName("max-record"))
	require.Equal(t, "JLQ_GROUP_RESET_JSON", variableName(" group reset json"))
}

func TestEnvironmentText(t *testing.T) {
	root := newApp(nil, &bytes.Buffer{}, &bytes.Buffer{}).root()
	require.Equal(t, "None is set now.\n", environmentText(root, []string{"HOME=/", "JLQ_SYNC="}))
	require.Equal(t, "Set now:\n\n  JLQ_OFFSET=7   (of --exec)\n  JLQ_SYCN=os   no flag has this name; did you mean JLQ_SYNC?\n  JLQ_SYNC=os\n",
		environmentText(root, []string{"JLQ_SYNC=os", "JLQ_SYCN=os", "JLQ_OFFSET=7"}))
}

func TestReflow(t *testing.T) {
	require.Equal(t, "one two\nthree", reflow("one two\nthree", 7))
	require.Equal(t, "one two\nthree four\n\n  a table that is long\nfive", reflow("one two three four\n\n  a table that is long\nfive", 10))
}
