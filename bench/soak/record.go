package main

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"strconv"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// sumSize is the size of the end of a record, `,"sum":"01234567"}`.
const sumSize = 18

// appendRecord appends record n of a log, about 60 bytes of JSON whose last
// member is a checksum of all before it:
//
//	{"n":17,"life":3,"pad":"7d2f09","sum":"89abcdef"}
//
// life is the number of the process that wrote it.
func appendRecord(dst []byte, seed uint64, life int, n uint64) []byte {
	begin := len(dst)
	dst = append(dst, `{"n":`...)
	dst = strconv.AppendUint(dst, n, 10)
	dst = append(dst, `,"life":`...)
	dst = strconv.AppendInt(dst, int64(life), 10)
	dst = append(dst, `,"pad":"`...)
	// Numbers in a row get pads that have nothing in common, of all lengths.
	dst = strconv.AppendUint(dst, (n+seed)*0x9e3779b97f4a7c15>>(n%40), 16)
	dst = append(dst, '"')
	sum := checksum(seed, dst[begin:])
	dst = append(dst, `,"sum":"`...)
	for shift := 28; shift >= 0; shift -= 4 {
		dst = append(dst, "0123456789abcdef"[sum>>shift&15])
	}
	return append(dst, `"}`...)
}

func checksum(seed uint64, data []byte) uint32 { return crc32.Update(uint32(seed), castagnoli, data) }

var errAltered = errors.New("the record is not as it was written")

// parseRecord checks a record and returns its number and its life.
func parseRecord(seed uint64, rec []byte) (n uint64, life int, err error) {
	body := len(rec) - sumSize
	if body < 0 || !bytes.HasPrefix(rec, []byte(`{"n":`)) {
		return 0, 0, fmt.Errorf("%w: %q", errAltered, rec)
	}
	said, err := hexSum(rec[body+len(`,"sum":"`) : len(rec)-2])
	if err != nil || said != checksum(seed, rec[:body]) {
		return 0, 0, fmt.Errorf("%w: %q", errAltered, rec)
	}
	n, rest := digits(rec[len(`{"n":`):])
	l, _ := digits(rest[len(`,"life":`):])
	return n, int(l), nil
}

func hexSum(text []byte) (sum uint32, err error) {
	for _, b := range text {
		d := bytes.IndexByte([]byte("0123456789abcdef"), b)
		if d < 0 {
			return 0, errAltered
		}
		sum = sum<<4 | uint32(d)
	}
	return sum, nil
}

// digits reads a number and returns what follows. The checksum has vouched for
// the text.
func digits(text []byte) (v uint64, rest []byte) {
	i := 0
	for ; i < len(text) && '0' <= text[i] && text[i] <= '9'; i++ {
		v = 10*v + uint64(text[i]-'0')
	}
	return v, text[i:]
}
