package main

import (
	"errors"
	"os"

	"github.com/spf13/cobra"

	"example.com/jlq/internal/filter"
)

const filterLong = `filter prints the records of a log, or of a range of it, that EXPR is true of, as
they are stored and in their order; on all cores. cat, head, tail and count take the
same expression as --where.

  .user.id  .a[0]  .a[-1]  ."odd key"  .     a field, an element, the whole record
  == != < <= > >=                            of fields, numbers, "strings", true, false, null
  .ts >= @-3h   .ts < @2026-11-30T10:00:00Z  times: fields that hold one; TIME as in jlq help
  .level in ["error", "warn"]                equal to one of them
  .msg =~ "^time(d )?out"                    a regular expression (RE2); \ is written \\
  exists(.a)                                 it is there, also when it is null
  startswith(.s, "x") endswith(.s, "x") contains(.s, "x")
  && || ! ( )                                and, or also as words; ! binds tightest
  .a                                         alone: neither false nor null

Values compare as in jq (null < false < true < numbers < strings < arrays < objects, a
field that is missing as null), but numbers exactly, however long: 9007199254740993 is
not 9007199254740992. So .ms < 5 is true where ms is missing; exists(.ms) && .ms < 5 is not.
Strings compare by what they stand for: "A" is "\u0041".

Lines that are not JSON, or larger than may be read (--max-record), are left out,
counted, and make the exit code 4; with --on-bad skip it stays 0, with --on-bad fail the
first ends it. In a bare file every line is checked. Records of a partition were checked
when they were stored, unless its writer was told not to: of these, damage is noticed
only where the filter looks.

Exit code 1 says that nothing matched, 3 that EXPR does not compile.`

func (a *app) filterCmd() *cobra.Command {
	c := newCat(a)
	cmd := &cobra.Command{
		Use:        "filter LOG EXPR",
		SuggestFor: []string{"where", "select"},
		Short:      "print the records that an expression is true of",
		Long:       filterLong,
		Example: `  jlq filter app.jsonl '.level == "error" && .user.id > 100'
  jlq filter -o @-3h -n 10 orders '.total >= 1000 || .items[0] == "lamp"'`,
		Args: wantArgs(2, 2, "a LOG and an EXPR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if args[1] == "" {
				_, err := compileFilter("")
				return err
			}
			if swapped(args[0], args[1]) {
				return &usageError{err: errors.New("filter: the LOG comes before the EXPR"), hint: "jlq filter " + args[1] + " EXPR"}
			}
			c.expr = whereFlag(args[1])
			return c.show(cmd, &c.viewFlags, args[0], c)
		},
	}
	c.add(cmd)
	return cmd
}

// swapped reports whether what stands in the place of the expression is a log,
// and no expression, and what stands in the place of the log is none.
func swapped(path, expr string) bool {
	if _, err := filter.Compile(expr); err == nil {
		return false
	}
	_, log := os.Lstat(expr)
	_, none := os.Lstat(path)
	return log == nil && none != nil
}
