package main

import (
	"context"
	"errors"
	"iter"
	"slices"

	"example.com/jlq/internal/jsonl"
	"example.com/jlq/internal/sample"
	"example.com/jlq/internal/segment"
	"example.com/jlq/reader"
	"example.com/jlq/topic"
)

// lot is one log that is drawn from.
type lot struct {
	log  *reader.Log
	id   topic.ID
	span span
	skip *skipper // nil: what cannot be read is an error
}

func (l *lot) size() uint64 { return l.span.to - l.span.from }

// of is the lot of each part of a log: one that is empty where there are none.
func (l lot) of(parts []span) (lots []lot) {
	for _, s := range parts {
		l.span = s
		lots = append(lots, l)
	}
	if len(parts) == 0 {
		return []lot{l}
	}
	return lots
}

// lots are the partitions of a topic.
func (v *topicView) lots(spans map[int]topic.Span) (lots []lot, err error) {
	for _, i := range v.meta.Consumed() {
		log, err := v.log(i)
		if err != nil {
			return nil, err
		}
		parts := []span{{spans[i].From, spans[i].To}}
		if v.parts != nil {
			parts = v.parts[i]
		}
		lots = append(lots, lot{log: log, id: topic.ID{Topic: v.meta.Name, Partition: i}, skip: v.skips[i]}.of(parts)...)
	}
	return lots, nil
}

// draw chooses by offset, before anything is read.
type draw struct {
	*sampleCommand
	ctx  context.Context
	lots []lot
}

// place is a record that was chosen.
type place struct {
	lot    int
	offset uint64
}

// chosen are the offsets chosen of lot i, in order, and about how many they are.
func (d *draw) chosen() (offsets []iter.Seq[uint64], counts []uint64) {
	if d.share > 0 {
		return d.shares()
	}
	total := uint64(0)
	for i := range d.lots {
		total += d.lots[i].size()
	}
	numbers := sample.Distinct(0, total, uint64(d.limit), d.seed.value)
	if len(d.lots) == 1 {
		return []iter.Seq[uint64]{shifted(numbers, d.lots[0].span.from)}, []uint64{min(total, uint64(d.limit))}
	}
	all := slices.Collect(numbers)
	first := uint64(0)
	for i := range d.lots {
		behind, _ := slices.BinarySearch(all, first+d.lots[i].size())
		// In a lot that lies behind others numbers begin with theirs.
		offsets = append(offsets, shifted(slices.Values(all[:behind]), d.lots[i].span.from-first))
		counts = append(counts, uint64(behind))
		all, first = all[behind:], first+d.lots[i].size()
	}
	return offsets, counts
}

// shares are the offsets that -p chooses. A partition has a seed of its own, or
// the same offsets would be chosen in all of them.
func (d *draw) shares() (offsets []iter.Seq[uint64], counts []uint64) {
	for i := range d.lots {
		l := &d.lots[i]
		share := sample.NewShare(float64(d.share), d.seed.value+uint64(l.id.Partition)<<32)
		offsets = append(offsets, func(yield func(uint64) bool) {
			for offset := l.span.from; offset < l.span.to; offset++ {
				if share.Takes(offset) && !yield(offset) {
					return
				}
			}
		})
		counts = append(counts, uint64(float64(d.share)*float64(l.size())))
	}
	return offsets, counts
}

// shifted adds by, which may wrap around, to numbers.
func shifted(numbers iter.Seq[uint64], by uint64) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		for n := range numbers {
			if !yield(n + by) {
				return
			}
		}
	}
}

// records are those that are chosen.
func (d *draw) records() stream {
	if d.shuffle {
		return d.shuffled()
	}
	return d.inOrder()
}

// inOrder are the records that are chosen: of several partitions, as --order
// says.
func (d *draw) inOrder() stream {
	offsets, counts := d.chosen()
	var streams []stream
	for i := range d.lots {
		records := d.read(&d.lots[i], offsets[i], counts[i])
		if last := len(streams) - 1; i > 0 && d.lots[i].log == d.lots[i-1].log {
			records = chained(streams[last], records) // parts of one log keep their order
			streams = streams[:last]
		}
		streams = append(streams, records)
	}
	if len(streams) == 1 {
		return streams[0]
	}
	return merged(streams, d.order)
}

