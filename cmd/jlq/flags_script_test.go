package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
)

// Each command, and each of its flags, is in some script of testdata/script.
// --help is not asked for: TestHelpIsThere looks at that of every command.
func TestScriptsUseEveryFlag(t *testing.T) {
	root := newApp(nil, nil, nil).root()
	used := map[string]bool{}
	scripts, err := filepath.Glob(filepath.Join("testdata", "script", "*.txt"))
	require.NoError(t, err)
	for _, script := range scripts {
		text, err := os.ReadFile(script)
		require.NoError(t, err)
		for line := range strings.Lines(string(text)) {
			use(root, strings.Fields(line), used)
		}
	}
	var missing []string
	eachCommand(root, func(cmd *cobra.Command) {
		if cmd.Runnable() && !used[cmd.CommandPath()] {
			missing = append(missing, cmd.CommandPath())
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if name := cmd.CommandPath() + " --" + f.Name; f.Name != "help" && !f.Hidden && !used[name] {
				missing = append(missing, name)
			}
		})
	})
	require.Empty(t, missing, "in no script:\n%s", strings.Join(missing, "\n"))
}

// use notes the commands that the words of a line run, and their flags.
func use(root *cobra.Command, words []string, used map[string]bool) {
	for i, word := range words {
		if word != "jlq" {
			continue
		}
		end := i + 1
		for end < len(words) && words[end] != "jlq" {
			end++
		}
		cmd, _, err := root.Find(words[i+1 : end])
		if err != nil {
			continue
		}
		used[cmd.CommandPath()] = true
		for _, word := range words[i+1 : end] {
			useFlag(cmd, strings.Trim(word, `'"`), used)
		}
	}
}

// useFlag notes the flags that a word gives, which may be several in one: -rn5.
func useFlag(cmd *cobra.Command, word string, used map[string]bool) {
	if long, ok := strings.CutPrefix(word, "--"); ok {
		long, _, _ = strings.Cut(long, "=")
		used[cmd.CommandPath()+" --"+long] = true
		return
	}
	if !strings.HasPrefix(word, "-") {
		return
	}
	for i := range len(word) - 1 {
		f := cmd.Flags().ShorthandLookup(word[i+1 : i+2])
		if f == nil {
			return
		}
		used[cmd.CommandPath()+" --"+f.Name] = true
		if f.NoOptDefVal == "" {
			return // the rest is its value
		}
	}
}
