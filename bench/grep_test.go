package bench

import (
	"crypto/sha256"
	"os/exec"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// greps are searches that jlq and ripgrep take alike. The records are those of
// JSON: one in eight is an error, and trace is a random number.
var greps = []struct {
	name string
	args []string
}{
	{"rare", []string{`"id":774526,`}},
	{"frequent", []string{`"level":"error"`}},
	{"case", []string{"-i", "GATEWAY PAYMENT"}},
	{"count", []string{"-c", `"level":"error"`}},
	{"invert", []string{"-v", `"level":"info"`}},
	{"regexp-text", []string{`"level":"(error|warn)".*frank`}},
	{"regexp", []string{`[0-9]{5}f[0-9]{3}`}},
}

// BenchmarkGrep runs the built command, its start included, on a log of 256 MB,
// and ripgrep on its records file.
func BenchmarkGrep(b *testing.B) {
	dir := fixture(b, JSON(ManyRecords))
	jlq := buildJLQ(b)
	rg, missing := exec.LookPath("rg")
	for _, g := range greps {
		if missing == nil {
			requireSame(b, append(append([]string{rg}, g.args...), RecordsPath(dir)), append(append([]string{jlq, "grep"}, g.args...), dir))
		}
		b.Run(g.name+"/rg", func(b *testing.B) {
			if missing != nil {
				b.Skip(missing)
			}
			runJLQ(b, rg, append(slices.Clone(g.args), RecordsPath(dir)), nil)
		})
		b.Run(g.name+"/jlq", func(b *testing.B) { runJLQ(b, jlq, append(append([]string{"grep"}, g.args...), dir), nil) })
		b.Run(g.name+"/jlq-bare", func(b *testing.B) {
			runJLQ(b, jlq, append(append([]string{"grep"}, g.args...), RecordsPath(dir)), nil)
		})
	}
}

// requireSame compares what two commands print: who is measured must find the
// same.
func requireSame(b *testing.B, one, other []string) {
	b.Helper()
	var sums [2][]byte
	for i, args := range [][]string{one, other} {
		sum := sha256.New()
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Stdout = sum
		require.NoError(b, cmd.Run())
		sums[i] = sum.Sum(nil)
	}
	require.Equal(b, sums[0], sums[1], "%q and %q", one, other)
}
