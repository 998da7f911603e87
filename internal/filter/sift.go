package filter

import (
	"context"
	"iter"
	"runtime"
	"sync"
)

// A large log is sifted on all cores: one goroutine ranges over the pieces of
// it, each of several reads a piece and chooses among its lines, and the caller
// gets what was chosen in the order of the pieces. There are so many batches and
// no more, which bounds the memory: a new piece waits for one that the caller is
// done with.

// Block is a run of whole lines.
type Block struct {
	First uint64 // offset of the first, or UnknownOffset
	Data  []byte
}

// UnknownOffset is that of lines whose numbers are not known.
const UnknownOffset = 1<<64 - 1

// Sieve says how lines are chosen on several cores.
type Sieve struct {
	Filter  *Filter
	Checked bool // the lines were checked before, see [Filter.MatchChecked]
	Stop    bool // a piece ends with the first line that is not JSON
}

// Chosen is what came of one piece. It is valid until the next step.
type Chosen struct {
	Lines   []byte // those that the filter is true of, each with a newline
	Matched int    // how many they are
	Bad     []Bad  // those that are not JSON; Offset counts from the beginning of the log
	Err     error  // how reading the piece ended

	piece iter.Seq2[Block, error]
	done  chan struct{} // holds one token once the rest is there
}

// Sift yields what is chosen of each piece, in order. Every piece is ranged
// over once, by one of several goroutines; none runs any more when the range
// is over. It ends early when ctx does, which is for the caller to see.
func (s *Sieve) Sift(ctx context.Context, pieces iter.Seq[iter.Seq2[Block, error]]) iter.Seq[*Chosen] {
	return func(yield func(*Chosen) bool) {
		workers := runtime.GOMAXPROCS(0)
		n := 2*workers + 2
		free, todo, order := make(chan *Chosen, n), make(chan *Chosen, n), make(chan *Chosen, n)
		for range n {
			free <- &Chosen{done: make(chan struct{}, 1)}
		}
		ctx, cancel := context.WithCancel(ctx)
		var running sync.WaitGroup
		defer running.Wait()
		defer cancel()
		running.Go(func() {
			// Both hold all there are, so that only free is waited for.
			defer close(todo)
			defer close(order)
			for piece := range pieces {
				select {
				case c := <-free:
					c.piece = piece
					todo <- c
					order <- c
				case <-ctx.Done():
					return
				}
			}
		})
		for range workers {
			running.Go(func() {
				for c := range todo {
					s.choose(ctx, c)
				}
			})
		}
		for c := range order {
			<-c.done
			if !yield(c) {
				return
			}
			free <- c
		}
	}
}

// choose reads the piece of c.
func (s *Sieve) choose(ctx context.Context, c *Chosen) {
	c.Lines, c.Matched, c.Bad, c.Err = c.Lines[:0], 0, c.Bad[:0], nil
	for block, err := range c.piece {
		if err != nil {
			c.Err = err
			break
		}
		known := len(c.Bad)
		var matched int
		c.Lines, matched, c.Bad = s.selectFrom(c, block.Data)
		c.Matched += matched
		for i := known; i < len(c.Bad); i++ {
			c.Bad[i].keep(block.First)
		}
		if ctx.Err() != nil || s.Stop && len(c.Bad) > 0 {
			break
		}
	}
	c.piece = nil
	c.done <- struct{}{}
}

func (s *Sieve) selectFrom(c *Chosen, block []byte) ([]byte, int, []Bad) {
	if s.Stop {
		return s.Filter.selects(c.Lines, c.Bad, block, s.Checked, true)
	}
	return s.Filter.Select(c.Lines, c.Bad, block, s.Checked)
}

// keptBytes is how much is kept of a line that is not JSON.
const keptBytes = 1 << 10

// keep makes b independent of the block whose first line has that offset.
func (b *Bad) keep(first uint64) {
	b.Offset = UnknownOffset
	if first != UnknownOffset {
		b.Offset = first + uint64(b.Line)
	}
	b.Size = len(b.Data)
	b.Data = append([]byte(nil), b.Data[:min(len(b.Data), keptBytes)]...)
}
