package main

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"
)

// fieldFlag names a field of records, such as customer or user.id. Filters write
// a dot in front (.customer), which says the same here.
type fieldFlag string

func (f *fieldFlag) String() string { return string(*f) }
func (f *fieldFlag) Type() string   { return "FIELD" }

func (f *fieldFlag) Set(text string) error {
	text = strings.TrimPrefix(text, ".")
	if text == "" {
		return errors.New("want the name of a field, such as customer or user.id")
	}
	*f = fieldFlag(text)
	return nil
}

func (f *fieldFlag) add(cmd *cobra.Command, name, usage string) {
	cmd.Flags().Var(f, name, usage)
}
