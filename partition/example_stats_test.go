package partition_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"example.com/jlq/partition"
)

// export hands the figures of a partition to a metrics library, each interval
// until ctx ends. Counters only grow, so the library makes rates of them; a
// histogram is told as counts up to a bound, as Prometheus wants it.
func export(ctx context.Context, p *partition.Partition, every time.Duration, set func(name string, value float64)) {
	ticks := time.NewTicker(every)
	defer ticks.Stop()
	for {
		s := p.Stats()
		set("log_next_offset", float64(s.Next))
		set("log_lag_of_durability", float64(s.Next-s.Durable))
		set("log_appended_bytes_total", float64(s.Written.Bytes))
		set("log_disk_read_bytes_total", float64(s.Read.Disk.Bytes))
		set("log_tail_read_bytes_total", float64(s.Read.Tail.Bytes))
		below := uint64(0)
		for i, n := range s.Written.Fsync.Buckets {
			if below += n; n > 0 {
				bound := time.Duration(1)<<i - 1
				set(fmt.Sprintf("log_fsync_seconds_bucket{le=%q}", fmt.Sprint(bound.Seconds())), float64(below))
			}
		}
		set("log_fsync_seconds_sum", time.Duration(s.Written.Fsync.Sum).Seconds())
		set("log_fsync_seconds_count", float64(s.Written.Fsync.Count))
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return
		}
	}
}

func ExamplePartition_Stats() {
	p, done := open() // with three records, each of which was synced
	defer done()

	gauges := map[string]float64{} // instead of a metrics library
	ctx, stop := context.WithCancel(context.Background())
	stop()
	export(ctx, p, 10*time.Second, func(name string, value float64) { gauges[name] = value })

	for _, name := range []string{"log_next_offset", "log_lag_of_durability", "log_appended_bytes_total", "log_fsync_seconds_count"} {
		fmt.Println(name, gauges[name])
	}
	// Output:
	// log_next_offset 3
	// log_lag_of_durability 0
	// log_appended_bytes_total 27
	// log_fsync_seconds_count 3
}

// A histogram tells quantiles to within a factor of two, and the mean and the
// maximum exactly.
func ExampleHistogram() {
	p, done := open()
	defer done()
	if _, err := p.AppendBatch([][]byte{[]byte("1"), []byte("2"), []byte("3")}); err != nil {
		log.Fatal(err)
	}
	batches := p.Stats().Written.BatchRecords
	fmt.Println(batches.Count, batches.Mean(), batches.Quantile(0.5), batches.Max)
	// Output: 4 1.5 1 3
}
