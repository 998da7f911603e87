package jsonl

import (
	"encoding/json"
	"strings"
	"testing"
)

// sonicValid is sonic.Valid where sonic compiles, for comparison.
var sonicValid func([]byte) bool

// benchRecords are records of 255 bytes.
var benchRecords = []struct{ name, rec string }{
	{"plain", padded(`{"ts":"2024-03-01T12:00:00.123Z","level":"info","service":"checkout","id":184467,` +
		`"user":{"id":4711,"name":"alice","admin":false},"amount":129.95,"items":[1,2,3,4],` +
		`"message":"order accepted and queued","pad":"`)},
	{"escapes", padded(`{"ts":"2024-03-01T12:00:00.123Z","level":"info","service":"check\tout","id":184467,` +
		`"user":{"id":4711,"name":"al\"ice","admin":false},"amount":129.95,"items":[1,2,3,4],` +
		`"message":"order \u00e9 accepted\nand queued","pad":"`)},
	{"utf8", padded(`{"ts":"2024-03-01T12:00:00.123Z","level":"info","service":"касса","id":184467,` +
		`"user":{"id":4711,"name":"Zoë","admin":false},"amount":129.95,"items":[1,2,3,4],` +
		`"message":"заказ принят 注文","pad":"`)},
}

func padded(rec string) string { return rec + strings.Repeat("x", 255-2-len(rec)) + `"}` }

func BenchmarkCheck(b *testing.B) {
	for _, r := range benchRecords {
		rec := []byte(r.rec)
		for _, c := range []struct {
			name  string
			check func([]byte) bool
		}{
			{"strict", func(d []byte) bool { return CheckStrict(d, 0) == nil }},
			{"frame", func(d []byte) bool { return CheckFrame(d, 0) == nil }},
			{"encoding-json", json.Valid},
			{"sonic", sonicValid},
		} {
			if c.check == nil {
				continue
			}
			b.Run(r.name+"/"+c.name, func(b *testing.B) {
				b.ReportAllocs()
				b.SetBytes(int64(len(rec)))
				for b.Loop() {
					if !c.check(rec) {
						b.Fatal("refused")
					}
				}
			})
		}
	}
}

func BenchmarkLook(b *testing.B) {
	rec := []byte(benchRecords[0].rec)
	for name, f := range map[string]func(){
		"Field":   func() { Field(rec, "level") },
		"Nested":  func() { Field(rec, "user", "name") },
		"Time":    func() { Time(rec, "") },
		"Compact": func() { Compact(make([]byte, 0, 255), rec) },
		"Indent":  func() { Indent(make([]byte, 0, 1024), rec, "  ") },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				f()
			}
		})
	}
}
