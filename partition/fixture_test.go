package partition

import (
	"fmt"
	"os"
	"path"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"example.com/jlq/index"
	"example.com/jlq/internal/vfs"
)

// A fixture shows the bytes of a log's files so that people can read them.
// In a records file ⏎ is a newline and the line breaks mean nothing, ␀ is a
// NUL and ␀×40 forty of them, ␍ a carriage return, ⟨bom⟩ a byte order mark and
// ⟨ff⟩ the byte 0xff. An index is its entries as numbers, 0×40 forty zeros,
// and +0000 two bytes behind the last whole entry.

const bomBytes = "\ufeff"

// showFile is the fixture of a file.
func showFile(name, content string) string {
	if strings.HasSuffix(name, ".index") {
		return showIndex(content)
	}
	if strings.HasSuffix(name, ".json") {
		return strings.ReplaceAll(content, "\x00", "␀")
	}
	return showRecords(content)
}

func showRecords(content string) string {
	var b strings.Builder
	for i := 0; i < len(content); {
		rest := content[i:]
		if nuls := len(rest) - len(strings.TrimLeft(rest, "\x00")); nuls > 0 {
			b.WriteString("␀" + times(nuls))
			i += nuls
			continue
		}
		if strings.HasPrefix(rest, bomBytes) {
			b.WriteString("⟨bom⟩")
			i += len(bomBytes)
			continue
		}
		switch c := content[i]; {
		case c == '\n':
			b.WriteString("⏎\n")
		case c == '\r':
			b.WriteString("␍")
		case c < ' ' || c > '~':
			fmt.Fprintf(&b, "⟨%02x⟩", c)
		default:
			b.WriteByte(c)
		}
		i++
	}
	return lineEnd(b.String())
}

func times(n int) string {
	if n == 1 {
		return ""
	}
	return fmt.Sprintf("×%d", n)
}

func lineEnd(s string) string {
	if s == "" || strings.HasSuffix(s, "\n") {
		return s
	}
	return s + "\n"
}

func showIndex(content string) string {
	var words []string
	whole := len(content) / index.EntrySize * index.EntrySize
	for i := 0; i < whole; {
		n := 1
		for i > 0 && i+(n+1)*8 <= whole && content[i:i+n*8+8] == strings.Repeat("\x00", n*8+8) {
			n++
		}
		words = append(words, fmt.Sprint(beUint64(content[i:]))+times(n))
		i += n * index.EntrySize
	}
	if whole < len(content) {
		words = append(words, fmt.Sprintf("+%x", content[whole:]))
	}
	return lineEnd(strings.Join(words, " "))
}

func beUint64(s string) (v uint64) {
	for i := range index.EntrySize {
		v = v<<8 | uint64(s[i])
	}
	return v
}

// parseFile is the inverse of showFile.
func parseFile(t testing.TB, name, shown string) string {
	if strings.HasSuffix(name, ".index") {
		return parseIndex(t, shown)
	}
	if strings.HasSuffix(name, ".json") {
		return strings.ReplaceAll(shown, "␀", "\x00")
	}
	return parseRecords(t, shown)
}

var (
	nulRun  = regexp.MustCompile(`␀×(\d+)`)
	hexByte = regexp.MustCompile(`⟨([0-9a-f]{2})⟩`)
	marks   = strings.NewReplacer("\n", "", "⏎", "\n", "␍", "\r", "␀", "\x00", "⟨bom⟩", bomBytes)
)

func parseRecords(t testing.TB, shown string) string {
	shown = nulRun.ReplaceAllStringFunc(shown, func(s string) string {
		n, err := strconv.Atoi(nulRun.FindStringSubmatch(s)[1])
		require.NoError(t, err)
		return strings.Repeat("␀", n)
	})
	return hexByte.ReplaceAllStringFunc(marks.Replace(shown), func(s string) string {
		v, err := strconv.ParseUint(hexByte.FindStringSubmatch(s)[1], 16, 8)
		require.NoError(t, err)
		return string([]byte{byte(v)})
	})
}

func parseIndex(t testing.TB, shown string) string {
	var b []byte
	for word := range strings.FieldsSeq(shown) {
		if rest, ok := strings.CutPrefix(word, "+"); ok {
			var partial []byte
			_, err := fmt.Sscanf(rest, "%x", &partial)
			require.NoError(t, err)
			b = append(b, partial...)
			continue
		}
		number, count, repeated := strings.Cut(word, "×")
		n := 1
		if repeated {
			var err error
			n, err = strconv.Atoi(count)
			require.NoError(t, err)
		}
		v, err := strconv.ParseUint(number, 10, 64)
		require.NoError(t, err)
		for range n {
			b = index.AppendEntry(b, int64(v))
		}
	}
	return string(b)
}

// TestFixture: what a fixture shows is what it means.
func TestFixture(t *testing.T) {
	for name, content := range map[string]string{
		"a.jsonl": bomBytes + "{}\r\n\x00\n" + strings.Repeat("\x00", 40) + "é\xff\n\n{",
		"a.index": "\x00\x00\x00\x00\x00\x00\x00\x00" + strings.Repeat("\x00", 24) + "\x80\x00\x00\x00\x00\x00\x00\x01\x00\x07",
		"a.json":  "{\"format\":1}\n\x00",
		"b.index": "\x00",
		"b.jsonl": "",
	} {
		require.Equal(t, content, parseFile(t, name, showFile(name, content)), name)
	}
	require.Equal(t, "⟨bom⟩{}␍⏎\n␀⏎\n", showFile("x.jsonl", bomBytes+"{}\r\n\x00\n"))
	require.Equal(t, "0 8 0×3 +0007\n", showFile("x.index", parseFile(t, "x.index", "0 8 0×3 +0007\n")))
}

// readFixture reads a fixture and returns its files and its outcome, the
// sections whose names begin with "then ".
func readFixture(t testing.TB, name string) (about string, files, then map[string]string) {
	data, err := os.ReadFile(name)
	require.NoError(t, err)
	files, then = map[string]string{}, map[string]string{}
	archive := txtar.Parse(data)
	for _, f := range archive.Files {
		if what, ok := strings.CutPrefix(f.Name, "then "); ok {
			then[what] = string(f.Data)
		} else {
			files[f.Name] = parseFile(t, f.Name, string(f.Data))
		}
	}
	return string(archive.Comment), files, then
}

// put writes the files of a fixture into the directory p.
func put(t testing.TB, fsys vfs.FS, files map[string]string) {
	require.NoError(t, fsys.Mkdir("p", 0o700))
	for name, content := range files {
		require.NoError(t, vfs.ReplaceFile(fsys, path.Join("p", name), []byte(content), 0o600))
	}
	require.NoError(t, fsys.SyncDir("."))
}

// taken is what lies in the directory p.
func taken(t testing.TB, fsys vfs.FS) map[string]string {
	names, err := fsys.List("p")
	require.NoError(t, err)
	files := map[string]string{}
	for _, name := range names {
		data, err := vfs.ReadFile(fsys, path.Join("p", name), 1<<30)
		require.NoError(t, err)
		files[name] = string(data)
	}
	return files
}
