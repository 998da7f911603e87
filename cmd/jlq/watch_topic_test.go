package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/vfs"
	"example.com/jlq/partition"
	"example.com/jlq/topic"
)

// partRow is what matters of one line: the partition (-1: the total), its records,
// bytes and next offset.
type partRow struct{ part, records, bytes, next int64 }

// watchedTopic runs --watch 1s for so many intervals beside do.
func watchedTopic(t *testing.T, fsys vfs.FS, intervals int, do func()) (rows []partRow, reports string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	c := &statCommand{app: newApp(nil, &stdout, &stderr), json: true, watch: time.Second, number: intervals}
	ended := make(chan error, 1)
	go func() { ended <- c.watchTopic(t.Context(), &topicWatcher{fs: fsys, path: "orders"}) }()
	synctest.Wait()
	do()
	require.NoError(t, <-ended)
	require.NoError(t, c.out.Flush())
	for line := range strings.Lines(stdout.String()) {
		var g growth
		require.NoError(t, json.Unmarshal([]byte(line), &g))
		r := partRow{part: -1, records: int64(*g.Records), bytes: g.Bytes, next: -1}
		if g.Part != nil {
			r.part, r.next = int64(*g.Part), int64(*g.Next)
		}
		rows = append(rows, r)
	}
	return rows, stderr.String()
}

// TestWatchTopic: each partition that grew, and the total; also of partitions that
// are added and roll.
func TestWatchTopic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := vfs.NewMem()
		opts := &topic.Options{Partition: partition.Options{FS: mem, SegmentRecords: 4}}
		require.NoError(t, topic.Create("orders", 2, opts))
		appendTo := func(i, n int) {
			tp, err := topic.Open("orders", opts)
			require.NoError(t, err)
			p, err := tp.Partition(i)
			require.NoError(t, err)
			appendRecords(t, p, n)
			require.NoError(t, tp.Close())
		}
		appendTo(0, 3)
		rows, reports := watchedTopic(t, mem, 4, func() {
			time.Sleep(500 * time.Millisecond)
			appendTo(0, 6) // it rolls
			time.Sleep(time.Second)
			appendTo(0, 1)
			appendTo(1, 2)
			_, err := topic.AddPartitions("orders", 1, opts)
			require.NoError(t, err)
			time.Sleep(time.Second)
			appendTo(2, 5)
		})
		require.Empty(t, reports)
		require.Equal(t, []partRow{
			{0, 6, 48, 9}, {-1, 6, 48, -1},
			{0, 1, 8, 10}, {1, 2, 16, 2}, {-1, 3, 24, -1},
			{2, 5, 40, 5}, {-1, 5, 40, -1},
			{-1, 0, 0, -1},
		}, rows)
	})
}
