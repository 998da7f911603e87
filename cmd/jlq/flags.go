package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// offsetsFlag is a RANGE given as a flag.
type offsetsFlag struct {
	offsets
	given bool
}

func (f *offsetsFlag) String() string { return f.text }
func (f *offsetsFlag) Type() string   { return "RANGE" }

func (f *offsetsFlag) Set(text string) (err error) {
	f.offsets, err = parseOffsets(text, time.Now())
	f.given = true
	return err
}

func (f *offsetsFlag) add(cmd *cobra.Command, usage string) {
	f.offsets = everything()
	cmd.Flags().VarP(f, "offsets", "o", usage)
}

// sizeFlag is a number of bytes, with or without a unit.
type sizeFlag int

func (f *sizeFlag) Type() string   { return "BYTES" }
func (f *sizeFlag) String() string { return sizeText(int64(*f)) }

func (f *sizeFlag) Set(text string) error {
	n, err := parseSize(text)
	*f = sizeFlag(n)
	return err
}

const maxSize = 1 << 30

// parseSize reads a number of bytes: 4096, 64K, 16M, 1G (powers of 1,024).
func parseSize(text string) (int, error) {
	digits := strings.TrimRight(text, "KMGiBkb")
	shift, ok := map[string]int{"": 0, "B": 0, "K": 10, "M": 20, "G": 30}[strings.TrimSuffix(strings.TrimSuffix(strings.ToUpper(text[len(digits):]), "B"), "I")]
	n, err := strconv.ParseUint(digits, 10, 31)
	if err != nil || !ok {
		return 0, fmt.Errorf("%q is not a size, such as 4096, 64K or 16M", text)
	}
	if n == 0 || n > maxSize>>shift {
		return 0, fmt.Errorf("%q: want 1 to 1G bytes", text)
	}
	return int(n << shift), nil
}

// sizeText is the inverse of parseSize, for what help shows.
func sizeText(n int64) string {
	for _, unit := range []struct {
		name  string
		shift int
	}{{"G", 30}, {"M", 20}, {"K", 10}} {
		if n > 0 && n%(1<<unit.shift) == 0 {
			return strconv.FormatInt(n>>unit.shift, 10) + unit.name
		}
	}
	return strconv.FormatInt(n, 10)
}

// choice is a flag with a few values.
type choice struct {
	value  string
	values []string
}

func newChoice(values ...string) choice { return choice{values[0], values} }

// completeChoices lets the shell offer the values of such flags.
func completeChoices(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if c, ok := f.Value.(interface{ offered() []string }); ok {
			// It fails for a flag that is not there or is completed already.
			_ = cmd.RegisterFlagCompletionFunc(f.Name, cobra.FixedCompletions(c.offered(), cobra.ShellCompDirectiveNoFileComp))
		}
	})
}

func (c *choice) offered() []string { return c.values }

func (c *choice) String() string { return c.value }
func (c *choice) Type() string   { return strings.Join(c.values, "|") }

func (c *choice) Set(text string) error {
	for _, v := range c.values {
		if v == text {
			c.value = text
			return nil
		}
	}
	return fmt.Errorf("want %s", strings.Join(c.values, ", "))
}

// countFlag is a number of records; negative while it was not given.
type countFlag int64

func (c *countFlag) Type() string { return "N" }

func (c *countFlag) String() string {
	if *c < 0 {
		return ""
	}
	return strconv.FormatInt(int64(*c), 10)
}

func (c *countFlag) Set(text string) error {
	n, err := strconv.ParseInt(text, 10, 63)
	if err != nil || n < 0 {
		return fmt.Errorf("%q is not a number of records", text)
	}
	*c = countFlag(n)
	return nil
}
