package main

import (
	"bytes"
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/jlq/group"
	"example.com/jlq/topic"
)

// A record that failed may go to another consumer, with its partition, before it
// comes again: the one that had it does not wait for it, or it would never end.
func TestPoolWaitsForNothingThatOthersHave(t *testing.T) {
	path := filepath.Join(t.TempDir(), "orders")
	require.NoError(t, topic.Create(path, 2, nil))
	g, err := group.Open(path, "g", nil)
	require.NoError(t, err)
	other, err := group.Open(topic.PartitionPath(path, 1), "g", nil)
	require.NoError(t, err)
	taken, err := other.Join(t.Context())
	require.NoError(t, err)
	require.Equal(t, []int{1}, taken.Partitions())
	m, err := g.Join(t.Context())
	require.NoError(t, err)
	require.Equal(t, []int{0}, m.Partitions())

	a := newApp(nil, new(bytes.Buffer), new(bytes.Buffer))
	c := &consumer{consumeCommand: &consumeCommand{app: a, limit: -1}, path: path, g: g, m: m}
	p := c.newPool(func(error) {})
	p.again[failed{partition: 1, offset: 5}] = struct{}{}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	require.NoError(t, p.deliver(ctx))
	require.Empty(t, p.again)
	require.NoError(t, m.Close())
	require.NoError(t, taken.Close())
}
