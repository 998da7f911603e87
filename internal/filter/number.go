package filter

import (
	"bytes"
	"math/big"
	"math/bits"
	"strconv"
)

// number is a JSON number short enough for machine words:
// ±mantissa / 10^scale. Most are.
type number struct {
	negative bool
	mantissa uint64 // of at most 19 digits
	scale    int    // at most 19
}

// powers are those of ten that fit 64 bits.
var powers = func() (p [20]uint64) {
	p[0] = 1
	for i := 1; i < len(p); i++ {
		p[i] = p[i-1] * 10
	}
	return p
}()

// parseNumber reads a JSON number without exponent and of at most 19 digits.
func parseNumber(raw []byte) (n number, ok bool) {
	i := 0
	if len(raw) > 0 && raw[0] == '-' {
		n.negative, i = true, 1
	}
	if len(raw)-i > 19 || len(raw)-i > 1 && raw[i] == '0' && raw[i+1] != '.' {
		return n, false
	}
	point := -1
	for j := i; j < len(raw); j++ {
		c := raw[j]
		if c == '.' && point < 0 {
			point = j
			continue
		}
		if c < '0' || c > '9' {
			return n, false
		}
		n.mantissa = n.mantissa*10 + uint64(c-'0')
	}
	if point >= 0 {
		n.scale = len(raw) - point - 1
	}
	if n.mantissa == 0 {
		n.negative = false // -0 is 0
	}
	return n, len(raw) > i
}

func (n number) compare(m number) int {
	if n.negative != m.negative {
		return order(!n.negative, !m.negative)
	}
	c := n.magnitude(m)
	if n.negative {
		return -c
	}
	return c
}

// magnitude compares without signs: mantissas brought to the same scale, which
// takes up to 128 bits.
func (n number) magnitude(m number) int {
	nh, nl := uint64(0), n.mantissa
	mh, ml := uint64(0), m.mantissa
	if n.scale < m.scale {
		nh, nl = bits.Mul64(nl, powers[m.scale-n.scale])
	} else {
		mh, ml = bits.Mul64(ml, powers[n.scale-m.scale])
	}
	if nh != mh {
		return order(nh > mh, nh < mh)
	}
	return order(nl > ml, nl < ml)
}

// order is 1, -1 or 0 by which of the two is true alone.
func order(greater, less bool) int {
	switch {
	case greater && !less:
		return 1
	case less && !greater:
		return -1
	}
	return 0
}

// compareNumbers compares two JSON numbers by value, exactly.
func compareNumbers(a, b []byte) int {
	n, small := parseNumber(a)
	if small {
		if m, ok := parseNumber(b); ok {
			return n.compare(m)
		}
	}
	return parseDecimal(a).compare(parseDecimal(b))
}

// decimal is a JSON number of any size: ±0.d1d2d3… × 10^point, where d1 is not
// zero. The digits are those of the spelling and may end in zeros.
type decimal struct {
	negative, zero bool
	digits         []byte   // with at most one point in between, which is stepped over
	point          int64    // where huge is nil
	huge           *big.Int // the exponent alone can be longer than a word
}

func parseDecimal(raw []byte) (d decimal) {
	if len(raw) > 0 && raw[0] == '-' {
		d.negative, raw = true, raw[1:]
	}
	var exponent []byte
	if i := bytes.IndexAny(raw, "eE"); i >= 0 {
		raw, exponent = raw[:i], raw[i+1:]
	}
	whole := bytes.IndexByte(raw, '.')
	if whole < 0 {
		whole = len(raw)
	}
	first := bytes.IndexAny(raw, "123456789")
	if first < 0 {
		return decimal{zero: true}
	}
	d.digits = raw[first:]
	d.point = int64(whole - first)
	if first > whole {
		d.point++ // the point itself is no digit
	}
	d.shift(exponent)
	return d
}

// shift takes the exponent.
func (d *decimal) shift(exponent []byte) {
	if len(exponent) == 0 {
		return
	}
	text := string(bytes.TrimPrefix(exponent, []byte("+")))
	if e, err := strconv.ParseInt(text, 10, 62); err == nil {
		d.point += e
		return
	}
	e, ok := new(big.Int).SetString(text, 10)
	if ok { // it is, in JSON
		d.huge = e.Add(e, big.NewInt(d.point))
	}
}

func (d decimal) compare(e decimal) int {
	if d.zero || e.zero || d.negative != e.negative {
		return order(d.sign() > e.sign(), d.sign() < e.sign())
	}
	c := d.magnitude(e)
	if d.negative {
		return -c
	}
	return c
}

// sign is 1, 0 or -1.
func (d decimal) sign() int {
	switch {
	case d.zero:
		return 0
	case d.negative:
		return -1
	}
	return 1
}

func (d decimal) magnitude(e decimal) int {
	if d.huge != nil || e.huge != nil {
		if c := d.bigPoint().Cmp(e.bigPoint()); c != 0 {
			return c
		}
	} else if d.point != e.point {
		return order(d.point > e.point, d.point < e.point)
	}
	return compareDigits(d.digits, e.digits)
}

func (d decimal) bigPoint() *big.Int {
	if d.huge != nil {
		return d.huge
	}
	return big.NewInt(d.point)
}

// compareDigits compares digits that begin at the same place, either of which
// may hold a point. Those that are missing at the end are zeros.
func compareDigits(a, b []byte) int {
	for len(a) > 0 || len(b) > 0 {
		var x, y byte = '0', '0'
		x, a = nextDigit(x, a)
		y, b = nextDigit(y, b)
		if x != y {
			return order(x > y, x < y)
		}
	}
	return 0
}

func nextDigit(none byte, d []byte) (byte, []byte) {
	if len(d) > 0 && d[0] == '.' {
		d = d[1:]
	}
	if len(d) == 0 {
		return none, nil
	}
	return d[0], d[1:]
}
