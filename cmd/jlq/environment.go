package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// envPrefix begins the names of the environment variables that stand for flags.
const envPrefix = "JLQ_"

// saidEachTime are the flags that no variable stands for: what drops data,
// moves something, or says what one call is about is said where it is done. Of
// these, JLQ_OFFSET and JLQ_PARTITION are what --exec tells its commands.
var saidEachTime = map[string]bool{
	"help": true, "version": true, "execute": true, "force": true, "all": true, "drop": true, "before": true,
	"offset": true, "partition": true, "partitions": true, "expect-offset": true, "renumber": true, "allow-network": true, "exec": true,
	"regexp": true, "file": true,
}

// withEnvironment makes cmd take the flags that were not given from the
// environment, before its arguments are looked at.
func (a *app) withEnvironment(cmd *cobra.Command) {
	check := cmd.Args
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if err := a.fromEnvironment(cmd, os.Environ()); err != nil || check == nil {
			return err
		}
		return check(cmd, args)
	}
}

// fromEnvironment sets the flags of cmd that were not given and that a variable
// stands for.
func (a *app) fromEnvironment(cmd *cobra.Command, environ []string) (err error) {
	set := jlqVariables(environ)
	if len(set) == 0 {
		return nil
	}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		name, value, ok := variableOf(cmd, f, set)
		if err != nil || f.Changed || !ok {
			return
		}
		if bad := cmd.Flags().Set(f.Name, value); bad != nil {
			err = wrongVariable(cmd, f, name, value)
			return
		}
		a.fromEnv = append(a.fromEnv, name)
	})
	return err
}

// jlqVariables are those of the environment that begin with JLQ_ and are not
// empty.
func jlqVariables(environ []string) map[string]string {
	var set map[string]string
	for _, entry := range environ {
		if name, value, _ := strings.Cut(entry, "="); strings.HasPrefix(name, envPrefix) && value != "" {
			if set == nil {
				set = map[string]string{}
			}
			set[name] = value
		}
	}
	return set
}

// variableOf finds the variable that stands for a flag of cmd: JLQ_APPEND_SYNC
// before JLQ_SYNC.
func variableOf(cmd *cobra.Command, f *pflag.Flag, set map[string]string) (name, value string, ok bool) {
	if saidEachTime[f.Name] {
		return "", "", false
	}
	for _, name := range variableNames(cmd, f.Name) {
		if value, ok := set[name]; ok {
			return name, value, true
		}
	}
	return "", "", false
}

func variableNames(cmd *cobra.Command, flag string) []string {
	path := strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name())
	return []string{variableName(path + " " + flag), variableName(flag)}
}

func variableName(words string) string {
	return envPrefix + strings.ToUpper(strings.NewReplacer(" ", "_", "-", "_").Replace(strings.TrimSpace(words)))
}

func wrongVariable(cmd *cobra.Command, f *pflag.Flag, name, value string) error {
	// Set says which flag; the reason is what the flag itself says.
	reason := f.Value.Set(value)
	return &usageError{
		err:  fmt.Errorf("%s: %s=%s: for --%s: %w", cmd.Name(), name, value, f.Name, reason),
		hint: "jlq help environment tells about the variables",
	}
}

// blameEnvironment names the variables that a command line that is refused
// had flags of, which nobody sees there.
func (a *app) blameEnvironment(err error) {
	if code := exitCode(err); len(a.fromEnv) > 0 && (code == exitUsage || code == exitFilter) && !quiet(err) {
		a.hint("flags came from the environment: " + strings.Join(a.fromEnv, ", "))
	}
}

// environmentText is what help environment says about the variables that are
// set now: a misspelt one would be silent anywhere else.
func environmentText(root *cobra.Command, environ []string) string {
	set, known := jlqVariables(environ), knownVariables(root)
	if len(set) == 0 {
		return "None is set now.\n"
	}
	text := "Set now:\n\n"
	for _, name := range sortedKeys(set) {
		line := "  " + name + "=" + set[name]
		switch {
		case forCommands[name]:
			line += "   (of --exec)"
		case !known[name]:
			line += "   no flag has this name" + meant(nearest(name, sortedKeys(known)))
		}
		text += line + "\n"
	}
	return text
}

// forCommands are the variables that --exec gives to commands.
var forCommands = map[string]bool{
	"JLQ_LOG": true, "JLQ_OFFSET": true, "JLQ_PARTITION": true, "JLQ_ATTEMPTS": true, "JLQ_STATE": true, "JLQ_LAG": true, "JLQ_AGE": true,
}

func knownVariables(root *cobra.Command) map[string]bool {
	known := map[string]bool{}
	eachCommand(root, func(cmd *cobra.Command) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !saidEachTime[f.Name] {
				for _, name := range variableNames(cmd, f.Name) {
					known[name] = true
				}
			}
		})
	})
	return known
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
