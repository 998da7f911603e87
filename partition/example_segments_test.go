package partition_test

import (
	"errors"
	"fmt"
	"log"

	"example.com/jlq/partition"
)

// rolled opens a log of 30 records in segments of 10.
func rolled(opts partition.Options) (p *partition.Partition, done func()) {
	path, remove := dir()
	opts.SegmentRecords = 10
	p, err := partition.Open(path, &opts)
	if err != nil {
		log.Fatal(err)
	}
	for n := range 30 {
		if _, err := p.Append(fmt.Appendf(nil, `{"id":%d}`, n)); err != nil {
			log.Fatal(err)
		}
	}
	return p, func() { p.Close(); remove() }
}

// A sealed segment does not change any more: it can be copied, packed, or
// moved to another disk.
func ExamplePartition_Roll() {
	p, done := open()
	defer done()
	if err := p.Roll(); err != nil {
		log.Fatal(err)
	}
	for _, s := range p.Log().Info().Segments {
		fmt.Println(s.Base, s.Count)
	}
	fmt.Println(errors.Is(p.Roll(), partition.ErrEmptySegment))
	// Output:
	// 0 3
	// 3 0
	// true
}

// PlanTrim shows what ApplyTrim with the same policy does.
func ExamplePartition_PlanTrim() {
	p, done := rolled(partition.Options{})
	defer done()
	plan, err := p.PlanTrim(partition.TrimPolicy{Retention: partition.Retention{MaxRecords: 12}})
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range plan.Segments {
		fmt.Println(s.Base, s.Records, s.Action)
	}
	// Output:
	// 0 10 drop
	// 10 10 keep
	// 20 10 keep
}

// Offsets do not change when records are dropped. Who asks for one that is
// gone is told where the log begins now.
func ExamplePartition_Trim() {
	p, done := rolled(partition.Options{})
	defer done()
	if err := p.Trim(20); err != nil {
		log.Fatal(err)
	}
	from := uint64(5)
	for from < 30 {
		for rec, err := range p.Records(from) {
			if gone, ok := errors.AsType[*partition.RangeError](err); ok && gone.Gone() > 0 {
				fmt.Println(gone.Gone(), "records were dropped before they were read")
				from = gone.Start
				break
			}
			if err != nil {
				log.Fatal(err)
			}
			from = rec.Offset + 1
		}
	}
	fmt.Println("read up to", from)
	// Output:
	// 15 records were dropped before they were read
	// read up to 30
}

// What somebody still needs is held, whatever the limits say.
func ExampleRetention_hold() {
	billing := uint64(14) // the next record that it reads
	p, done := rolled(partition.Options{Retention: partition.Retention{
		MaxRecords: 1,
		Hold: func() (holds []partition.Hold, release func(), err error) {
			return []partition.Hold{{Name: "billing", Offset: billing}}, nil, nil
		},
	}})
	defer done()
	plan, err := p.PlanTrim(partition.TrimPolicy{Before: 30})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(plan.NewStart, plan.Held)
	// Output: 10 [{billing 14}]
}
