package program

import (
	"fmt"
	"strings"
	"testing"
)

// benchRecord is one of 235 bytes, as services write them.
func benchRecord(i int) []byte {
	level := []string{"info", "error", "warn", "debug"}[i%4]
	rec := fmt.Sprintf(`{"ts":"2026-11-30T10:00:%02dZ","level":%q,"msg":"payment done","user":{"id":%d,"name":"u%d"},"amount":%d.50,"tags":["a","b"],"ok":true,"pad":"`, i%60, level, i, i, i%1000)
	return []byte(rec + strings.Repeat("x", 235-2-len(rec)) + `"}`)
}

func BenchmarkRun(b *testing.B) {
	records := make([][]byte, 1024)
	for i := range records {
		records[i] = benchRecord(i)
	}
	for _, text := range []string{`.`, `.msg`, `select(.level == "error")`, `{ts, id: .user.id, amount}`, `.amount *= 2`} {
		b.Run(text, func(b *testing.B) {
			r := compile(b, text).Runner()
			b.SetBytes(235)
			b.ReportAllocs()
			for i := range b.N {
				if err := r.Run(b.Context(), Record{Data: records[i%1024]}, func([]byte) bool { return true }); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
