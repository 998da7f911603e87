package partition

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/segment"
	"example.com/jlq/internal/vfs"
)

// TestStates opens every log of testdata/states, which shows what something
// left on the disk, and compares what comes of it with what stands there:
//
//	then read      what a reader gets, which writes nothing
//	then verify    what Verify finds
//	then open      what opening for appending reports, or why it refuses
//	then FILE      the files that are different afterwards
//	then verify again   what Verify finds then, where it is anything
//
// A second opening reports nothing, and the next append gets the next offset.
// With -update, what comes of it is written down.
func TestStates(t *testing.T) {
	names, err := filepath.Glob(filepath.Join("testdata", "states", "*.txtar"))
	require.NoError(t, err)
	require.NotEmpty(t, names)
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			about, files, want := readFixture(t, name)
			var got map[string]string
			synctest.Test(t, func(t *testing.T) { got = outcome(t, files) }) // verify waits, for a writer that may be at work
			if *update {
				writeFixture(t, name, about, files, got)
				return
			}
			require.NotEmpty(t, about, "a fixture says what happened and what is promised")
			require.Equal(t, want, got)
		})
	}
}

func writeFixture(t *testing.T, name, about string, files, got map[string]string) {
	archive := &txtar.Archive{Comment: []byte(about)}
	add := func(name, content string) {
		archive.Files = append(archive.Files, txtar.File{Name: name, Data: []byte(content)})
	}
	for _, file := range slices.Sorted(maps.Keys(files)) {
		add(file, showFile(file, files[file]))
	}
	for _, what := range []string{"read", "verify", "open"} {
		add("then "+what, got[what])
		delete(got, what)
	}
	for _, what := range slices.Sorted(maps.Keys(got)) {
		add("then "+what, got[what])
	}
	require.NoError(t, os.WriteFile(name, txtar.Format(archive), 0o644))
}

// logOf is the log that a fixture's files make: a bare file where there is one
// of that name.
func logOf(files map[string]string) string {
	if _, bare := files["app.jsonl"]; bare {
		return "p/app.jsonl"
	}
	return "p"
}

// outcome does with a log what its users do.
func outcome(t *testing.T, files map[string]string) map[string]string {
	fsys, log := vfs.NewMem(), logOf(files)
	put(t, fsys, files)
	got := map[string]string{}
	got["read"] = readState(t, fsys, log)
	got["verify"] = verifyState(t, fsys, log)
	require.Equal(t, files, taken(t, fsys), "reading changes nothing")

	report, err := openState(fsys, log)
	got["open"] = report
	if err != nil {
		require.Equal(t, files, taken(t, fsys), "a log that is refused is not changed")
		again, err := openState(fsys, log)
		require.Error(t, err)
		require.Equal(t, report, again, "no lock is left")
		return got
	}
	after := taken(t, fsys)
	again, err := openState(fsys, log)
	require.NoError(t, err)
	require.Equal(t, after, taken(t, fsys), "a second opening changes nothing")
	require.Equal(t, lastLine(report), again, "a second opening reports nothing")
	for name, content := range files {
		if _, stays := after[name]; !stays {
			got[name] = gone(t, files, name, content)
		}
	}
	for name, content := range after {
		if before, ok := files[name]; !ok || before != content {
			got[name] = showFile(name, content)
		}
	}
	appendState(t, fsys, log, report)
	if found := verifyState(t, fsys, log); found != "" {
		got["verify again"] = found
	}
	return got
}

// gone is what a fixture shows of a file that goes away: one without records
// that a roll left, or one below the start of the log.
func gone(t *testing.T, files map[string]string, name, content string) string {
	base, _, ok := segment.ParseName(name)
	require.True(t, ok, "%s goes away", name)
	var meta segment.Meta
	if strings.Trim(content, "\x00") != "" {
		require.NoError(t, json.Unmarshal([]byte(files[segment.MetaName]), &meta))
		require.Less(t, base, meta.Start, "%s goes away", name)
	}
	return "removed\n"
}

