package bench

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/jlq/group"
	"example.com/jlq/internal/vfs"
	"example.com/jlq/partition"
	"example.com/jlq/topic"
)

// BenchmarkGroupConsume reads a million records through a group that acks each,
// beside a plain scan of the same log. What a commit costs is measured apart.
func BenchmarkGroupConsume(b *testing.B) {
	set := JSON(ManyRecords)
	dir := b.TempDir()
	must(b, Fixture(dir, set))
	b.Run("scan", func(b *testing.B) { RunScan(b, set, anew(dir, jlqStore.tally)) })
	b.Run("scan-next", func(b *testing.B) { RunScan(b, set, anew(dir, jlqStore.tallyNext)) })
	b.Run("jlq", func(b *testing.B) { benchmarkConsume(b, dir, set, "plain", &group.Options{CommitEvery: -1}) })
	b.Run("jlq-autoack", func(b *testing.B) {
		benchmarkConsume(b, dir, set, "autoack", &group.Options{CommitEvery: -1, AutoAck: true})
	})
	b.Run("jlq-commits", func(b *testing.B) { benchmarkConsume(b, dir, set, "commits", nil) })
	b.Run("jlq-nothing-saved", func(b *testing.B) { benchmarkConsume(b, dir, set, "unsaved", &group.Options{NoCommit: true}) })
}

// anew scans a log that is opened for it, as a member opens it: one that is read
// again and again is mapped by and by, and then costs less.
func anew(dir string, scan func(jlqStore) (Tally, error)) func() (Tally, error) {
	return func() (Tally, error) {
		p, err := partition.OpenReader(dir, nil)
		if err != nil {
			return Tally{}, err
		}
		t, err := scan(jlqStore{p})
		return t, firstError(err, p.Close())
	}
}

// benchmarkConsume reads all records as a group that is new each time. Joining
// and closing, which commits, are reported beside it.
func benchmarkConsume(b *testing.B, path string, set *Set, name string, opts *group.Options) {
	b.Helper()
	var m Meter
	for i := 0; b.Loop(); i++ {
		g, err := group.Open(path, fmt.Sprintf("%s-%d", name, i), opts)
		must(b, err)
		var member *group.Member
		m.Beside("setup-ms", func() { member, err = g.Join(b.Context()) })
		must(b, err)
		var t Tally
		m.Measure(set.Len(), func() { t, err = consume(b.Context(), member, set.Len()) })
		must(b, err)
		must(b, t.Check(set))
		m.Beside("close-ms", func() { err = member.Close() })
		must(b, err)
	}
	m.Report(b)
}

// consume reads and acks the next n records.
func consume(ctx context.Context, member *group.Member, n int) (t Tally, err error) {
	for msg, err := range member.Messages(ctx) {
		if err != nil {
			return t, err
		}
		t.Add(msg.Data)
		msg.Ack()
		if t.Records == n {
			break
		}
	}
	return t, nil
}

// BenchmarkCommit measures a commit on request: one partition whose last record
// was acked, and a hundred that each had one.
func BenchmarkCommit(b *testing.B) {
	for _, partitions := range []int{1, 100} {
		b.Run(fmt.Sprintf("n=%d/jlq", partitions), func(b *testing.B) { benchmarkCommit(b, partitions) })
	}
	b.Run("n=1/replace", func(b *testing.B) { benchmarkReplace(b) })
}

const commits = 50

// benchmarkReplace measures what a commit cannot do without.
func benchmarkReplace(b *testing.B) {
	b.Helper()
	var m Meter
	for b.Loop() {
		dir, remove := scratch(b)
		var err error
		m.Measure(commits, func() {
			for i := 0; i < commits && err == nil; i++ {
				err = vfs.ReplaceFile(vfs.OS, dir+"/offsets.json", []byte(`{"format":1}`), 0o600)
			}
		})
		must(b, err)
		remove()
	}
	m.Report(b)
}

func benchmarkCommit(b *testing.B, partitions int) {
	b.Helper()
	var m Meter
	for b.Loop() {
		dir, remove := scratch(b)
		member := consumerOf(b, dir, partitions, (commits+1)*partitions)
		var err error
		must(b, ackAndCommit(b.Context(), member, partitions)) // the first marks what is in flight
		m.Measure(commits, func() {
			for i := 0; i < commits && err == nil; i++ {
				err = ackAndCommit(b.Context(), member, partitions)
			}
		})
		must(b, err)
		must(b, member.Close())
		remove()
	}
	m.Report(b)
}

func ackAndCommit(ctx context.Context, member *group.Member, records int) error {
	if _, err := consume(ctx, member, records); err != nil {
		return err
	}
	return member.CommitSync()
}

