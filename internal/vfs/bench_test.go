package vfs

import (
	"os"
	"path/filepath"
	"testing"
)

func BenchmarkStat(b *testing.B) {
	name := filepath.Join(b.TempDir(), "f")
	f, err := OS.Open(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	b.Run("name", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			OS.Lstat(name)
		}
	})
	b.Run("file", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			f.Stat()
		}
	})
	b.Run("os", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			os.Lstat(name)
		}
	})
}
