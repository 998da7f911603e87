package reader

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"example.com/jlq/internal/jsonl"
	"example.com/jlq/internal/segment"
	"example.com/jlq/internal/vfs"
)

// FuzzLog opens arbitrary bytes as records and index, in a partition and as a
// bare file. Nothing panics, no record has a newline in it or is not a whole
// line of the file, and every error is of a kind that callers know.
func FuzzLog(f *testing.F) {
	for _, records := range [][]string{nil, {""}, {"a"}, numbered(0, 20), {"\xef\xbb\xbf{}", "", "\r"}} {
		f.Add(text(records...), entries(text(records...)))
		f.Add(text(records...), entries(text(records...))[:8])
	}
	f.Add([]byte("a\nb\n{}"), setEntry(entries(text("a", "b")), 1, 3))
	f.Add([]byte("a\nb\n"), setEntry(entries(text("a", "b")), 2, 1<<40))
	f.Fuzz(func(t *testing.T, records, idx []byte) {
		mem := vfs.NewMem()
		if err := mem.Mkdir("/log", 0o700); err != nil {
			t.Fatal(err)
		}
		d := disk{mem, "/log"}
		d.write(t, recordsName, records)
		d.write(t, indexName, idx)
		d.write(t, "app.jsonl", records)
		d.write(t, "app.jsonl.index", idx)
		checkAny(t, d.open(t, "", Options{MaxRecordBytes: 1 << 10}), records)
		checkAny(t, d.open(t, "app.jsonl", Options{MaxRecordBytes: 1 << 10}), records)
	})
}

// checkAny reads a log in all directions.
func checkAny(t *testing.T, log *Log, records []byte) {
	r := log.Reader(0)
	for range 200 {
		rec, err := r.Next()
		if err == io.EOF {
			break
		}
		checkOne(t, records, rec, err)
		if err != nil && r.Skip() != nil {
			break
		}
	}
	for _, seq := range []func(func(Record, error) bool){
		log.Records(0), log.Range(1, 50), log.Backward(UnknownOffset), log.Tail(5).Records(),
	} {
		for rec, err := range seq {
			checkOne(t, records, rec, err)
		}
	}
	for offset := range uint64(5) {
		data, err := log.Get(offset)
		if err == nil && bytes.IndexByte(data, '\n') >= 0 {
			t.Fatalf("record %d is %q", offset, data)
		}
		checkKind(t, err)
	}
	_, _, err := log.Bounds(t.Context())
	checkKind(t, err)
	_, err = log.OffsetAt(t.Context(), epoch, "")
	checkKind(t, err)
}

func checkOne(t *testing.T, records []byte, rec Record, err error) {
	if err != nil {
		checkKind(t, err)
		return
	}
	end := rec.Position + int64(len(rec.Data))
	switch {
	case bytes.IndexByte(rec.Data, '\n') >= 0, len(rec.Data) != cap(rec.Data),
		rec.Position < 0, end > int64(len(records)),
		string(records[rec.Position:end]) != string(rec.Data),
		rec.Position > 0 && records[rec.Position-1] != '\n',
		end < int64(len(records)) && records[end] != '\n':
		t.Fatalf("record %d at %d is %q", rec.Offset, rec.Position, rec.Data)
	}
}

func checkKind(t *testing.T, err error) {
	_, outside := errors.AsType[*segment.RangeError](err)
	_, corrupt := errors.AsType[*segment.CorruptError](err)
	if err != nil && !outside && !corrupt && !errors.Is(err, jsonl.ErrTooLarge) && !errors.Is(err, ErrNoTime) {
		t.Fatalf("%T: %v", err, err)
	}
}
