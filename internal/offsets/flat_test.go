package offsets

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/vfs"
)

func TestDecodeFlat(t *testing.T) {
	want := []Flat{{"G", "topic1", 3, 89055}, {"G", "topic1", 10, -1}, {"other", "a-b", 0, 9007199254740993}}
	for _, text := range []string{
		`{"other":{"a-b-0":9007199254740993},"G":{"topic1-10":-1,"topic1-3":89055}}`,
		"\xef\xbb\xbf" + `{"G":{"topic1":{"3":89055,"10":-1}},"other":{"a-b":{"0":9007199254740993}}}` + "\n",
	} {
		got, err := DecodeFlat([]byte(text))
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	require.EqualValues(t, 89056, want[0].Next())
	require.EqualValues(t, 0, want[1].Next())

	for _, text := range []string{
		``, `[]`, `{"G":1}`, `{"G":{"topic1":5}}`, `{"G":{"topic1-x":5}}`, `{"G":{"topic1-01":5}}`, `{"G":{"-1":5}}`, `{"G":{"t-1":-2}}`,
		`{"G":{"t-1":1.5}}`, `{"G":{"t-1":"5"}}`, `{"G":{"t-1":5,"t-1":6}}`, `{"G":{"t":{"1":5,"1":6}}}`, `{"G":{},"G":{}}`, `{"G":{}}{}`,
		`{"G":{"t-1":9223372036854775807}}`, `{"G":{"t":{"1":{}}}}`, `{"G":{"t-1":5}`,
	} {
		_, err := DecodeFlat([]byte(text))
		require.Error(t, err, "%s", text)
	}
}

func FuzzDecodeFlat(f *testing.F) {
	f.Add([]byte(`{"G":{"topic1-3":89055}}`))
	f.Add([]byte(`{"G":{"topic1":{"3":89055,"10":-1}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		all, err := DecodeFlat(data)
		if err != nil {
			return
		}
		for _, one := range all {
			require.GreaterOrEqual(t, one.Partition, 0)
			require.LessOrEqual(t, one.Next(), uint64(MaxNext))
		}
	})
}

func noCheck(int, uint64) (string, error) { return "", nil }

// TestImport: what is imported is what is exported again; twice is once; and
// who stands elsewhere stays there.
func TestImport(t *testing.T) {
	mem := vfs.NewMem()
	p := lone(t, mem)
	all := []Flat{{"G", "any", 0, 41}, {"none", "any", 0, -1}}
	for range 2 {
		_, err := Import(mem, p, 0, all, func(partition int, next uint64) (string, error) {
			require.Zero(t, partition)
			if next == 0 {
				return "", nil
			}
			return Check([]byte("record")), nil
		})
		require.NoError(t, err)
		f, _, err := Read(mem, p)
		require.NoError(t, err)
		require.Equal(t, map[string]map[string]Entry{"g": {"0": {Next: 42, Check: Check([]byte("record"))}}, "none": {"0": {}}}, f.Groups)
		data, err := EncodeFlat(&f, "any")
		require.NoError(t, err)
		require.Equal(t, `{"g":{"any-0":41},"none":{"any-0":-1}}`+"\n", string(data))
	}
	_, err := Import(mem, p, 0, []Flat{{"G", "any", 0, 40}, {"new", "any", 0, 1}}, noCheck)
	require.ErrorIs(t, err, ErrRegistered)
	short := errors.New("the log ends before")
	_, err = Import(mem, p, 0, []Flat{{"new", "any", 0, 100}}, func(int, uint64) (string, error) { return "", short })
	require.ErrorIs(t, err, short)
	for _, bad := range [][]Flat{{{"G", "", 0, 1}, {"g", "", 0, 1}}, {{"../x", "", 0, 1}}, {{"n", "a", 0, 1}, {"n", "b", 0, 1}}} {
		_, err = Import(mem, p, 0, bad, noCheck)
		require.Error(t, err)
	}
	f, _, err := Read(mem, p)
	require.NoError(t, err)
	require.Len(t, f.Groups, 2)
}
