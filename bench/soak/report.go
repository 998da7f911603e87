package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// render writes the section of the page.
func (r *run) render(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "## Soak\n\n%s\n\n| | |\n|---|---|\n", r.summary())
	for _, row := range r.rows() {
		fmt.Fprintf(&b, "| %s | %s |\n", row[0], row[1])
	}
	b.WriteString("\n| process | memory of its own: least | greatest | last | growth | with mapped files: greatest | descriptors: greatest | last |\n")
	b.WriteString("|---|---|---|---|---|---|---|---|\n")
	for _, p := range []*proc{r.writer, r.others[0], r.others[1]} {
		b.WriteString(p.row())
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (r *run) summary() string {
	return fmt.Sprintf("`go run ./bench/soak`: %s records of about 60 bytes under `--sync %s`, segments of %s, %s kept, "+
		"the writer killed %d times, two followers in its process, one follower and one random reader in processes of their own. "+
		"Every record that was acknowledged was there after each kill and came to each follower once and in order, unless retention had dropped it before; "+
		"none was lost, doubled or altered.",
		thousands(r.ledger.end), r.Sync, size(r.SegmentBytes), size(r.KeepBytes), r.tally.kills)
}

func (r *run) rows() [][2]string {
	t := &r.tally
	made, dropped := t.segments()
	busy := t.busy + t.life
	rows := [][2]string{
		{"time", fmt.Sprintf("%s, until all had read everything %s", seconds(t.took), seconds(t.read))},
		{"records per second", fmt.Sprintf("%s over all, %s while an append was under way", rate(r.ledger.end, t.read), rate(r.ledger.end, busy))},
		{"seed", fmt.Sprint(r.Seed)},
		{"segments", fmt.Sprintf("%d, %d of them dropped; the log begins at %s", made, dropped, thousands(t.start))},
		{"disk, greatest", size(t.maxDisk)},
		{"opening after a kill", fmt.Sprintf("%s, %d of %d had something to mend; the first, which creates, %s", spread(t.opens), t.recovered, t.kills, milliseconds(t.create))},
	}
	for k, at := range r.ledger.at {
		where := "in the writer's process"
		if k == followers-1 {
			where = "in its own"
		}
		rows = append(rows, [2]string{fmt.Sprintf("follower %d, %s", k+1, where),
			fmt.Sprintf("%s read, %s overtaken in %d times", thousands(at.Next-at.Overtaken), thousands(at.Overtaken), at.Jumps)})
	}
	return append(rows, [2]string{"random reader", fmt.Sprintf("%s reads, %s of them of a record dropped just before", thousands(t.reads), thousands(t.gone))})
}

// row is the line of a process.
func (p *proc) row() string {
	if len(p.trace) == 0 {
		return fmt.Sprintf("| %s | not sampled here | | | | | | |\n", p.name)
	}
	own, mapped, open := p.trace.of(anon), p.trace.of(all), p.trace.of(files)
	last := len(own) - 1
	return fmt.Sprintf("| %s | %s | %s | %s | %s | %s | %d | %d |\n", p.name,
		size(slices.Min(own)), size(slices.Max(own)), size(own[last]), size(growth(own)), size(slices.Max(mapped)),
		slices.Max(open), open[last])
}

func spread(times []time.Duration) string {
	if len(times) == 0 {
		return "none"
	}
	sorted := slices.Sorted(slices.Values(times))
	return fmt.Sprintf("%s (%s–%s)", milliseconds(sorted[len(sorted)/2]), milliseconds(sorted[0]), milliseconds(sorted[len(sorted)-1]))
}

func milliseconds(d time.Duration) string { return fmt.Sprintf("%.1f ms", d.Seconds()*1e3) }

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }

func rate(n uint64, d time.Duration) string { return thousands(uint64(float64(n) / d.Seconds())) }

func size(n int64) string { return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20)) }

// thousands groups the digits of v.
func thousands(v uint64) string {
	if v < 1000 {
		return fmt.Sprint(v)
	}
	return fmt.Sprintf("%s,%03d", thousands(v/1000), v%1000)
}
