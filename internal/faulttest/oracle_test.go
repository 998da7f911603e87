package faulttest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/segment"
	"example.com/jlq/partition"
)

// source is one that sends numbered records, one after the other.
type source struct {
	name  string
	sent  int              // records that were given to a writer, at most
	acked map[int]uint64   // the offset of each that was acknowledged
	lost  func(n int) bool // acknowledged under a promise that the fault ended; nil: none
}

func newSource(name string) *source { return &source{name: name, acked: map[int]uint64{}} }

// record is the n-th of a source. Their lengths differ.
func (s *source) record(n int) string {
	return fmt.Sprintf(`{"s":%q,"n":%d,"pad":%q}`, s.name, n, strings.Repeat("x", n*7%50))
}

// account is all that is known of a log from outside.
type account struct {
	prior   []string // records that were there before, and must stay
	sources []*source
	unread  bool   // reading before recovery may fail
	torn    string // bytes behind the records, which recovery must set aside
	keep    int    // so many records retention has to leave; 0: nothing may be dropped

	// halves are the offsets of lines in a bare file that a killed writer left
	// half, and that are no records for ever.
	halves []uint64
}

// check opens the log that a fault left and returns what is wrong with it. It
// appends one record. What the log holds then is what was there before for all
// that follows.
func (a *account) check(path string) error {
	before, err := a.readBefore(path)
	if err != nil && !a.unread {
		return fmt.Errorf("read before recovery: %w", err)
	}
	p, err := partition.Open(path, nil)
	if err != nil {
		return fmt.Errorf("open to append: %w", err)
	}
	after, err := a.checkOpen(p, before)
	if err = errors.Join(err, p.Close()); err != nil {
		return err
	}
	a.prior, a.sources = after, nil
	return a.checkSettled(path, after)
}

