package offsets

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/vfs"
)

func topicOf(t *testing.T, dir, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "topic.json"), []byte(text), 0o600))
}

const ordersTopic = `{"format":1,"name":"orders","partitions":4}`

func TestLocate(t *testing.T) {
	dir := t.TempDir()
	at := func(names ...string) string { return filepath.Join(append([]string{dir}, names...)...) }
	for _, d := range []string{"t/0", "t/x", "t/00", "lone", "3"} {
		require.NoError(t, os.MkdirAll(at(d), 0o700))
	}
	topicOf(t, at("t"), ordersTopic)
	require.NoError(t, os.WriteFile(at("app.jsonl"), nil, 0o600))

	for name, want := range map[string]Place{
		"t":         {Path: at("t"), Dir: at("t"), File: at("t", "offsets.json"), Groups: at("t", "groups"), Dead: at("t", "dead"), Topic: "orders", Partition: -1},
		"t/0":       {Path: at("t"), Dir: at("t"), File: at("t", "offsets.json"), Groups: at("t", "groups"), Dead: at("t", "dead"), Topic: "orders", Partition: 0},
		"t/x":       {Path: at("t/x"), Dir: at("t/x"), File: at("t/x", "offsets.json"), Groups: at("t/x", "groups"), Dead: at("t/x", "dead")},
		"t/00":      {Path: at("t/00"), Dir: at("t/00"), File: at("t/00", "offsets.json"), Groups: at("t/00", "groups"), Dead: at("t/00", "dead")},
		"lone":      {Path: at("lone"), Dir: at("lone"), File: at("lone", "offsets.json"), Groups: at("lone", "groups"), Dead: at("lone", "dead")},
		"3":         {Path: at("3"), Dir: at("3"), File: at("3", "offsets.json"), Groups: at("3", "groups"), Dead: at("3", "dead")},
		"app.jsonl": {Path: at("app.jsonl"), Dir: dir, File: at("app.jsonl.offsets.json"), Groups: at("app.jsonl.groups"), Dead: at("app.jsonl.dead"), Bare: true},
	} {
		t.Run(name, func(t *testing.T) {
			want.Lock = want.File + ".lock"
			got, err := Locate(vfs.OS, at(name))
			require.NoError(t, err)
			require.Equal(t, want, got)
		})
	}
	p, err := Locate(vfs.OS, at("t"))
	require.NoError(t, err)
	require.Equal(t, "orders-3", p.Key(3))
	require.Equal(t, at("t/groups/g/3"), p.ClaimDir("g", 3))
	require.Equal(t, at("t/dead/g/3"), p.DeadDir("g", 3))
	require.Equal(t, at("t/groups/g/members"), p.MembersDir("g"))
	p, err = Locate(vfs.OS, at("lone"))
	require.NoError(t, err)
	require.Equal(t, "0", p.Key(0))

	_, err = Locate(vfs.OS, at("none"))
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// TestLocateByOtherNames: a partition of a topic is one under every name.
func TestLocateByOtherNames(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "t", "0"), 0o700))
	topicOf(t, filepath.Join(dir, "t"), ordersTopic)
	t.Chdir(filepath.Join(dir, "t", "0"))
	for _, name := range []string{".", "../0", "./", filepath.Join(dir, "t", "0") + "/"} {
		p, err := Locate(vfs.OS, name)
		require.NoError(t, err)
		require.Equal(t, "orders", p.Topic, "%q", name)
		require.Equal(t, 0, p.Partition)
	}
	link := filepath.Join(dir, "current")
	if err := os.Symlink(filepath.Join("t", "0"), link); err != nil {
		t.Skip("no symbolic links:", err)
	}
	p, err := Locate(vfs.OS, link)
	require.NoError(t, err)
	require.Equal(t, "orders", p.Topic)
	t.Chdir(link)
	p, err = Locate(vfs.OS, ".")
	require.NoError(t, err)
	require.Equal(t, "orders", p.Topic)
}

// TestLocateBadTopic: without the topic's name nobody knows whose entries
// there are.
func TestLocateBadTopic(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "0"), 0o700))
	for _, text := range []string{"", "{", "\x00\x00", `{"format":1}`, `{"format":1,"name":"../x"}`, `{"format":2,"name":1}`} {
		topicOf(t, dir, text)
		for _, path := range []string{dir, filepath.Join(dir, "0")} {
			_, err := Locate(vfs.OS, path)
			require.ErrorContains(t, err, "topic.json", "%q", text)
		}
	}
}
