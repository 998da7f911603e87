package partition

// guessKinds is how many explanations are tried for one disagreement.
const guessKinds = 6

// guess is an explanation of a disagreement: from somewhere on, line ends are
// where the entries are plus shift. One that is in place pairs each line end
// with the entry of its turn; the others look for the entry, so they find how
// many lines are more or fewer.
type guess struct {
	at      cursor
	shift   int64
	inPlace bool
	other   bool // not all entries in the wrong are zero, if it is in place

	run       uint64 // line ends in a row that it explains, the last one among them
	fromLine  uint64 // the first of them
	fromEntry uint64
	fromStart int64
	fromEnd   int64

	over        bool // no entries are left
	behind      uint64
	behindStart int64
}

func (g *guess) begin(entry uint64, shift int64, inPlace bool) {
	at := g.at
	*g = guess{at: at, shift: shift, inPlace: inPlace}
	g.at.seek(entry)
}

// line takes line end n.
func (g *guess) line(n uint64, start, end, size int64) error {
	value, skipped, err := g.find(end, size)
	if err != nil {
		return err
	}
	switch {
	case g.over:
		g.pass(start, skipped)
	case value != uint64(end-g.shift):
		g.run = 0
		if g.inPlace {
			g.other = g.other || value != 0
			g.at.number++
		}
	default:
		if g.run == 0 || skipped {
			g.run, g.fromLine, g.fromEntry, g.fromStart, g.fromEnd = 0, n, g.at.number, start, end
		}
		g.run++
		g.at.number++
	}
	return nil
}

// find returns the entry that the line end may be at, passing over those that
// lie before it or are none.
func (g *guess) find(end, size int64) (value uint64, skipped bool, err error) {
	for g.at.more() {
		value, err = g.at.value()
		if at := int64(value) + g.shift; err != nil || g.inPlace || value < 1<<62 && end <= at && at <= size {
			return value, skipped, err
		}
		skipped = true
		g.at.number++
	}
	g.over = true
	return 0, skipped, nil
}

// pass counts a line end behind the last entry. Entries that had to be passed
// over to get there belie the guess.
func (g *guess) pass(start int64, skipped bool) {
	if skipped {
		g.run = 0
	}
	if g.behind == 0 {
		g.behindStart = start
	}
	g.behind++
}

// evidence reports whether there is more for the guess than the line end that
// it was made from: another one, or that the last one is at the last entry
// where it was expected.
func (g *guess) evidence(shift int64) bool {
	return g.run > 1 || g.run == 1 && g.shift == shift && g.behind == 0 && !g.at.more()
}