// readState is what a reader gets up to the first error.
func readState(t *testing.T, fsys vfs.FS, log string) string {
	counted := vfs.NewFault(fsys, nil)
	p, err := OpenReader(log, &Options{FS: counted})
	if err != nil {
		return fmt.Sprintf("refused: %v\n", err)
	}
	var b strings.Builder
	start, next := p.Bounds()
	fmt.Fprintf(&b, "bounds %d to %d\n", start, next)
	for rec, err := range p.Records(start) {
		if err != nil {
			fmt.Fprintf(&b, "error: %v\n", err)
			break
		}
		fmt.Fprintf(&b, "%d %s", rec.Offset, lineEnd(showRecords(string(rec.Data))))
	}
	require.NoError(t, p.Close())
	for _, op := range counted.Ops() {
		require.False(t, op.Kind.Changes() && op.Kind != vfs.OpOpen || op.Kind == vfs.OpLock, "reading does %v", op)
	}
	return b.String()
}

// verifyState is what Verify finds, by numbers: the words are for people.
func verifyState(t *testing.T, fsys vfs.FS, log string) string {
	p, err := OpenReader(log, &Options{FS: fsys})
	if err != nil {
		return fmt.Sprintf("refused: %v\n", err)
	}
	defer func() { require.NoError(t, p.Close()) }()
	var b strings.Builder
	for found, err := range p.Verify(t.Context()) {
		require.NoError(t, err)
		require.NotEmpty(t, found.Reason)
		fmt.Fprintf(&b, "%s: offset %d, %d records, position %d, %d bytes", found.Kind, found.Offset, found.Records, found.Position, found.Length)
		if found.Note {
			b.WriteString(" (a note)")
		}
		b.WriteString("\n")
	}
	return b.String()
}

// openState opens and closes the log, and returns what that reported.
func openState(fsys vfs.FS, log string) (string, error) {
	p, err := Open(log, &Options{FS: fsys})
	if err != nil {
		return fmt.Sprintf("refused: %v\n", err), err
	}
	_, next := p.Bounds()
	lines := append(p.Recovery().Lines(), fmt.Sprintf("the next offset is %d\n", next))
	return strings.Join(lines, "\n"), p.Close()
}

func lastLine(report string) string {
	lines := strings.SplitAfter(strings.TrimSuffix(report, "\n"), "\n")
	return lines[len(lines)-1] + "\n"
}

// appendState: all records that are there can be read, and the next append
// gets the offset behind them.
func appendState(t *testing.T, fsys vfs.FS, log, report string) {
	p, err := Open(log, &Options{FS: fsys})
	require.NoError(t, err)
	whole := allThere(t, p)
	var before []string
	if whole {
		before = records(t, p)
	}
	offset, err := p.Append([]byte(`"appended"`))
	require.NoError(t, err)
	require.Equal(t, fmt.Sprintf("the next offset is %d\n", offset), lastLine(report))
	if whole {
		require.Equal(t, append(before, `"appended"`), records(t, p))
	}
	data, err := p.Get(offset)
	require.NoError(t, err)
	require.Equal(t, `"appended"`, string(data))
	require.NoError(t, p.Close())
}

// allThere reports whether nothing is wrong with sealed segments, which does not
// keep a log from being appended to.
func allThere(t *testing.T, p *Partition) bool {
	start, _ := p.Bounds()
	for _, err := range p.Records(start) {
		if err == nil {
			continue
		}
		_, away := errors.AsType[*SegmentAwayError](err)
		require.True(t, away || errors.Is(err, ErrIndexMismatch), "%v", err)
		return false
	}
	return true
}

// records are all that there are, each under the offset it should have.
func records(t *testing.T, p *Partition) []string {
	start, next := p.Bounds()
	out := read(t, p, start)
	require.Len(t, out, int(next-start))
	_, err := p.Reader(next).Next()
	require.True(t, errors.Is(err, io.EOF), "%v", err)
	return out
}
