package topic

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzParseMeta: whatever topic.json holds, it is refused, or it is a topic
// whose names and numbers can be trusted and which is written back as it was.
func FuzzParseMeta(f *testing.F) {
	for _, seed := range []string{
		`{"format":1,"name":"orders","partitions":4}`,
		`{"format":1,"name":"a-1","partitions":3,"hidden":{"producers":[0,2],"consumers":[2]},"deleted":[1]}`,
		`{"format":2,"name":7}`, `{"format":1,"name":"..","partitions":1}`, `{"format":1,"name":"x","partitions":1e9}`,
		`{"FORMAT":1,"Name":"x","partitions":2,"partitions":1,"deleted":null}`, `{"format":1.0}`, `null`, "\x00", ``,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := parseMeta(data)
		if err != nil {
			return
		}
		require.NoError(t, CheckName(m.Name))
		require.LessOrEqual(t, m.Partitions, MaxPartitions)
		require.Equal(t, m.Partitions, len(m.All())+len(m.Deleted))
		for _, lists := range [][]int{m.Produced(), m.Consumed()} {
			require.Subset(t, m.All(), lists)
		}
		line, err := json.Marshal(m)
		require.NoError(t, err)
		again, err := parseMeta(line)
		require.NoError(t, err)
		more, err := json.Marshal(again)
		require.NoError(t, err)
		require.Equal(t, string(line), string(more))
	})
}
