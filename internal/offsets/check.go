package offsets

import (
	"crypto/sha256"
	"encoding/hex"
)

// CheckDigits is the length of [Entry.Check].
const CheckDigits = 16

// Check is the [Entry.Check] of a record: it shows that the log below a
// committed offset is the one that was consumed.
func Check(record []byte) string {
	sum := sha256.Sum256(record)
	return hex.EncodeToString(sum[:CheckDigits/2])
}
