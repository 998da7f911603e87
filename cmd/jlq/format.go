package main

import (
	"errors"
	"os"
	"runtime"

	"github.com/spf13/cobra"

	"example.com/jlq/internal/format"
)

// formatFlags say how records are printed.
type formatFlags struct {
	format  formatFlag
	fields  fieldsFlag
	ids     bool
	offsets bool
	color   choice
}

func (f *formatFlags) add(cmd *cobra.Command) {
	f.color = newChoice("auto", "always", "never")
	flags := cmd.Flags()
	flags.VarP(&f.format, "format", "F", "how records are printed: raw, json, pretty, log, csv, tsv, or a template such as '%o %{user.id}\\n' (jlq help formats)")
	flags.Var(&f.fields, "fields", "print only these fields, such as ts,user.id; the `FIELDS` are also the columns of csv and tsv; may be given several times")
	flags.BoolVar(&f.offsets, "offsets", false, "print the offset and a tab in front of each record")
	flags.BoolVar(&f.ids, "ids", false, "print the id, such as orders-0@42, and a tab in front of each record")
	flags.Var(&f.color, "color", "when to colour: on a terminal and without NO_COLOR (auto), always or never")
}

// layout makes the layout that the flags ask for. human says that a terminal may
// show the records of a service in the way of -F log.
func (a *app) layout(f *formatFlags, opts format.Options) (*format.Layout, error) {
	opts.Format, opts.Fields = string(f.format), string(f.fields)
	switch {
	case f.ids && f.offsets:
		return nil, usagef("--ids and --offsets: an id has the offset in it; want one of them")
	case f.ids:
		opts.Prefix = format.IDPrefix
	case f.offsets:
		opts.Prefix = format.OffsetPrefix
	}
	opts.Human = opts.Human && a.out.tty
	opts.Visible = a.out.tty || f.color.value == "always"
	opts.Palette = a.colors(f.color.value)
	l, err := format.New(opts)
	if wrong, ok := errors.AsType[*format.SpotError](err); ok {
		err = &usageError{errors.New(wrong.String()), "jlq help formats tells what there is"}
	} else if err != nil {
		err = &usageError{err, "jlq help formats tells what there is"}
	}
	return l, err
}

// colors are those of stdout. Only --color can colour what is no terminal: a
// pipe gets the stored bytes, whatever the environment says.
func (a *app) colors(when string) format.Palette {
	env := os.Getenv
	switch {
	case when == "always":
		return format.Colors
	case when == "never", !a.out.tty, env("NO_COLOR") != "", env("CLICOLOR") == "0", env("TERM") == "dumb", runtime.GOOS == "windows":
		return format.Palette{}
	}
	return format.Colors
}

// formatFlag is -F.
type formatFlag string

func (f *formatFlag) String() string    { return string(*f) }
func (f *formatFlag) Type() string      { return "FORMAT" }
func (f *formatFlag) offered() []string { return format.Names }

// Set checks a format as far as that goes without the other flags.
func (f *formatFlag) Set(text string) error {
	if text == "" {
		return errors.New("want a format")
	}
	_, err := format.New(format.Options{Format: text})
	if wrong, ok := errors.AsType[*format.SpotError](err); ok {
		return errors.New(wrong.String() + "\n" + format.Tokens)
	}
	if err != nil {
		return errors.New(err.Error() + meant(nearest(text, format.Names)))
	}
	*f = formatFlag(text)
	return nil
}
