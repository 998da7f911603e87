package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// roff escapes text for a line of a manual page: what would be a request or an
// escape there is a letter, and what is not ASCII is named by its number.
func roff(text string) string {
	var b strings.Builder
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		b.WriteString(`\&`)
	}
	for _, r := range text {
		switch {
		case r == '\\':
			b.WriteString(`\e`)
		case r == '-':
			b.WriteString(`\-`)
		case r == '"':
			b.WriteString(`\(dq`)
		case r == '\'':
			b.WriteString(`\(aq`)
		case r == '^':
			b.WriteString(`\(ha`)
		case r == '~':
			b.WriteString(`\(ti`)
		case r == '`':
			b.WriteString(`\(ga`)
		case r > 0x7e:
			fmt.Fprintf(&b, `\[u%04X]`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// roffText writes paragraphs, which are filled, and indented tables and examples,
// which stay as they are.
func roffText(b *strings.Builder, text string) {
	const (
		nothing = iota
		filled
		kept
	)
	state, first := nothing, true
	for line := range strings.SplitSeq(strings.Trim(text, "\n"), "\n") {
		want := filled
		switch {
		case line == "":
			if state == kept {
				b.WriteString(".fi\n")
			}
			state = nothing
			continue
		case line[0] == ' ':
			want = kept
		}
		if state != want {
			if state == kept {
				b.WriteString(".fi\n")
			}
			if !first {
				b.WriteString(".PP\n")
			}
			if want == kept {
				b.WriteString(".nf\n")
			}
		}
		state, first = want, false
		if want == kept {
			b.WriteString("  " + roff(strings.TrimPrefix(line, "  ")) + "\n")
			continue
		}
		b.WriteString(roff(line) + "\n")
	}
	if state == kept {
		b.WriteString(".fi\n")
	}
}

// roffFlags writes the flags of a command, in the sections of its help.
func roffFlags(b *strings.Builder, cmd *cobra.Command) {
	cmd.InitDefaultHelpFlag()
	used := flagSections(cmd)
	b.WriteString(".SH OPTIONS\n")
	for _, s := range used {
		if len(used) > 1 {
			b.WriteString(".SS " + s.title + "\n")
		}
		s.flags.VisitAll(func(f *pflag.Flag) {
			if f.Hidden {
				return
			}
			kind, usage := pflag.UnquoteUsage(f)
			names := `\fB\-\-` + roff(f.Name) + `\fR`
			if f.Shorthand != "" {
				names = `\fB\-` + f.Shorthand + `\fR, ` + names
			}
			if kind != "" {
				names += ` \fI` + roff(kind) + `\fR`
			}
			fmt.Fprintf(b, ".TP\n%s\n%s\n", names, roff(usage+defaultText(f, usage)))
		})
	}
}

// defaultText says what a flag is when it is not given, where its usage does not.
func defaultText(f *pflag.Flag, usage string) string {
	switch {
	case f.DefValue == "" || f.DefValue == "false" || f.DefValue == "[]" || f.DefValue == "0":
		return ""
	case strings.Contains(usage, "(default"):
		return ""
	}
	return " (default " + f.DefValue + ")"
}
