package topic

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A partition may be deleted between the moment that a batch is divided and the
// one that its share is stored: the share is placed again, and that is no error.
func TestBatchOutlivesADeletion(t *testing.T) {
	dir := t.TempDir() + "/orders"
	require.NoError(t, Create(dir, 2, nil))
	topic, err := Open(dir, nil)
	require.NoError(t, err)
	before := topic.now.Load()
	for _, who := range []Audience{Producers, Consumers} {
		_, err = Hide(dir, 1, who, nil)
		require.NoError(t, err)
	}
	require.NoError(t, topic.Refresh())
	_, err = Delete(dir, Deletion{Partitions: []int{1}}, nil)
	require.NoError(t, err)
	require.NoError(t, topic.Refresh())

	b := &batch{t: topic, records: []Keyed{{Data: []byte(`1`)}}, ids: make([]ID, 1)}
	s := &share{partition: 1, records: []int{0}}
	b.store(before, s)
	left, err := b.outcome([]*share{s})
	require.NoError(t, err)
	require.Equal(t, []int{0}, left)
	left, err = b.round(left)
	require.NoError(t, err)
	require.Empty(t, left)
	require.Equal(t, []ID{{"orders", 0, 0}}, b.ids)
	require.NoError(t, topic.Close())
}