// consumerOf makes a topic with so many records, evenly, and a member of a group
// that has all its partitions.
func consumerOf(tb testing.TB, dir string, partitions, records int) *group.Member {
	tb.Helper()
	path := filledTopic(tb, dir, partitions, JSON(records))
	g, err := group.Open(path, "bench", &group.Options{CommitEvery: -1})
	require.NoError(tb, err)
	member, err := g.Join(tb.Context())
	require.NoError(tb, err)
	return member
}

// filledTopic makes a topic that holds the set, its records dealt out in turn.
func filledTopic(tb testing.TB, dir string, partitions int, set *Set) (path string) {
	tb.Helper()
	path = dir + "/orders"
	require.NoError(tb, topic.Create(path, partitions, nil))
	for n := range partitions {
		var mine [][]byte
		for i := n; i < set.Len(); i += partitions {
			mine = append(mine, set.Record(i))
		}
		p, err := partition.Open(topic.PartitionPath(path, n), &partition.Options{Sync: partition.SyncOS, Validate: partition.Frame})
		require.NoError(tb, err)
		_, err = p.AppendBatch(mine)
		require.NoError(tb, err)
		require.NoError(tb, p.Close())
	}
	return path
}

// BenchmarkRebalance measures from one member's coming or going until the
// shares of those that are left are right again.
func BenchmarkRebalance(b *testing.B) {
	b.Run("join", func(b *testing.B) { benchmarkRebalance(b, joinLate) })
	b.Run("leave", func(b *testing.B) { benchmarkRebalance(b, leaveEarly) })
	b.Run("kill", func(b *testing.B) { benchmarkRebalance(b, killOther) })
}

const shared = 8 // partitions that members share

func benchmarkRebalance(b *testing.B, change func(*testing.B, string, *group.Member) time.Duration) {
	b.Helper()
	var m Meter
	for b.Loop() {
		dir, remove := scratch(b)
		member := consumerOf(b, dir, shared, shared)
		took := change(b, dir+"/orders", member)
		m.add("ms/run", millis(took))
		must(b, member.Close())
		remove()
	}
	m.Report(b)
}

// joinLate has a second member come.
func joinLate(b *testing.B, path string, first *group.Member) time.Duration {
	start := time.Now()
	second := joinTopic(b, path)
	defer func() { must(b, second.Close()) }()
	awaitShare(b, first, shared/2)
	awaitShare(b, second, shared/2)
	return time.Since(start)
}

// leaveEarly has a second member close.
func leaveEarly(b *testing.B, path string, first *group.Member) time.Duration {
	second := joinTopic(b, path)
	awaitShare(b, second, shared/2)
	start := time.Now()
	must(b, second.Close())
	awaitShare(b, first, shared)
	return time.Since(start)
}

// killOther has a member in another process, which is killed.
func killOther(b *testing.B, path string, first *group.Member) time.Duration {
	other := startConsumer(b, path, 2)
	other.await("ready")
	awaitShare(b, first, shared/2)
	start := time.Now()
	must(b, other.cmd.Process.Kill())
	awaitShare(b, first, shared)
	took := time.Since(start)
	require.Error(b, other.cmd.Wait())
	return took
}

func joinTopic(tb testing.TB, path string) *group.Member {
	tb.Helper()
	g, err := group.Open(path, "bench", nil)
	require.NoError(tb, err)
	member, err := g.Join(tb.Context())
	require.NoError(tb, err)
	return member
}

// awaitShare returns when a member has so many partitions.
func awaitShare(tb testing.TB, member *group.Member, partitions int) {
	tb.Helper()
	deadline := time.Now().Add(time.Minute)
	for len(member.Partitions()) != partitions {
		require.True(tb, time.Now().Before(deadline), "it has %v, and should have %d", member.Partitions(), partitions)
		time.Sleep(time.Millisecond)
	}
}

// BenchmarkConsumers measures how long so many processes take that share the
// eight partitions of a topic of a million records, from when all of them have
// their share.
func BenchmarkConsumers(b *testing.B) {
	set := JSON(ManyRecords)
	for _, processes := range []int{1, 2, 4} {
		b.Run(fmt.Sprintf("processes=%d", processes), func(b *testing.B) { benchmarkConsumers(b, set, processes) })
	}
}

func benchmarkConsumers(b *testing.B, set *Set, processes int) {
	b.Helper()
	var m Meter
	for b.Loop() {
		dir, remove := scratch(b)
		path := filledTopic(b, dir, shared, set)
		members := make([]*consumer, processes)
		for i := range members {
			members[i] = startConsumer(b, path, processes)
		}
		for _, member := range members {
			member.await("ready")
		}
		m.Measure(set.Len(), func() {
			for _, member := range members {
				member.say("go")
			}
			for _, member := range members {
				member.await("done")
			}
		})
		for _, member := range members {
			must(b, member.in.Close())
			must(b, member.cmd.Wait())
		}
		remove()
	}
	m.Report(b)
}
