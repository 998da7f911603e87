package partition

import "io"

// aligner holds the line ends of a segment against the entries of its index,
// one after the other. As long as they agree it is in step. Where they do not,
// it guesses what happened, as many ways as one edit can happen, and follows
// every guess until one explains so many line ends in a row that it is no
// chance; then it is in step again and has one thing to tell, however much
// lies behind. Its memory does not depend on the log.
type aligner struct {
	size  int64  // of the records file
	end   uint64 // what the last entry says
	at    cursor // the entry that the next line end should be
	shift int64  // what has to be added to it

	astray  *drift // what began where they disagreed, while it is not explained
	guesses [guessKinds]guess
	used    int
	blind   bool // nothing explains the entries; they are not looked at any more
}

// proof is how many line ends in a row prove a guess.
const proof = 16

// drift is a place where line ends and entries begin to disagree, and what
// explains it. Line ends are numbered as entries are: 0 is the start of the
// file, and line end n+1 that of record n.
type drift struct {
	line  uint64 // the first line end that no entry is at
	start int64  // where its line begins
	end   int64  // and ends
	entry uint64 // the entry that should be there
	value uint64 // and what it is
	zeros bool   // it and the others that are wrong are zero

	fits    bool   // from the following on they agree again
	toLine  uint64 // the first line end that agrees
	toEntry uint64 // with this entry
	toStart int64  // where its line begins
	toEnd   int64  // and ends
	lines   int64  // how many more lines than entries there are since
	bytes   int64  // and how many more bytes

	behind      uint64 // line ends behind the last entry that have passed already
	behindStart int64
}

// newAligner takes an index whose last entry has that number, of a records
// file of that size.
func newAligner(idx io.ReaderAt, last uint64, size int64) (*aligner, error) {
	a := &aligner{size: size}
	a.at = cursor{idx: idx, last: last}
	for i := range a.guesses {
		a.guesses[i].at = cursor{idx: idx, last: last}
	}
	a.at.seek(last)
	end, err := a.at.value()
	a.end = end
	a.at.seek(0)
	return a, err
}

// inStep reports whether there is nothing to explain.
func (a *aligner) inStep() bool { return a.astray == nil && !a.blind }

// line takes line end n, that of the line [start, end). behind reports that it
// lies behind the last entry. A drift is returned when it has been explained,
// or cannot be any more.
func (a *aligner) line(n uint64, start, end int64) (d *drift, behind bool, err error) {
	switch {
	case a.blind:
		return nil, false, nil
	case a.astray != nil:
		d, err = a.follow(n, start, end)
		return d, false, err
	case !a.at.more():
		return nil, true, nil
	}
	value, err := a.at.value()
	if err != nil {
		return nil, false, err
	}
	if value == uint64(end-a.shift) {
		a.at.number++
		return nil, false, nil
	}
	a.astray = &drift{line: n, start: start, end: end, entry: a.at.number, value: value}
	if err := a.guess(end, value); err != nil {
		return nil, false, err
	}
	d, err = a.follow(n, start, end)
	return d, false, err
}

// guess begins with every explanation that one edit by hand, or one damage,
// can have. The order is that of preference, where several fit.
func (a *aligner) guess(end int64, value uint64) error {
	a.used = 0
	a.try(a.shift, true)              // entries are wrong, and no line was touched
	a.try(a.size-int64(a.end), false) // whatever it was, it was the last edit that changed the size
	a.try(a.shift, false)             // lines were split or joined
	a.try(end-int64(value), false)    // a line became longer or shorter
	a.at.number++                     // a look at the entry behind
	defer func() { a.at.number = a.astray.entry }()
	if !a.at.more() {
		return nil
	}
	after, err := a.at.value()
	a.try(end-int64(after), false) // a line is missing
	return err
}

func (a *aligner) try(shift int64, inPlace bool) {
	g := &a.guesses[a.used]
	a.used++
	g.begin(a.astray.entry, shift, inPlace)
}

// follow gives a line end to every guess.
func (a *aligner) follow(n uint64, start, end int64) (*drift, error) {
	if n == a.astray.line+1 {
		a.try(end-int64(a.astray.value), false) // a line was inserted
	}
	over, proved := true, false
	for i := range a.guesses[:a.used] {
		g := &a.guesses[i]
		if err := g.line(n, start, end, a.size); err != nil {
			return nil, err
		}
		over = over && g.over
		proved = proved || g.run >= proof
	}
	if over {
		return a.settle(), nil
	}
	if proved {
		// The right one may have begun a line or two later than one that fits
		// by chance, as many do where all lines have the same length.
		return a.choose(func(g *guess) bool { return g.run >= proof/2 }), nil
	}
	return nil, nil
}

// finish is called behind the last line end.
func (a *aligner) finish() *drift {
	if a.astray == nil {
		return nil
	}
	return a.settle()
}

// settle decides with what there is: no more can come. A guess that uses up
// all entries explains more than one that leaves some.
func (a *aligner) settle() *drift {
	for _, whole := range []bool{true, false} {
		d := a.choose(func(g *guess) bool { return g.evidence(a.shift) && (!whole || !g.at.more()) })
		if d != nil {
			return d
		}
	}
	d := a.astray
	d.zeros = !a.guesses[0].other
	a.astray, a.blind = nil, true
	return d
}

// choose takes the first guess that is good enough as the explanation.
func (a *aligner) choose(enough func(*guess) bool) *drift {
	for i := range a.guesses[:a.used] {
		if g := &a.guesses[i]; enough(g) {
			return a.accept(g)
		}
	}
	return nil
}

func (a *aligner) accept(g *guess) *drift {
	d := a.astray
	d.fits, d.toLine, d.toEntry, d.toStart, d.toEnd = true, g.fromLine, g.fromEntry, g.fromStart, g.fromEnd
	d.lines = int64(g.fromLine-g.fromEntry) - int64(d.line-d.entry)
	d.bytes = g.shift - a.shift
	d.behind, d.behindStart = g.behind, g.behindStart
	d.zeros = g.inPlace && !g.other
	a.astray, a.shift = nil, g.shift
	a.at.seek(g.at.number)
	return d
}

// rest goes through the entries that are left, and tells the first and whether
// all are zero.
func (a *aligner) rest() (first uint64, zeros bool, err error) {
	for begun := false; a.at.more(); begun = true {
		value, err := a.at.value()
		if err != nil {
			return 0, false, err
		}
		if !begun {
			first = value
		}
		if value != 0 {
			return first, false, nil
		}
		a.at.number++
	}
	return first, true, nil
}
