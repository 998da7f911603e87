package main

import (
	"io/fs"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// guard stands before an argument such as -1, which would otherwise be taken
// for a flag. No argument of a process can hold it.
const guard = "\x00"

// guardNegatives marks the negative offsets among args, so that "get LOG -1"
// needs no "--" before it. No flag of jlq is a digit. The number of head -5,
// tail -5 and grep -5 gets the flag that it is short for.
func guardNegatives(root *cobra.Command, args []string) []string {
	cmd, _, err := root.Find(args)
	if err != nil || len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		return args
	}
	out := make([]string, len(args))
	for i, arg := range args {
		out[i] = arg
		if arg == "--" {
			copy(out[i:], args[i:])
			break
		}
		if !negative(arg) || i == 0 || takesValue(cmd, args[i-1]) {
			continue
		}
		switch out[i] = guard + arg; cmd.Name() {
		case "head", "tail":
			out[i] = "-n" + arg[1:]
		case "grep":
			out[i] = "-C" + arg[1:]
		}
	}
	return out
}

// unguard takes the marks off again.
func unguard(args []string) {
	for i := range args {
		args[i] = strings.TrimPrefix(args[i], guard)
	}
}

func negative(arg string) bool {
	return len(arg) > 1 && arg[0] == '-' && arg[1] >= '0' && arg[1] <= '9'
}

// takesValue reports whether arg is a flag whose value is the next argument.
func takesValue(cmd *cobra.Command, arg string) bool {
	if strings.Contains(arg, "=") {
		return false
	}
	var flag *pflag.Flag
	switch name, long := strings.CutPrefix(arg, "--"); {
	case long:
		flag = cmd.Flags().Lookup(name)
	case len(arg) > 1 && arg[0] == '-' && !negative(arg):
		// In a group such as -rn only the last one can take the next argument.
		flag = cmd.Flags().ShorthandLookup(arg[len(arg)-1:])
	}
	return flag != nil && flag.NoOptDefVal == ""
}

// parseMode reads --mode; "" is 0, the default.
func parseMode(command, text string) (fs.FileMode, error) {
	if text == "" {
		return 0, nil
	}
	mode, err := strconv.ParseUint(text, 8, 32)
	if err != nil || mode == 0 || mode > 0o777 || mode&0o600 != 0o600 {
		return 0, usagef("%s: --mode %q: want an octal mode of files that the owner can read and write, such as 0640", command, text)
	}
	return fs.FileMode(mode), nil
}