// readBefore reads as another process would, and changes nothing. A log that
// nothing was acknowledged of may not be there yet, or be an empty directory.
func (a *account) readBefore(path string) ([]string, error) {
	p, err := partition.OpenReader(path, nil)
	if (errors.Is(err, fs.ErrNotExist) || errors.Is(err, partition.ErrNotLog)) && a.nothing() {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	got, err := readAll(p)
	return got, errors.Join(err, p.Close())
}

func (a *account) nothing() bool {
	for _, s := range a.sources {
		if len(s.acked) > 0 {
			return false
		}
	}
	return len(a.prior) == 0
}

// checkOpen judges what the writer that recovered the log has, and appends.
func (a *account) checkOpen(p *partition.Partition, before []string) ([]string, error) {
	got, err := readAll(p)
	if err != nil {
		return nil, fmt.Errorf("read after recovery: %w", err)
	}
	if len(got) < len(before) || !equal(a.restored(got[:len(before)]), a.restored(before)) {
		return nil, fmt.Errorf("of the %d records that a reader saw, recovery left %d others", len(before), len(got))
	}
	whole := got
	if p.Recovery().IncompleteTail {
		// Nothing is cut in a bare file: half a line that its writer left
		// stays, and is told.
		if whole = got[:len(got)-1]; !a.begun(got[len(whole)]) {
			return nil, fmt.Errorf("the last line %q is no beginning of what was sent", got[len(whole)])
		}
		a.halves = append(a.halves, uint64(len(whole)))
	}
	if err := a.judge(whole); err != nil {
		return nil, err
	}
	probe := fmt.Sprintf(`{"probe":%d}`, len(got))
	offset, err := p.Append([]byte(probe))
	if err != nil || offset != uint64(len(got)) {
		return nil, fmt.Errorf("the next append got offset %d of a log of %d: %w", offset, len(got), err)
	}
	return append(got, probe), nil
}

// begun reports whether a line is the beginning of a record that was sent.
func (a *account) begun(line string) bool {
	for _, s := range a.sources {
		for n := range s.sent {
			if strings.HasPrefix(s.record(n), line) {
				return true
			}
		}
	}
	return false
}

// restored puts back what retention dropped, as far as it is known: what was
// there before, and what a lone source sent since.
func (a *account) restored(got []string) []string {
	got = slices.Clone(got)
	for i := range got {
		switch {
		case !isDropped(got[i]):
			return got
		case i < len(a.prior):
			got[i] = a.prior[i]
		case len(a.sources) == 1:
			got[i] = a.sources[0].record(i - len(a.prior))
		}
	}
	return got
}

// judge holds the records of a log against the account.
func (a *account) judge(got []string) error {
	if n := count(got, isDropped); n > 0 && (a.keep == 0 || len(got)-n < a.keep) {
		return fmt.Errorf("dropped: %d of %d records, %d have to stay", n, len(got), a.keep)
	}
	got = a.restored(got)
	if len(got) < len(a.prior) {
		return fmt.Errorf("lost: of %d records that were there before, %d are left", len(a.prior), len(got))
	}
	if n := firstOther(got, a.prior); n < len(a.prior) {
		return fmt.Errorf("changed: record %d was %s and is %s", n, a.prior[n], got[n])
	}
	next := make([]int, len(a.sources))
	for offset := len(a.prior); offset < len(got); offset++ {
		if err := a.place(got[offset], uint64(offset), next); err != nil {
			return err
		}
	}
	for i, s := range a.sources {
		for n, offset := range s.acked {
			if n >= next[i] && (s.lost == nil || !s.lost(n)) {
				return fmt.Errorf("lost: %s was acknowledged as offset %d", s.record(n), offset)
			}
		}
	}
	return nil
}

// place finds out which source sent a record: it is the next one of it, and
// lies under the offset that was acknowledged.
func (a *account) place(rec string, offset uint64, next []int) error {
	for i, s := range a.sources {
		if rec != s.record(next[i]) {
			continue
		}
		n := next[i]
		if n >= s.sent {
			return fmt.Errorf("invented: %s at offset %d, of %d that were sent", rec, offset, s.sent)
		}
		if said, acked := s.acked[n]; acked && said != offset {
			return fmt.Errorf("moved: %s was acknowledged as offset %d and is at %d", rec, said, offset)
		}
		next[i]++
		return nil
	}
	return fmt.Errorf("out of order, twice or invented: %s at offset %d", rec, offset)
}

// checkSettled makes sure that nothing is left to do for a second opening, and
// that the files are exactly those of the records.
func (a *account) checkSettled(path string, want []string) error {
	if err := a.checkVerify(path); err != nil {
		return err
	}
	if err := checkFiles(path, want); err != nil {
		return err
	}
	p, err := partition.Open(path, nil)
	if err != nil {
		return fmt.Errorf("open again: %w", err)
	}
	var told error
	if r := p.Recovery(); r != (partition.RecoveryReport{}) {
		told = fmt.Errorf("recovery is not idempotent: %+v", r)
	}
	got, err := readAll(p)
	if err == nil && !equal(got, want) {
		err = fmt.Errorf("opened again, the log has %d records and not %d", len(got), len(want))
	}
	return errors.Join(told, err, p.Close())
}

// checkSettledAs is checkSettled for a log that one source alone wrote and
// closed.
func (a *account) checkSettledAs(path string) error {
	s := a.sources[0]
	var want []string
	for n := range s.sent {
		want = append(want, s.record(n))
	}
	return a.checkSettled(path, want)
}

func (a *account) checkVerify(path string) error {
	p, err := partition.OpenReader(path, nil)
	if err != nil {
		return err
	}
	for problem, err := range p.Verify(noContext) {
		if err != nil {
			return errors.Join(err, p.Close())
		}
		half := problem.Kind == partition.KindRecord && problem.Records == 1 && slices.Contains(a.halves, problem.Offset)
		if !problem.Note && !half {
			return errors.Join(fmt.Errorf("verify: %+v", problem), p.Close())
		}
	}
	return p.Close()
}

// checkFiles compares records and index of every segment with what they must
// be, byte by byte, and knows every file beside them.
func checkFiles(path string, want []string) error {
	pairs, err := pairsOf(path)
	if err != nil {
		return err
	}
	if len(pairs) == 0 || pairs[0].Base != uint64(count(want, isDropped)) {
		return fmt.Errorf("the first of %v does not begin where the log does", pairs)
	}
	for i, pair := range pairs {
		end := uint64(len(want))
		if i+1 < len(pairs) {
			end = pairs[i+1].Base
		}
		if end > uint64(len(want)) || slices.ContainsFunc(want[pair.Base:end], isDropped) {
			return fmt.Errorf("the segments %v are not those of %d records", pairs, len(want))
		}
		if err := checkPair(pair, want[pair.Base:end]); err != nil {
			return err
		}
	}
	names, err := os.ReadDir(filepath.Dir(pairs[0].Records))
	for _, name := range names {
		if !known.MatchString(name.Name()) {
			err = errors.Join(err, fmt.Errorf("a file that nobody knows: %s", name.Name()))
		}
	}
	return err
}

func checkPair(pair segment.Pair, want []string) error {
	var records, index []byte
	index = binary.BigEndian.AppendUint64(index, 0)
	for _, rec := range want {
		records = append(append(records, rec...), '\n')
		index = binary.BigEndian.AppendUint64(index, uint64(len(records)))
	}
	for name, want := range map[string][]byte{pair.Records: records, pair.Index: index} {
		got, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if !bytes.Equal(got, want) {
			return fmt.Errorf("%s: %d bytes are not the %d they must be", name, len(got), len(want))
		}
	}
	return nil
}

// known are the names of the files of a log; a crash may leave temporary ones.
var known = regexp.MustCompile(`^(f\.jsonl|f\.jsonl\.index(\.tmp(-\d+)?)?|\d{20}\.jsonl|\d{20}\.index(\.tmp(-\d+)?)?|\d{20}\.torn-\d+(-\d+)?|partition\.json(\.tmp(-\d+)?)?)$`)

// pairOf names the files of a log whose name ends in .jsonl if it is a bare
// file; of a partition, those of its first segment as it was made.
func pairOf(path string) segment.Pair {
	if filepath.Ext(path) == ".jsonl" {
		return segment.BarePair(path)
	}
	return segment.PairAt(path, 0)
}

// pairsOf names the segments of a log, as they lie there, in their order.
func pairsOf(path string) (pairs []segment.Pair, err error) {
	if filepath.Ext(path) == ".jsonl" {
		return []segment.Pair{segment.BarePair(path)}, nil
	}
	names, err := os.ReadDir(path)
	for _, name := range names {
		base, digits := strings.CutSuffix(name.Name(), ".jsonl")
		if n, err := strconv.ParseUint(base, 10, 64); digits && err == nil {
			pairs = append(pairs, segment.PairAt(path, n))
		}
	}
	return pairs, err // ReadDir sorts, and the names have one length
}

func mustPairs(t testing.TB, path string) []segment.Pair {
	t.Helper()
	pairs, err := pairsOf(path)
	require.NoError(t, err)
	return pairs
}

// storedBytes is the size of a log's records files. One may be dropped meanwhile.
func storedBytes(t testing.TB, path string) (size int64) {
	t.Helper()
	for _, pair := range mustPairs(t, path) {
		if info, err := os.Stat(pair.Records); err == nil {
			size += info.Size()
		}
	}
	return size
}

// dropped stands for a record that retention has taken, so that a log of n
// records is n strings long also where it does not begin at 0.
const dropped = "\x00dropped"

func isDropped(rec string) bool { return rec == dropped }

// readAll returns the records of a log, whose offsets have no gap.
func readAll(p *partition.Partition) ([]string, error) {
	start, _ := p.Bounds()
	got := slices.Repeat([]string{dropped}, int(start))
	for rec, err := range p.Records(start) {
		if err != nil {
			return got, err
		}
		if rec.Offset != uint64(len(got)) {
			return got, fmt.Errorf("offset %d follows %d records", rec.Offset, len(got))
		}
		got = append(got, string(rec.Data))
	}
	return got, nil
}

func count(all []string, is func(string) bool) (n int) {
	for _, rec := range all {
		if is(rec) {
			n++
		}
	}
	return n
}

func equal(a, b []string) bool { return len(a) == len(b) && firstOther(a, b) == len(a) }

// firstOther is the first place where a and b differ, up to the end of the
// shorter.
func firstOther(a, b []string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}
