package reader

import "bytes"

// spoil overwrites line i once it is no longer valid.
func (r *Reader) spoil(i int) {
	if invariants && i >= 0 && i < r.block.n && !r.log.opts.Retain {
		mangle(r.block.data(i))
	}
}

// finish ends the use of the block. With invariants its memory is overwritten
// and not used again, so that whoever kept a part of it sees that.
func (r *Reader) finish() {
	if invariants && r.log != nil && !r.log.opts.Retain {
		mangle(r.buf[:cap(r.buf)])
		r.buf = nil
	}
	r.block.n, r.i = 0, 0
}

func mangle(p []byte) {
	for len(p) > 0 {
		p = p[copy(p, mangled):]
	}
}

// mangled is long enough that the race detector, which sees one access for
// each copy, does not slow overwriting down.
var mangled = bytes.Repeat([]byte{0xCC}, 4<<10)
