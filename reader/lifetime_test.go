package reader

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// retained reads a log and keeps every slice, against the rule.
func retained(t *testing.T, opts Options) (slices, copies [][]byte) {
	d := osDisk(t)
	d.pair(t, 0, text(numbered(0, 5000)...))
	for rec, err := range d.open(t, "", opts).Records(0) {
		require.NoError(t, err)
		slices = append(slices, rec.Data)
		copies = append(copies, rec.Clone().Data)
	}
	return slices, copies
}

// TestLifetime sees that a caller who keeps Data finds it overwritten, in the
// builds that are for finding that out.
func TestLifetime(t *testing.T) {
	if !invariants {
		t.Skip("needs -race or -tags invariants")
	}
	slices, copies := retained(t, Options{})
	for i := range slices {
		want := bytes.Repeat([]byte{0xCC}, len(copies[i]))
		if !bytes.Equal(want, slices[i]) {
			t.Fatalf("record %d is still %q", i, slices[i])
		}
	}
}

// TestLifetimeNext overwrites a record with the next step already, not with
// the next block.
func TestLifetimeNext(t *testing.T) {
	if !invariants {
		t.Skip("needs -race or -tags invariants")
	}
	d := osDisk(t)
	d.pair(t, 0, text("first", "second"))
	r := d.open(t, "", Options{}).Reader(0)
	first, err := r.Next()
	require.NoError(t, err)
	require.Equal(t, "first", string(first.Data))
	second, err := r.Next()
	require.NoError(t, err)
	require.Equal(t, "\xcc\xcc\xcc\xcc\xcc", string(first.Data))
	require.Equal(t, "second", string(second.Data))
}

// TestLifetimeRetain keeps Data valid for ever.
func TestLifetimeRetain(t *testing.T) {
	slices, copies := retained(t, Options{Retain: true})
	require.Equal(t, copies, slices)
}

// TestDecode decodes into memory of the caller's own, past a byte order mark.
func TestDecode(t *testing.T) {
	d := osDisk(t)
	d.write(t, "app.jsonl", text("\xef\xbb\xbf{\"name\":\"alice\"}", `{"name":"bob"}`, `{"name":`))
	type person struct{ Name string }
	var people []person
	for rec, err := range d.open(t, "app.jsonl", Options{}).Records(0) {
		require.NoError(t, err)
		var p person
		if rec.Offset == 2 {
			require.Error(t, rec.Decode(&p))
			continue
		}
		require.NoError(t, rec.Decode(&p))
		people = append(people, p)
		for i := range rec.Data {
			rec.Data[i] = '#'
		}
	}
	require.Equal(t, []person{{"alice"}, {"bob"}}, people)
	require.Error(t, Record{}.Decode(new(person)))
}
