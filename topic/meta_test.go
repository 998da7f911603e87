package topic

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/segment"
	"example.com/jlq/internal/vfs"
	"example.com/jlq/partition"
)

// TestMetaBytes: topic.json is what people are told that it is.
func TestMetaBytes(t *testing.T) {
	mem, opts := newTopic(t, 4)
	bytes := func() string {
		data, err := vfs.ReadFile(mem, "orders/topic.json", 1000)
		require.NoError(t, err)
		return string(data)
	}
	require.Equal(t, `{"format":1,"name":"orders","partitions":4}`+"\n", bytes())
	_, err := Hide("orders", 2, Producers|Consumers, opts)
	require.NoError(t, err)
	_, err = Hide("orders", 1, Consumers, opts)
	require.NoError(t, err)
	require.Equal(t, `{"format":1,"name":"orders","partitions":4,"hidden":{"producers":[2],"consumers":[1,2]}}`+"\n", bytes())
	_, err = Delete("orders", Deletion{Partitions: []int{2}}, opts)
	require.NoError(t, err)
	_, err = Unhide("orders", 1, Producers|Consumers, opts)
	require.NoError(t, err)
	m, err := AddPartitions("orders", 1, opts)
	require.NoError(t, err)
	require.Equal(t, `{"format":1,"name":"orders","partitions":5,"deleted":[2]}`+"\n", bytes())
	require.Equal(t, []int{0, 1, 3, 4}, m.All())
}

// TestMetaDamaged: a topic.json that cannot be believed is damage with its
// name, for every call, and nothing is changed.
func TestMetaDamaged(t *testing.T) {
	const good = `{"format":1,"name":"orders","partitions":2}` + "\n"
	for name, bytes := range map[string]string{
		"emptied":               "",
		"cut":                   good[:len(good)/2],
		"NUL":                   strings.Repeat("\x00", len(good)),
		"NUL behind":            good + "\x00",
		"no format":             `{"name":"orders","partitions":2}`,
		"format 0":              `{"format":0,"name":"orders","partitions":2}`,
		"another type":          `{"format":1,"name":"orders","partitions":"2"}`,
		"array":                 `[]`,
		"no name":               `{"format":1,"partitions":2}`,
		"a path for a name":     `{"format":1,"name":"../x","partitions":2}`,
		"no partitions":         `{"format":1,"name":"orders"}`,
		"negative":              `{"format":1,"name":"orders","partitions":-1}`,
		"too many":              `{"format":1,"name":"orders","partitions":10001}`,
		"hidden beyond":         `{"format":1,"name":"orders","partitions":2,"hidden":{"producers":[2]}}`,
		"hidden negative":       `{"format":1,"name":"orders","partitions":2,"hidden":{"consumers":[-1]}}`,
		"deleted twice":         `{"format":1,"name":"orders","partitions":2,"deleted":[1,1]}`,
		"deleted out of order":  `{"format":1,"name":"orders","partitions":2,"deleted":[1,0]}`,
		"larger than it can be": good + strings.Repeat(" ", maxMetaBytes),
	} {
		t.Run(name, func(t *testing.T) {
			mem, opts := newTopic(t, 2)
			require.NoError(t, vfs.ReplaceFile(mem, "orders/topic.json", []byte(bytes), 0o600))
			for what, err := range everyCall(opts) {
				corrupt := &partition.CorruptError{}
				require.ErrorAs(t, err, &corrupt, what)
				require.Equal(t, "orders/topic.json", corrupt.Path)
			}
			after, err := vfs.ReadFile(mem, "orders/topic.json", 2*maxMetaBytes)
			require.NoError(t, err)
			require.Equal(t, bytes, string(after))
			found, err := List(".", opts)
			require.NoError(t, err)
			require.Len(t, found, 1)
			require.ErrorContains(t, found[0].Err, "orders/topic.json: corrupt")
		})
	}
}

// everyCall is the error of each call on the topic orders.
func everyCall(opts *Options) map[string]error {
	out := map[string]error{}
	_, out["open"] = Open("orders", opts)
	_, out["open reader"] = OpenReader("orders", opts)
	_, out["add"] = AddPartitions("orders", 1, opts)
	_, out["hide"] = Hide("orders", 0, Producers, opts)
	_, out["unhide"] = Unhide("orders", 0, Producers, opts)
	_, out["plan"] = PlanDelete("orders", Deletion{}, opts)
	_, out["delete"] = Delete("orders", Deletion{Force: true}, opts)
	out["create"] = Create("orders", 2, opts)
	return out
}

