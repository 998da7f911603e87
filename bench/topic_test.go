package bench

import (
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/partition"
	"example.com/jlq/topic"
)

// mergedPartitions are those of the topic that is merged.
const mergedPartitions = 4

// topicScans read a topic as one sequence: in the order of time, and one
// partition after the other, which is to cost what reading these by themselves
// does. naive scans the lines of their files, one file after the other.
func topicScans(top *topic.Topic) map[string]func() (Tally, error) {
	return map[string]func() (Tally, error){
		"scans": func() (Tally, error) {
			return tallyEach(top, func(p *partition.Partition) (Tally, error) { return jlqStore{p}.tally() })
		},
		"by-partition": func() (Tally, error) { return tallyTopic(top, &topic.ReadOptions{ByPartition: true}) },
		"by-time":      func() (Tally, error) { return tallyTopic(top, nil) },
		"backward":     func() (Tally, error) { return tallyTopic(top, &topic.ReadOptions{Backward: true}) },
		"naive": func() (Tally, error) {
			return tallyEach(top, func(p *partition.Partition) (Tally, error) { return tallied(p.Path(), ScanLines)() })
		},
	}
}

// BenchmarkTopicMerge reads all of a topic.
func BenchmarkTopicMerge(b *testing.B) {
	set := JSON(ManyRecords)
	top := openTopic(b, b.TempDir(), mergedPartitions, set)
	scans := topicScans(top)
	for _, name := range []string{"scans", "by-partition", "by-time", "backward", "naive"} {
		b.Run(name, func(b *testing.B) { RunScan(b, set, scans[name]) })
	}
}

// Who is measured must read the same records.
func TestTopicScansAgree(t *testing.T) {
	set := JSON(5000)
	for name, scan := range topicScans(openTopic(t, t.TempDir(), mergedPartitions, set)) {
		got, err := scan()
		require.NoError(t, err, name)
		require.NoError(t, got.Check(set), name)
	}
}

func openTopic(tb testing.TB, dir string, partitions int, set *Set) *topic.Topic {
	tb.Helper()
	top, err := topic.OpenReader(filledTopic(tb, dir, partitions, set), nil)
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, top.Close()) })
	return top
}

func tallyTopic(top *topic.Topic, opts *topic.ReadOptions) (t Tally, err error) {
	for rec, err := range top.Records(opts) {
		if err != nil {
			return t, err
		}
		t.Add(rec.Data)
	}
	return t, nil
}

// tallyEach adds up partition after partition.
func tallyEach(top *topic.Topic, scan func(*partition.Partition) (Tally, error)) (t Tally, err error) {
	m := top.Meta()
	for _, i := range m.All() {
		p, err := top.Partition(i)
		if err != nil {
			return t, err
		}
		one, err := scan(p)
		if err != nil {
			return t, err
		}
		t.Records += one.Records
		t.Bytes += one.Bytes
	}
	return t, nil
}
