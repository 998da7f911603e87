package filter

import (
	"context"
	"iter"

	"example.com/jlq/internal/inorder"
)

// A large log is sifted on all cores: each of several goroutines reads a piece
// of it and chooses among its lines, and the caller gets what was chosen in the
// order of the pieces.

// Block is a run of whole lines, or one that cannot be read.
type Block struct {
	First uint64 // offset of the first, or UnknownOffset
	Data  []byte
	Bad   *Bad // what is known of one that cannot be read: its Size and Err
}

// UnknownOffset is that of lines whose numbers are not known.
const UnknownOffset = 1<<64 - 1

// Sieve says how lines are chosen on several cores.
type Sieve struct {
	Filter  *Filter
	Checked bool // the lines were checked before, see [Filter.MatchChecked]
	Stop    bool // a piece ends with the first line that is not JSON
	Number  bool // the numbers of the lines are wanted
}

// Chosen is what came of one piece. It is valid until the next step.
type Chosen struct {
	Lines   []byte   // those that the filter is true of, each with a newline
	Matched int      // how many they are
	Offsets []uint64 // of each of them, where they are wanted; UnknownOffset where they are not known
	Bad     []Bad    // those that are not JSON, or cannot be read; Offset counts from the beginning of the log
	Err     error    // how reading the piece ended

	numbers []int // of those of one block
}

// Sift yields what is chosen of each piece, in order. Every piece is ranged
// over once, by one of several goroutines; none runs any more when the range
// is over. It ends early when ctx does, which is for the caller to see.
func (s *Sieve) Sift(ctx context.Context, pieces iter.Seq[iter.Seq2[Block, error]]) iter.Seq[*Chosen] {
	return inorder.Each(ctx, pieces, s.choose)
}

// choose reads a piece and puts what is chosen of it into c.
func (s *Sieve) choose(ctx context.Context, piece iter.Seq2[Block, error], c *Chosen) {
	c.Lines, c.Matched, c.Offsets, c.Bad, c.Err = c.Lines[:0], 0, c.Offsets[:0], c.Bad[:0], nil
	for block, err := range piece {
		if err != nil {
			c.Err = err
			break
		}
		if block.Bad != nil {
			c.Bad = append(c.Bad, *block.Bad)
			continue
		}
		known := len(c.Bad)
		var matched int
		c.Lines, matched, c.Bad = s.selectFrom(c, block)
		c.Matched += matched
		for i := known; i < len(c.Bad); i++ {
			c.Bad[i].Keep(block.First)
		}
		if ctx.Err() != nil || s.Stop && len(c.Bad) > 0 {
			break
		}
	}
}

func (s *Sieve) selectFrom(c *Chosen, block Block) ([]byte, int, []Bad) {
	work := selection{f: s.Filter, block: block.Data, checked: s.Checked, dst: c.Lines, bad: c.Bad, stop: s.Stop, numbered: s.Number, numbers: c.numbers[:0]}
	work.run()
	c.numbers = work.numbers
	for _, n := range work.numbers {
		offset := uint64(UnknownOffset)
		if block.First != UnknownOffset {
			offset = block.First + uint64(n)
		}
		c.Offsets = append(c.Offsets, offset)
	}
	return work.dst, work.matched, work.bad
}

// keptBytes is how much is kept of a line that is not JSON.
const keptBytes = 1 << 10

// Keep makes b, one of what [Filter.Select] found, independent of the block, whose
// first line has that offset.
func (b *Bad) Keep(first uint64) {
	b.Offset = UnknownOffset
	if first != UnknownOffset {
		b.Offset = first + uint64(b.Line)
	}
	b.Size = len(b.Data)
	b.Data = append([]byte(nil), b.Data[:min(len(b.Data), keptBytes)]...)
}
