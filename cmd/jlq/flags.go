package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// offsetsFlag is a RANGE given as a flag.
type offsetsFlag struct {
	offsets
	given bool
}

func (f *offsetsFlag) String() string { return f.text }
func (f *offsetsFlag) Type() string   { return "RANGE" }

func (f *offsetsFlag) Set(text string) (err error) {
	f.offsets, err = parseLocation(text, time.Now().UTC())
	f.given = true
	return err
}

func (f *offsetsFlag) inZone(now time.Time) (err error) {
	f.offsets, err = parseLocation(f.text, now)
	return err
}

func (f *offsetsFlag) add(cmd *cobra.Command, usage string) {
	f.offsets = everything()
	cmd.Flags().VarP(f, "offset", "o", usage)
}

// sizeFlag is a number of bytes, with or without a unit.
type sizeFlag int

func (f *sizeFlag) Type() string   { return "BYTES" }
func (f *sizeFlag) String() string { return sizeText(int64(*f)) }

func (f *sizeFlag) Set(text string) error {
	n, err := parseSize(text, maxSize)
	*f = sizeFlag(n)
	return err
}

// maxSize is the most that a number of bytes held in memory may be.
const maxSize = 1 << 30

// diskSizeFlag is a number of bytes on disk; 0 while it was not given.
type diskSizeFlag int64

func (f *diskSizeFlag) Type() string { return "BYTES" }

func (f *diskSizeFlag) String() string {
	if *f == 0 {
		return ""
	}
	return sizeText(int64(*f))
}

func (f *diskSizeFlag) Set(text string) error {
	n, err := parseSize(text, maxDiskSize)
	*f = diskSizeFlag(n)
	return err
}

const maxDiskSize = 1 << 60

// parseSize reads a number of bytes, up to most: 4096, 64K, 16M, 1G, 1T
// (powers of 1,024).
func parseSize(text string, most int64) (int64, error) {
	digits := strings.TrimRight(text, "KMGTiBkb")
	shift, ok := map[string]int{"": 0, "B": 0, "K": 10, "M": 20, "G": 30, "T": 40}[strings.TrimSuffix(strings.TrimSuffix(strings.ToUpper(text[len(digits):]), "B"), "I")]
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || !ok {
		return 0, fmt.Errorf("%q is not a size, such as 4096, 64K or 16M", text)
	}
	if n < 1 || n > most>>shift {
		return 0, fmt.Errorf("%q: want 1 to %s bytes", text, sizeText(most))
	}
	return n << shift, nil
}

// sizeText is the inverse of parseSize, for what help shows.
func sizeText(n int64) string {
	for _, unit := range []struct {
		name  string
		shift int
	}{{"T", 40}, {"G", 30}, {"M", 20}, {"K", 10}} {
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
	return fmt.Errorf("want %s%s", strings.Join(c.values, ", "), meant(nearest(text, c.values)))
}

// ageFlag is a length of time; 0 while it was not given.
type ageFlag time.Duration

func (f *ageFlag) Type() string { return "AGE" }

func (f *ageFlag) String() string {
	if *f == 0 {
		return ""
	}
	return time.Duration(*f).String()
}

// Set reads 90s, 30m, 24h, 7d or a sum of such, as Go writes it.
func (f *ageFlag) Set(text string) error {
	rest, d := text, time.Duration(0)
	if days, behind, ok := strings.Cut(text, "d"); ok {
		n, err := strconv.ParseUint(days, 10, 16)
		if err != nil {
			return fmt.Errorf("%q is not an age, such as 90s, 30m, 24h or 7d", text)
		}
		d, rest = time.Duration(n)*24*time.Hour, behind
	}
	if rest != "" {
		more, err := time.ParseDuration(rest)
		if err != nil {
			return fmt.Errorf("%q is not an age, such as 90s, 30m, 24h or 7d", text)
		}
		d += more
	}
	if d <= 0 {
		return fmt.Errorf("%q: want more than nothing", text)
	}
	*f = ageFlag(d)
	return nil
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
	if strings.HasPrefix(text, "+") {
		return fmt.Errorf("%q is not a number of records; -o N prints from offset N on, and the first is 0", text)
	}
	n, err := strconv.ParseInt(text, 10, 63)
	if err != nil || n < 0 {
		return fmt.Errorf("%q is not a number of records", text)
	}
	*c = countFlag(n)
	return nil
}
