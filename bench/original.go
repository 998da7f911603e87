package bench

// OriginalCount and OriginalBytes are the shape of the original's workload:
// the Haskell queue that jlq descends from was measured with 10,000 records of
// 11 bytes.
const (
	OriginalCount = 10_000
	OriginalBytes = 11
)

// SHA-256 of the files that a log of the original's records consists of.
const (
	OriginalRecordsSum = "e0180ea2a77ba76b89b711420c17599adacab116ebadf926c1f8955d4d99c942"
	OriginalIndexSum   = "d5c02eb958f5787afa86eca512c3ff9ff5463a8edc157e1134e2f57c98e20a2f"
)

// Original returns the original's records: record 0 is "lorem ipsum", and in
// each next one every character is shifted up by one, '#' following DEL. They
// are no JSON, so a log takes them with framing checks only.
func Original() *Set {
	lines := make([]byte, 0, OriginalCount*(OriginalBytes+1))
	ends := make([]int64, 0, OriginalCount)
	record := []byte("lorem ipsum")
	for range OriginalCount {
		lines = append(append(lines, record...), '\n')
		ends = append(ends, int64(len(lines)))
		shift(record)
	}
	return newSet(lines, ends)
}

func shift(record []byte) {
	const last, first = 0x7f, '#'
	for i, c := range record {
		if c == last {
			record[i] = first
		} else {
			record[i] = c + 1
		}
	}
}