func TestMetaNewer(t *testing.T) {
	mem, opts := newTopic(t, 2)
	require.NoError(t, vfs.ReplaceFile(mem, "orders/topic.json", []byte(`{"format":2,"name":{"en":"orders"}}`), 0o600))
	for what, err := range everyCall(opts) {
		require.ErrorIs(t, err, ErrNewerFormat, what)
		require.ErrorContains(t, err, "orders/topic.json")
	}
}

// TestMetaLost: a topic without its topic.json is no empty log and no topic,
// and what is in it is not taken for what Create left.
func TestMetaLost(t *testing.T) {
	mem, opts := newTopic(t, 2)
	top := mustOpen(t, opts)
	_, err := top.Append(nil, rec(0))
	require.NoError(t, err)
	require.NoError(t, top.Close())
	require.NoError(t, mem.Remove("orders/topic.json"))
	for what, err := range everyCall(opts) {
		if what == "create" {
			require.ErrorIs(t, err, ErrNotEmpty)
			continue
		}
		require.ErrorIs(t, err, segment.ErrTopicLost, what)
	}
	_, err = partition.OpenReader("orders", &opts.Partition)
	require.ErrorIs(t, err, segment.ErrTopicLost)
	_, err = partition.Open("orders", &opts.Partition)
	require.ErrorIs(t, err, segment.ErrTopicLost)
}

// TestNoTopic: what is no topic is told apart from one that is not there, and
// nothing is made in it.
func TestNoTopic(t *testing.T) {
	mem := vfs.NewMem()
	opts := inMemory(mem)
	for what, err := range everyCall(opts) {
		if what != "create" {
			require.ErrorIs(t, err, fs.ErrNotExist, what)
		}
	}
	require.NoError(t, mem.Mkdir("dir", 0o700))
	_, err := Hide("dir", 0, Producers, opts)
	require.ErrorIs(t, err, ErrNotTopic)
	names, err := mem.List("dir")
	require.NoError(t, err)
	require.Empty(t, names)
}

// TestPartitionAway: the directory of a partition that was lost is not made
// anew, where its offsets would begin at 0 again.
func TestPartitionAway(t *testing.T) {
	mem, opts := newTopic(t, 2)
	require.NoError(t, mem.Rename("orders/1", "elsewhere"))
	_, err := Open("orders", opts)
	require.ErrorContains(t, err, "partition 1 is away (moved or lost), and is not begun anew")
	top, err := OpenReader("orders", opts)
	require.NoError(t, err)
	_, err = top.Partition(1)
	require.ErrorContains(t, err, "partition 1 is away")
	_, err = top.Partition(2)
	require.EqualError(t, err, "orders: there is no partition 2: the topic has 2 partitions, from 0")
	require.NoError(t, top.Close())
	_, err = mem.Stat("orders/1")
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// TestCreateRefused: what is there already does not become a topic.
func TestCreateRefused(t *testing.T) {
	mem, opts := newTopic(t, 2)
	require.ErrorIs(t, Create("orders", 2, opts), ErrExists)
	require.ErrorIs(t, Create("none/orders", 2, opts), fs.ErrNotExist)
	for _, n := range []int{-1, 0, MaxPartitions + 1} {
		require.ErrorContains(t, Create("other", n, opts), "partitions: want 1 to 10000")
	}
	require.NoError(t, mem.Mkdir("used", 0o700))
	require.NoError(t, vfs.ReplaceFile(mem, "used/notes.txt", nil, 0o600))
	require.ErrorIs(t, Create("used", 1, opts), ErrNotEmpty)
	p, err := partition.Open("log", &opts.Partition)
	require.NoError(t, err)
	_, err = p.Append([]byte(`{}`))
	require.NoError(t, err)
	require.NoError(t, p.Close())
	require.ErrorIs(t, Create("log", 1, opts), ErrNotEmpty)
	_, err = partition.Open("orders", &opts.Partition)
	require.ErrorIs(t, err, partition.ErrTopic)
}

func TestList(t *testing.T) {
	mem, opts := newTopic(t, 2)
	opts.Name = "named"
	require.NoError(t, Create("bills", 1, opts))
	require.NoError(t, mem.Mkdir("other", 0o700))
	require.NoError(t, vfs.ReplaceFile(mem, "file", nil, 0o600))
	found, err := List(".", opts)
	require.NoError(t, err)
	require.Equal(t, []Listed{
		{Dir: "bills", Meta: Meta{Format: 1, Name: "named", Partitions: 1}},
		{Dir: "orders", Meta: Meta{Format: 1, Name: "orders", Partitions: 2}},
	}, found)
}
