package jsonl

// want is the set of things that may come next in a JSON text.
type want uint8

const (
	wantValue want = 1 << iota
	wantKey
	wantColon
	wantComma
	wantClose
	wantEnd
)

// nesting remembers the containers around a place in a JSON text, one bit for
// each, so that depth costs neither stack nor memory.
type nesting struct {
	depth   int
	object  bool // the innermost container is an object
	objects [MaxDepth/64 + 1]uint64
}

// push enters a container. The caller has compared depth with MaxDepth.
func (n *nesting) push(object bool) {
	word, bit := uint(n.depth)/64, uint64(1)<<(uint(n.depth)%64)
	n.objects[word] &^= bit
	if n.object {
		n.objects[word] |= bit
	}
	n.depth++
	n.object = object
}

// pop leaves the innermost container. depth is at least 1.
func (n *nesting) pop() {
	n.depth--
	n.object = n.objects[uint(n.depth)/64]>>(uint(n.depth)%64)&1 != 0
}

// next is what may follow a complete value.
func (n *nesting) next() want {
	if n.depth == 0 {
		return wantEnd
	}
	return wantComma | wantClose
}

// afterComma is what may follow a comma.
func (n *nesting) afterComma() want {
	if n.object {
		return wantKey
	}
	return wantValue
}

// allows says after which wants a byte outside strings may come.
var allows = [256]want{
	'"': wantValue | wantKey, ':': wantColon, ',': wantComma,
	'{': wantValue, '[': wantValue, '}': wantClose, ']': wantClose,
	't': wantValue, 'f': wantValue, 'n': wantValue, '-': wantValue,
	'0': wantValue, '1': wantValue, '2': wantValue, '3': wantValue, '4': wantValue,
	'5': wantValue, '6': wantValue, '7': wantValue, '8': wantValue, '9': wantValue,
}

// tooDeep is scan's reason for a bracket that opens level MaxDepth+1.
const tooDeep = "nested too deep"

// scan checks that d is exactly one JSON text by RFC 8259, in valid UTF-8 and
// nested no deeper than MaxDepth. Newlines count as white space only where
// newlines says so. The reason is empty for a good text; otherwise pos is the
// first byte with which no good text can go on, or len(d).
//
// It is written by hand because nothing at hand answers the question. sonic's
// Valid lets control bytes, bad escapes and invalid UTF-8 through and does not
// say where a text goes wrong; with the passes that make up for it, it takes
// 1.4 times as long for a record of 255 bytes. encoding/json takes 4 times as
// long and knows neither this depth nor UTF-8. That it is one loop over locals,
// not a call for each token, is worth a third of the time.
func scan(d []byte, newlines bool) (pos int, reason string) {
	var in nesting
	may := wantValue
	for i := 0; i < len(d); {
		c := d[i]
		if may&allows[c] == 0 {
			if c == ' ' || c == '\t' || c == '\r' || c == '\n' && newlines {
				i++
				continue
			}
			return i, may.where(in.object)
		}
		switch c {
		case '"':
			if i, reason = scanString(d, i+1); reason != "" {
				return i, reason
			}
			if may&wantKey != 0 {
				may = wantColon
				if i < len(d) && d[i] == ':' { // what mostly comes next needs no turn of its own
					may = wantValue
					i++
				}
				continue
			}
			may = in.next()
			if i < len(d) && d[i] == ',' && in.depth > 0 {
				may = in.afterComma()
				i++
			}
			continue
		case ':':
			may = wantValue
		case ',':
			may = in.afterComma()
		case '{', '[':
			if in.depth == MaxDepth {
				return i, tooDeep
			}
			in.push(c == '{')
			may = in.afterComma() | wantClose
		case '}', ']':
			if in.object != (c == '}') {
				return i, may.where(in.object)
			}
			in.pop()
			may = in.next()
		default:
			if i, reason = scanScalar(d, i); reason != "" {
				return i, reason
			}
			may = in.next()
			continue
		}
		i++
	}
	if may != wantEnd {
		return len(d), may.where(in.object)
	}
	return len(d), ""
}

// where says in words at what place of the grammar a text went wrong.
func (w want) where(object bool) string {
	switch {
	case w&wantValue != 0:
		return "where a value should be"
	case w&wantKey != 0:
		return "where a key should be"
	case w&wantColon != 0:
		return "where a colon should be"
	case w&wantEnd != 0:
		return "after the value"
	case object:
		return "where a comma or } should be"
	}
	return "where a comma or ] should be"
}
