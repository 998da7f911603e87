package main

import (
	"errors"

	"github.com/spf13/cobra"

	"example.com/jlq/internal/program"
)

// jqFlags are --jq and what goes with it.
type jqFlags struct {
	text  jqFlag
	plain bool // strings are printed as what they say
}

func (f *jqFlags) add(cmd *cobra.Command) {
	cmd.Flags().Var(&f.text, "jq", "print what the jq PROGRAM makes of each record, such as '{ts, msg}' or '.items[] | select(.n > 2)' (jlq help jq)")
	cmd.Flags().BoolVar(&f.plain, "raw-output", false, "with --jq: print a result that is a string as what it says, without quotes and escapes")
}

// jqFlag is --jq.
type jqFlag string

func (f *jqFlag) String() string { return string(*f) }
func (f *jqFlag) Type() string   { return "PROGRAM" }

func (f *jqFlag) Set(text string) error {
	if text == "" {
		return errors.New("want a program; . is the whole record")
	}
	*f = jqFlag(text)
	return nil
}

// compileProgram compiles a program; what is wrong with one is shown with the
// place.
func compileProgram(text string) (*program.Program, error) {
	p, err := program.Compile(text)
	if wrong, ok := errors.AsType[*program.Error](err); ok {
		return nil, &codeError{exitFilter, &usageError{errors.New(wrong.String()), "jlq help jq shows what programs may do"}}
	}
	return p, err
}

// compiled is the program; nil where there is none.
func (f *jqFlags) compiled(format *formatFlags) (*program.Program, error) {
	switch {
	case f.text == "" && f.plain:
		return nil, errors.New("--raw-output belongs to --jq")
	case f.text == "":
		return nil, nil
	case f.plain && format.format != "" && format.format != "raw":
		return nil, errors.New("--raw-output goes with -F raw: other formats print JSON")
	}
	if f.plain {
		format.format = "raw" // nothing else, not on a terminal either
	}
	return compileProgram(string(f.text))
}

// checked is compiled, with a hint about flags that do not go together.
func (f *jqFlags) checked(cmd *cobra.Command, format *formatFlags) (*program.Program, error) {
	p, err := f.compiled(format)
	if err != nil && exitCode(err) == exitUsage {
		err = &usageError{err, seeHelp(cmd)}
	}
	return p, err
}

// runner runs the program on one record after the other; nil where there is none.
func (f *jqFlags) runner(cmd *cobra.Command, format *formatFlags) (*program.Runner, error) {
	p, err := f.checked(cmd, format)
	if err != nil || p == nil {
		return nil, err
	}
	r := p.Runner()
	r.Raw = f.plain
	return r, nil
}

// apply lets a view print what the program makes of its records.
func (f *jqFlags) apply(cmd *cobra.Command, v *view) error {
	p, err := f.checked(cmd, &v.format)
	if err != nil || p == nil {
		return err
	}
	if v.where == nil {
		v.where = v.app.everything(cmd, v.name)
	}
	v.where.jq = &jqRun{app: v.app, where: v.where, program: p, plain: f.plain}
	return nil
}
