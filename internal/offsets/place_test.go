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

// TestLocateBareByOtherNames: the groups of a bare file are in one place under
// every name that leads to it.
func TestLocateBareByOtherNames(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	t.Chdir(dir)
	require.NoError(t, os.Mkdir("logs", 0o700))
	require.NoError(t, os.WriteFile("logs/app.jsonl", []byte("{}\n"), 0o600))
	want, err := Locate(vfs.OS, "logs/app.jsonl")
	require.NoError(t, err)
	require.Equal(t, filepath.Join("logs", "app.jsonl.offsets.json"), want.File)
	names := []string{"./logs/../logs/app.jsonl", filepath.Join(dir, "logs", "app.jsonl"), "current", "links/app", "far/app.jsonl"}
	require.NoError(t, os.Mkdir("links", 0o700))
	for link, to := range map[string]string{"current": "logs/app.jsonl", "links/app": "../current", "far": "logs"} {
		if err := os.Symlink(filepath.FromSlash(to), link); err != nil {
			t.Skip("no symbolic links:", err)
		}
	}
	real, err := filepath.Abs(want.File)
	require.NoError(t, err)
	for _, name := range names {
		p, err := Locate(vfs.OS, name)
		require.NoError(t, err, name)
		require.True(t, p.Bare)
		full, err := filepath.Abs(p.Dir)
		require.NoError(t, err)
		full, err = filepath.EvalSymlinks(full)
		require.NoError(t, err)
		require.Equal(t, real, filepath.Join(full, filepath.Base(p.File)), name)
		require.Equal(t, filepath.Base(want.Groups), filepath.Base(p.Groups), name)
		require.Equal(t, filepath.Base(want.Lock), filepath.Base(p.Lock), name)
	}
}

// TestLocateLeftBesideALink: offsets that are beside a link are not left out in
// silence, unless they are those beside the file under another name.
func TestLocateLeftBesideALink(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	file, link := filepath.Join(dir, "app.jsonl"), filepath.Join(dir, "current")
	require.NoError(t, os.WriteFile(file, []byte("{}\n"), 0o600))
	if err := os.Symlink("app.jsonl", link); err != nil {
		t.Skip("no symbolic links:", err)
	}
	left, kept := link+".offsets.json", file+".offsets.json"
	require.NoError(t, os.WriteFile(left, []byte(`{"format":1,"groups":{}}`), 0o600))
	_, err = Locate(vfs.OS, link)
	require.ErrorIs(t, err, ErrLeft)
	require.ErrorContains(t, err, left)
	require.ErrorContains(t, err, kept)
	_, err = Locate(vfs.OS, file)
	require.NoError(t, err)

	require.NoError(t, os.WriteFile(kept, []byte(`{"format":1,"groups":{}}`), 0o600))
	_, err = Locate(vfs.OS, link)
	require.ErrorIs(t, err, ErrLeft, "which of the two counts is for a person to say")

	require.NoError(t, os.Remove(left))
	require.NoError(t, os.Symlink("app.jsonl.offsets.json", left))
	p, err := Locate(vfs.OS, link)
	require.NoError(t, err)
	require.Equal(t, kept, p.File)
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
