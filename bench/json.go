package bench

import (
	"math/rand/v2"
	"strconv"
	"time"
)

// MeanRecord is the mean length of the JSON records. It is exact for an even
// number of them: they come in pairs, one as much longer as the other is
// shorter.
const MeanRecord = 255

// maxSpread bounds how much longer or shorter than the mean a record is.
const maxSpread = 100

// jsonSeed makes the records the same ones in every run on every machine.
const jsonSeed = 20260101

var (
	levels = []string{"debug", "info", "info", "info", "info", "info", "warn", "error"}
	names  = []string{"alice", "bob", "carol", "dave", "erin", "frank", "grace", "heidi", "ivan", "judy", "mallory", "niaj", "olivia", "peggy", "rupert", "sybil"}
	words  = []string{"request", "completed", "after", "retry", "of", "upstream", "connection", "pool", "cache", "miss", "for", "order", "payment", "accepted", "by", "the", "gateway", "in", "region", "eu-central-1", "with", "status", "200", "latency", "budget", "left", "shard", "rebalanced"}
)

// JSON returns n JSON records as a service logs them: time, level, message,
// user, amount and trace, 155 to 355 bytes long, about one in 64 with escapes
// and one in 16 with letters beyond ASCII.
func JSON(n int) *Set {
	g := generator{src: rand.NewPCG(jsonSeed, 0), at: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	lines := make([]byte, 0, (n+1)*(MeanRecord+1))
	ends := make([]int64, n)
	for i := range n {
		lines = append(g.record(lines, g.length(i)), '\n')
		ends[i] = int64(len(lines))
	}
	return newSet(lines, ends)
}

// generator uses nothing of its source but Uint64: only that sequence is the
// same in every release of Go.
type generator struct {
	src    *rand.PCG
	at     time.Time
	spread int
}

func (g *generator) below(n int) int { return int(g.src.Uint64() % uint64(n)) }

// length returns that of record i.
func (g *generator) length(i int) int {
	if i%2 == 1 {
		return MeanRecord - g.spread
	}
	g.spread = g.below(2*maxSpread+1) - maxSpread
	return MeanRecord + g.spread
}

// record appends a record of length bytes to dst.
func (g *generator) record(dst []byte, length int) []byte {
	start := len(dst)
	g.at = g.at.Add(time.Duration(1+g.below(20_000)) * time.Microsecond)
	tail := g.tail()
	dst = append(dst, `{"ts":"`...)
	dst = g.at.AppendFormat(dst, "2006-01-02T15:04:05.000000Z")
	dst = append(dst, `","level":"`...)
	dst = append(dst, levels[g.below(len(levels))]...)
	dst = append(dst, `","msg":"`...)
	dst = g.message(dst, length-(len(dst)-start)-len(tail))
	return append(dst, tail...)
}

// tail returns what follows the message.
func (g *generator) tail() []byte {
	b := append([]byte(`","user":{"id":`), strconv.Itoa(g.below(1_000_000))...)
	b = append(append(b, `,"name":"`...), names[g.below(len(names))]...)
	if g.below(16) == 0 {
		b = append(b, " Müller"...)
	}
	b = strconv.AppendFloat(append(b, `"},"amount":`...), float64(g.below(100_000))/100, 'f', 2, 64)
	b = append(b, `,"trace":"`...)
	for range 16 {
		b = append(b, "0123456789abcdef"[g.below(16)])
	}
	return append(b, `"}`...)
}

// message appends words that fill n bytes exactly.
func (g *generator) message(dst []byte, n int) []byte {
	const quote = `said \"no\": `
	end := len(dst) + n
	// A message that ends inside an escape would not be JSON.
	if g.below(64) == 0 && n > len(quote) {
		dst = append(dst, quote...)
	}
	for len(dst) < end {
		dst = append(append(dst, words[g.below(len(words))]...), ' ')
	}
	return dst[:end]
}
