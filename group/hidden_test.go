package group

import (
	"iter"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/vfs"
	"example.com/jlq/partition"
	"example.com/jlq/topic"
)

// A partition that is hidden from consumers is given up soon enough that its
// deletion, which waits three seconds, needs no second attempt: by a member that
// waits for records, and by one that has a record in its hands.
func TestHiddenIsGivenUpForDeletion(t *testing.T) {
	for _, busy := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			mem := vfs.NewMem()
			newTopic(t, mem, 2, 1)
			opts := &topic.Options{Partition: partition.Options{FS: mem}}
			m := join(t, open(t, mem, "orders", Options{}))
			require.Equal(t, []int{2}, settle(t, 2, m))
			next, stop := iter.Pull2(m.Messages(t.Context()))
			defer stop()
			for range 2 {
				msg := pulled(t, next)
				if busy && msg.Partition() == 1 {
					msg.Keep()
				} else {
					msg.Ack()
				}
			}
			_, err := topic.Hide("orders", 1, topic.Producers|topic.Consumers, opts)
			require.NoError(t, err)
			// What is in the hands of a member is not consumed: that has to be forced.
			_, err = topic.Delete("orders", topic.Deletion{Partitions: []int{1}, Force: busy}, opts)
			require.NoError(t, err, "busy: %v", busy)
			require.Equal(t, []int{0}, m.Partitions())
			require.NoError(t, m.Close())
		})
	}
}
