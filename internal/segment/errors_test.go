package segment

import (
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCorruptErrorText says where damage lies, as far as that is known.
func TestCorruptErrorText(t *testing.T) {
	for want, e := range map[string]CorruptError{
		"x: corrupt at offset 5, position 7: EOF":                             {Offset: 5, Position: 7},
		"x: corrupt at offset 5, bytes 7 to 9: EOF":                           {Offset: 5, Position: 7, End: 9, Records: 1},
		"x: corrupt at offsets 5 to 7 (3 records), bytes 7 to 90: EOF":        {Offset: 5, Position: 7, End: 90, Records: 3},
		"x: corrupt at offsets 5 to 800004 (800000 records), position 7: EOF": {Offset: 5, Position: 7, Records: 800_000},
		"x: corrupt at position 7: EOF":                                       {Offset: UnknownOffset, Position: 7},
		"x: corrupt at bytes 7 to 9: EOF":                                     {Offset: UnknownOffset, Records: 1, Position: 7, End: 9},
	} {
		e.Path, e.Err = "x", io.EOF
		require.EqualError(t, &e, want)
	}
}