// shuffled are the records that are chosen, in a random order.
func (d *draw) shuffled() stream {
	offsets, _ := d.chosen()
	var places []place
	for i := range d.lots {
		for offset := range offsets[i] {
			places = append(places, place{i, offset})
		}
	}
	sample.Shuffle(places, d.seed.value)
	return func(yield func(topic.Record, error) bool) {
		var buf []byte
		for _, p := range places {
			var more bool
			if buf, more = d.get(&d.lots[p.lot], p.offset, buf, yield); !more {
				return
			}
		}
	}
}

const (
	// readAll is the share of records, one in so many, from which on reading
	// them all is cheaper than reading each by itself.
	readAll = 8
	// readMarked is how many bytes are read to get one record of a file without
	// an index, when its lines have been counted.
	readMarked = 128 << 10
)

// read are the records of a lot at offsets, which are about count.
func (d *draw) read(l *lot, offsets iter.Seq[uint64], count uint64) stream {
	if l.dense(count) {
		return d.scan(l, offsets)
	}
	return func(yield func(topic.Record, error) bool) {
		var buf []byte
		for offset := range offsets {
			var more bool
			if buf, more = d.get(l, offset, buf, yield); !more {
				return
			}
		}
	}
}

// dense reports whether all records are read for the sake of so many of them.
func (l *lot) dense(count uint64) bool {
	if l.log.Place().Bare {
		if info := l.log.Info(); !info.HasIndex && len(info.Segments) > 0 {
			return count > uint64(info.Segments[0].Bytes)/readMarked
		}
	}
	return count > l.size()/readAll
}

// get yields the record at offset, which it reads into buf.
func (d *draw) get(l *lot, offset uint64, buf []byte, yield func(topic.Record, error) bool) (read []byte, more bool) {
	rec := topic.Record{ID: l.id}
	read, err := l.log.GetInto(buf[:0], offset)
	if err == nil && d.ctx.Err() != nil {
		err = context.Cause(d.ctx)
	}
	if err != nil && d.passesOver(l, offset, err) {
		return buf, true
	}
	if err != nil {
		return buf, yield(topic.Record{}, named(l.log.Place().Path, err)) && false
	}
	rec.ID.Offset, rec.Record = offset, reader.Record{Offset: offset, Data: read}
	return read, yield(rec, nil)
}

// passesOver takes the error of reading the record at offset, where such records are
// left out.
func (d *draw) passesOver(l *lot, offset uint64, err error) bool {
	damage := reader.Damage{Err: err, Offset: offset, Records: 1}
	_, corrupt := errors.AsType[*segment.CorruptError](err)
	_, away := errors.AsType[*segment.SegmentAwayError](err)
	switch large := errors.Is(err, jsonl.ErrTooLarge); {
	case l.skip != nil && (corrupt || away || large):
		return l.skip.damage(damage) == nil
	case l.skip == nil && large && d.readFlags.lenient.goesOn():
		return d.readFlags.lenient.tooLarge(damage) == nil
	}
	return false
}

// scan reads all records of the lot and yields those at offsets.
func (d *draw) scan(l *lot, offsets iter.Seq[uint64]) stream {
	return func(yield func(topic.Record, error) bool) {
		next, stop := iter.Pull(offsets)
		defer stop()
		want, more := next()
		if !more {
			return
		}
		for rec, err := range l.log.Range(want, l.span.to) {
			if err == nil && d.ctx.Err() != nil {
				err = context.Cause(d.ctx)
			}
			if err != nil {
				yield(topic.Record{}, err)
				return
			}
			for more && want < rec.Offset {
				want, more = next() // it was left out as damaged
			}
			if !more {
				return
			}
			if rec.Offset < want {
				continue
			}
			id := l.id
			id.Offset = rec.Offset
			if !yield(topic.Record{Record: rec, ID: id}, nil) {
				return
			}
			if want, more = next(); !more {
				return
			}
		}
	}
}
