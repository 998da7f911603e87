package segment

import (
	"fmt"

	"example.com/jlq/index"
)

// lockstep compares the lines with the entries of the same numbers.
type lockstep struct {
	differs bool   // the last line ends where its entry does not
	ever    bool   // one did
	from    uint64 // the first such record

	resized   uint64 // lines that are neither where nor as long as their entries say
	elsewhere bool   // a line ends where another entry says
}

// compare takes in record n-1, which lies from start to end.
func (l *lockstep) compare(old *oldIndex, n uint64, start, end int64) error {
	if n > old.claimed {
		return nil
	}
	pos, err := old.at(n)
	if err != nil {
		return err
	}
	l.differs = pos != uint64(end)
	if !l.differs {
		return nil
	}
	if !l.ever {
		l.ever, l.from = true, n-1
	}
	before, err := old.at(n - 1)
	if err != nil {
		return err
	}
	if pos-before != uint64(end-start) {
		l.resized++
	}
	if !l.elsewhere {
		_, l.elsewhere, err = old.find(end)
	}
	return err
}

// judgeIndex says what is wrong with the index, and whether it shows that
// records had other offsets than they get now.
func (s *damageSurvey) judgeIndex() {
	x := s.old
	s.IndexWhy = s.indexWhy()
	if !s.steps.differs && x.ok && x.sound == x.claimed && x.claimed > s.n {
		s.LostTail = x.claimed - s.n
	}
	if s.moved() {
		s.shift(s.steps.from, fmt.Sprintf("the index has %s and the file %d, and they do not fit: a line was added, removed, split or joined by hand, or it is another index",
			Plural(x.claimed, "record"), s.n))
	}
}

func (s *damageSurvey) indexWhy() string {
	x := s.old
	switch {
	case x.r == nil && s.opts.Bare, x.r != nil && x.size == 0 && s.n == 0:
		return ""
	case x.r == nil:
		return "it is missing"
	case s.steps.ever:
		return fmt.Sprintf("from record %d on it is not that of the lines", s.Base+s.steps.from)
	case !x.ok:
		return "it does not begin with the entry 0"
	case x.claimed < s.n:
		return fmt.Sprintf("it ends %s early", Plural(s.n-x.claimed, "record"))
	case x.claimed > s.n:
		return fmt.Sprintf("it claims %s more than there are", Plural(x.claimed-s.n, "record"))
	case x.zeros > 0:
		return fmt.Sprintf("it ends in %d zeros that are no entries", x.zeros)
	case x.size%index.EntrySize != 0:
		return "it ends in a partial entry"
	case x.sound < x.claimed || s.otherPlaces():
		return "the damage is not in it"
	}
	return ""
}

// moved reports whether the index is evidence that a line has another number
// than it had. One line that was edited to another length has not: all behind
// it are as long as their entries say.
func (s *damageSurvey) moved() bool {
	x, l := s.old, &s.steps
	switch {
	case !l.ever || !x.plausible():
		return false
	case x.claimed != s.n:
		return true
	case l.differs:
		return l.resized > 1
	}
	return l.elsewhere && x.breaks == 0 // else it is the index that is wrong there
}

// otherPlaces reports whether a range got other boundaries than those of the
// index.
func (s *damageSurvey) otherPlaces() bool {
	for i := range s.Damages {
		if s.Damages[i].Proof != ByEntries {
			return true
		}
	}
	return false
}
