package filter

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
)

// sampleBlock is some 256 KiB of log lines, as a service writes them.
func sampleBlock() (block []byte) {
	src := rand.New(rand.NewPCG(1, 2))
	levels := []string{"debug", "info", "info", "info", "info", "info", "warn", "error"}
	words := []string{"request", "completed", "after", "retry", "of", "upstream", "connection", "pool", "cache", "miss"}
	for len(block) < 256<<10 {
		block = fmt.Appendf(block, `{"ts":"2026-01-01T00:%02d:00.%06dZ","level":"%s","msg":"`, src.IntN(60), src.IntN(1e6), levels[src.IntN(8)])
		for range 15 {
			block = append(append(block, words[src.IntN(len(words))]...), ' ')
		}
		if src.IntN(64) == 0 {
			block = append(block, `\"no\"`...)
		}
		block = fmt.Appendf(block, `","user":{"id":%d,"name":"alice"},"amount":%d.%02d,"trace":"%016x"}`+"\n", src.IntN(1e6), src.IntN(1000), src.IntN(100), src.Uint64())
	}
	return block
}

func BenchmarkSelect(b *testing.B) {
	block := sampleBlock()
	records := bytes.Count(block, []byte("\n"))
	for _, expr := range []string{`true`, `.level == "error"`, `.amount > 990`, `.level == "error" && .user.id > 100`, `.level in ["error", "warn"]`, `.msg =~ "^cache"`, `.ts >= @2026-01-01T00:30:00Z`} {
		f := compile(b, expr)
		for _, checked := range []bool{true, false} {
			b.Run(fmt.Sprintf("%s/checked=%v", expr, checked), func(b *testing.B) {
				b.SetBytes(int64(len(block)))
				b.ReportAllocs()
				var dst []byte
				for b.Loop() {
					dst, _, _ = f.Select(dst[:0], nil, block, checked)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*records), "ns/record")
			})
		}
	}
}
