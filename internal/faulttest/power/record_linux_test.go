package power

import (
	"encoding/json"
	"fmt"
	"strings"
)

// record is what the appending processes store: it says who sent it, and its
// bytes follow from that, so that one look tells whether it was ever sent.
type record struct {
	Epoch int `json:"e"` // the process
	Giver int `json:"g"` // its goroutine
	N     int `json:"n"` // the goroutine's count, from 0
}

// line is the bytes of a record. Their length varies, so that the ends of
// lines fall on all places of a page and some lines span two.
func (r record) line() string {
	length := (r.Epoch*7919 + r.Giver*104729 + r.N*1299709) % 997
	if length%31 == 0 {
		length *= 8
	}
	pad := strings.Repeat(string(rune('a'+r.N%26)), length)
	return fmt.Sprintf(`{"e":%d,"g":%d,"n":%d,"pad":%q}`, r.Epoch, r.Giver, r.N, pad)
}

// parseRecord is the record with these bytes, if one was sent like that.
func parseRecord(line string) (r record, ok bool) {
	if err := json.Unmarshal([]byte(line), &r); err != nil {
		return r, false
	}
	return r, r.line() == line
}
