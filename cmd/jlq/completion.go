package main

import (
	"errors"
	"io"

	"github.com/spf13/cobra"
)

// shells write the completion script for each shell.
var shells = map[string]func(root *cobra.Command, w io.Writer) error{
	"bash":       bashCompletion,
	"zsh":        func(root *cobra.Command, w io.Writer) error { return root.GenZshCompletion(w) },
	"fish":       func(root *cobra.Command, w io.Writer) error { return root.GenFishCompletion(w, true) },
	"powershell": func(root *cobra.Command, w io.Writer) error { return root.GenPowerShellCompletionWithDesc(w) },
}

const completionLong = `completion prints the script with which a shell completes a command line: commands and
flags with what they do, logs, offsets (and the bounds of the log that was named),
fields of its records, consumer groups.

bash: for this shell (or in ~/.bashrc), or once for all that come, which takes the package
bash-completion:

  source <(jlq completion bash)
  jlq completion bash > ~/.local/share/bash-completion/completions/jlq

zsh: into a directory of $fpath; compinit has to run in ~/.zshrc:

  jlq completion zsh > "${fpath[1]}/_jlq"

fish:

  jlq completion fish > ~/.config/fish/completions/jlq.fish

PowerShell, at the end of the file that $PROFILE names:

  jlq completion powershell | Out-String | Invoke-Expression

Fields and groups are those of the log that stands before them on the line: so
jlq cat app.jsonl --fields, and then the tabulator.`

func (a *app) completionCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "completion bash|zsh|fish|powershell",
		Short: "let the shell complete commands, flags, offsets, fields and groups",
		Long:  completionLong,
		Example: `  source <(jlq completion bash)
  jlq completion zsh > _jlq`,
		Args:      wantArgs(1, 1, "a shell: bash, zsh, fish or powershell"),
		ValidArgs: []string{"bash", "zsh", "fish", "powershell"},
		RunE: func(cmd *cobra.Command, args []string) error {
			write := shells[args[0]]
			if write == nil {
				return &usageError{err: errors.New("completion: " + args[0] + ": want bash, zsh, fish or powershell" + meant(nearest(args[0], sortedKeys(shells)))), hint: seeHelp(cmd)}
			}
			return write(cmd.Root(), a.out)
		},
	}
}
