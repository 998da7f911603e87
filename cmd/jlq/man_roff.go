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
	w := roffWriter{b: b}
	for line := range strings.SplitSeq(strings.Trim(text, "\n"), "\n") {
		w.line(line)
	}
	w.end()
}

// roffWriter is within a paragraph, within lines that stay as they are, or
// within neither.
type roffWriter struct {
	b            *strings.Builder
	filled, kept bool
	begun        bool // there is something before
}

func (w *roffWriter) line(line string) {
	if line == "" {
		w.end()
		return
	}
	kept := line[0] == ' '
	if kept && !w.kept || !kept && !w.filled {
		w.begin(kept)
	}
	if kept {
		line = "  " + roff(strings.TrimPrefix(line, "  "))
	} else {
		line = roff(line)
	}
	w.b.WriteString(line + "\n")
}

// begin ends what is before and begins a paragraph, or lines that stay.
func (w *roffWriter) begin(kept bool) {
	w.end()
	if w.begun {
		w.b.WriteString(".PP\n")
	}
	if kept {
		w.b.WriteString(".nf\n")
	}
	w.filled, w.kept, w.begun = !kept, kept, true
}

func (w *roffWriter) end() {
	if w.kept {
		w.b.WriteString(".fi\n")
	}
	w.filled, w.kept = false, false
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
