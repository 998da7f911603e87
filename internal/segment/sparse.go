package segment

import (
	"bytes"
	"io"

	"example.com/jlq/internal/vfs"
)

// copyBlock is how much is copied at a time, and the least run of NULs that
// becomes a hole of the copy.
const copyBlock = 64 << 10

var nulBlock [copyBlock]byte

// copySparse makes f a copy of src and syncs it. A power loss can leave a tail
// of many GB of NULs that were never on the disk: blocks of them are left out,
// so that the copy needs no more room than the bytes that are something.
func copySparse(f vfs.File, src *io.SectionReader) error {
	buf := make([]byte, copyBlock)
	for pos := int64(0); pos < src.Size(); pos += copyBlock {
		b := buf[:min(copyBlock, src.Size()-pos)]
		if err := readFull(src, b, pos); err != nil {
			return err
		}
		if allNUL(b) {
			continue
		}
		if _, err := f.WriteAt(b, pos); err != nil {
			return err
		}
	}
	// The last block may have been left out.
	if err := f.Truncate(src.Size()); err != nil {
		return err
	}
	return f.Sync()
}

// allNUL reports whether b, at most a block, holds nothing but NULs.
func allNUL(b []byte) bool { return bytes.Equal(b, nulBlock[:len(b)]) }

// leadingNULs counts the NULs at the beginning of b.
func leadingNULs(b []byte) int {
	const step = 4 << 10
	i := 0
	for len(b)-i >= step && allNUL(b[i:i+step]) {
		i += step
	}
	for i < len(b) && b[i] == 0 {
		i++
	}
	return i
}
