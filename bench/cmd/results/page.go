package main

import (
	"fmt"
	"io"
	"math"
	"strings"
	"time"
)

// page is everything that is written.
type page struct {
	config  config
	machine machine
	start   time.Time
	loadEnd string
	samples *samples
	soak    string // the section of bench/soak, if it ran
}

// render writes the page as Markdown.
func (p page) render(w io.Writer) error {
	var b strings.Builder
	p.head(&b)
	p.targets(&b)
	for _, workload := range workloads {
		for _, part := range workload.parts {
			p.part(&b, part)
		}
	}
	if p.soak != "" {
		b.WriteString("\n" + p.soak)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (p page) head(b *strings.Builder) {
	fmt.Fprintf(b, `# Results

Written by `+"`%s`"+`, not by hand. README.md in this directory says what the rows mean.

Medians of %d rounds, the least and the greatest round in brackets. In a round all contestants of a workload run one after
the other, the median of %d iterations counting; ratios are taken within each round.

| | |
|---|---|
`, p.config.command, p.config.rounds, p.config.iterations)
	m := p.machine
	for _, row := range [][2]string{
		{"date", p.start.UTC().Format("2006-01-02 15:04 UTC")},
		{"commit", m.commit},
		{"cpu", fmt.Sprintf("%s, %d cores", m.cpu, m.cores)},
		{"kernel", m.kernel},
		{"file system", m.fileSystem},
		{"go", m.version},
		{"load average", fmt.Sprintf("%s before, %s after", m.load, p.loadEnd)},
	} {
		fmt.Fprintf(b, "| %s | %s |\n", row[0], row[1])
	}
}

func (p page) targets(b *strings.Builder) {
	b.WriteString(`
## Targets

Absolute times are those of the reference machine; on another one the ratio counts. The floor is what the bare system calls
or the bare memory came to in the same rounds.

| work | target | measured | | floor |
|---|---|---|---|---|
`)
	for _, t := range targets {
		measured := t.measured(p.samples)
		if len(measured) == 0 {
			fmt.Fprintf(b, "| %s | %s | not run | | |\n", t.work, t.goal())
			continue
		}
		verdict := "**not met**"
		if t.met(measured) {
			verdict = "met"
		}
		row(b, []string{t.work, t.goal(), spread(measured), verdict, spread(t.lowest(p.samples))})
	}
}

func (p page) part(b *strings.Builder, part part) {
	names := p.samples.contestants(part.prefix, part.unit)
	if len(names) == 0 {
		return
	}
	fmt.Fprintf(b, "\n## %s\n\n", part.title)
	if part.text != "" {
		fmt.Fprintf(b, "%s\n\n", part.text)
	}
	columns := part.columns(p.samples)
	row(b, titles(columns))
	b.WriteString(strings.Repeat("|---", len(columns)) + "|\n")
	unfair := false
	for _, name := range names {
		cells := make([]string, len(columns))
		for i, c := range columns {
			cells[i] = c.cell(p.samples, name)
		}
		unfair = unfair || part.terms[name].unfair
		row(b, cells)
	}
	if unfair {
		b.WriteString("\n† Not the same work: see the note.\n")
	}
}

// column is one of a table: what stands above it, and in it.
type column struct {
	title string
	cell  func(s *samples, name string) string
}

func titles(columns []column) (out []string) {
	for _, c := range columns {
		out = append(out, c.title)
	}
	return out
}

func (part part) columns(s *samples) []column {
	figure := func(name, unit string) key { return key{part.prefix + "/" + name, unit} }
	of := func(unit string) func(*samples, string) string {
		return func(s *samples, name string) string { return spread(s.of(figure(name, unit))) }
	}
	columns := []column{{"contestant", func(_ *samples, name string) string { return part.mark(name) }}, {part.unit, of(part.unit)}}
	for _, base := range part.bases {
		columns = append(columns, column{"× " + base, func(s *samples, name string) string {
			return number(s.ratio(figure(name, part.unit), figure(base, part.unit)).median())
		}})
	}
	for _, unit := range part.also {
		columns = append(columns, column{unit, of(unit)})
	}
	if len(part.also) == 0 || len(s.contestants(part.prefix, "allocs/rec")) == len(s.contestants(part.prefix, part.unit)) {
		columns = append(columns, column{"allocs/rec", func(s *samples, name string) string {
			return number(s.of(figure(name, "allocs/rec")).median())
		}})
	}
	if part.beside {
		columns = append(columns, column{"create ms", of("setup-ms")}, column{"close ms", of("close-ms")},
			column{"survives", func(_ *samples, name string) string { return part.terms[name].durable }},
			column{"visible to", func(_ *samples, name string) string { return part.terms[name].visible }})
	}
	return append(columns, column{"note", func(_ *samples, name string) string { return part.terms[name].note }})
}

// mark returns the name as the table shows it.
func (part part) mark(name string) string {
	if part.terms[name].unfair {
		return name + " †"
	}
	return name
}

func row(b *strings.Builder, cells []string) {
	b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
}

// spread is the median with the least and the greatest: "26.9 (26.1–31.0)".
func spread(s series) string {
	if len(s) == 0 {
		return ""
	}
	least, greatest := s.spread()
	return fmt.Sprintf("%s (%s–%s)", number(s.median()), number(least), number(greatest))
}

// number prints three significant digits, and no fractions of what is large.
func number(v float64) string {
	switch a := math.Abs(v); {
	case a == 0:
		return "0"
	case a < 0.0005:
		return "< 0.001"
	case a < 1:
		return fmt.Sprintf("%.3f", v)
	case a < 10:
		return fmt.Sprintf("%.2f", v)
	case a < 100:
		return fmt.Sprintf("%.1f", v)
	default:
		return thousands(int64(math.Round(v)))
	}
}

// thousands groups the digits of v, which is not negative.
func thousands(v int64) string {
	if v < 1000 {
		return fmt.Sprint(v)
	}
	return fmt.Sprintf("%s,%03d", thousands(v/1000), v%1000)
}
