package bench

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// Tally is what a scan comes to: proof that every record was handed out. Its
// loops must touch each record: adding the length alone would let a log that
// maps its file never read it.
type Tally struct {
	Records int
	Bytes   int64
	last    byte
}

// Add counts a record.
func (t *Tally) Add(record []byte) {
	t.Records++
	t.Bytes += int64(len(record))
	if len(record) > 0 {
		t.last ^= record[len(record)-1]
	}
}

// Check compares the tally with the whole set.
func (t *Tally) Check(set *Set) error {
	var want Tally
	for i := range set.Len() {
		want.Add(set.Record(i))
	}
	if *t != want {
		return fmt.Errorf("scan gave %d records of %d bytes, want %d of %d, or other bytes", t.Records, t.Bytes, want.Records, want.Bytes)
	}
	return nil
}

// RunScan measures reading every record once, in order.
func RunScan(b *testing.B, set *Set, scan func() (Tally, error)) {
	b.Helper()
	var m Meter
	for b.Loop() {
		var t Tally
		var err error
		m.Measure(set.Len(), func() { t, err = scan() })
		must(b, err)
		must(b, t.Check(set))
	}
	m.Report(b)
}

// Getter copies the record with that offset into dst, if it is large enough,
// and returns it.
type Getter func(dst []byte, offset uint64) ([]byte, error)

// RunRandom measures reading the records with the given offsets, one by one,
// into one buffer.
func RunRandom(b *testing.B, set *Set, offsets []uint64, get Getter) {
	b.Helper()
	var want int64
	for _, offset := range offsets {
		want += int64(len(set.Record(int(offset))))
	}
	check(b, set, offsets, get)
	var m Meter
	for b.Loop() {
		var got int64
		var err error
		m.Measure(len(offsets), func() { got, err = sumOf(offsets, get) })
		must(b, err)
		if got != want {
			b.Fatalf("random reads gave %d bytes, want %d", got, want)
		}
	}
	m.Report(b)
}

func sumOf(offsets []uint64, get Getter) (total int64, err error) {
	buf := make([]byte, 0, 4096)
	for _, offset := range offsets {
		record, err := get(buf, offset)
		if err != nil {
			return total, err
		}
		total += int64(len(record))
	}
	return total, nil
}

// check compares some of the records themselves, outside the measured part.
func check(b *testing.B, set *Set, offsets []uint64, get Getter) {
	b.Helper()
	for _, offset := range offsets[:min(100, len(offsets))] {
		got, err := get(make([]byte, 0, 4096), offset)
		must(b, err)
		if want := set.Record(int(offset)); string(got) != string(want) {
			b.Fatalf("offset %d is %q, want %q", offset, got, want)
		}
	}
}

// Shuffled returns count offsets below n in random order, each as often as
// every other one, or, when count is below n, count different ones.
func Shuffled(n, count int) []uint64 {
	src := rand.New(rand.NewPCG(1, 2))
	offsets := make([]uint64, 0, count+n)
	for len(offsets) < count {
		for _, i := range src.Perm(n) {
			offsets = append(offsets, uint64(i))
		}
	}
	return offsets[:count:count]
}
