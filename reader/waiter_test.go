package reader_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/jlq/reader"
)

// A Waiter is woken by any of several logs of other processes, by its channel,
// and by the end of its context.
func TestWaiterIsWokenByAnyLog(t *testing.T) {
	dir := t.TempDir()
	var places []reader.Place
	var names []string
	for _, name := range []string{"a.jsonl", "b.jsonl"} {
		name = filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(name, []byte("1\n"), 0o600))
		log, err := reader.Open(name, nil)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, log.Close()) })
		require.Equal(t, name, log.Path())
		places, names = append(places, reader.Place{Log: log, Next: 1}), append(names, name)
	}
	var w reader.Waiter
	defer func() { require.NoError(t, w.Close()) }()
	wake := make(chan struct{}, 1)
	for _, name := range names {
		require.NoError(t, w.Wait(t.Context(), wake, 0, places...)) // watching has begun
		f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
		require.NoError(t, err)
		_, err = f.WriteString("2\n")
		require.NoError(t, err)
		require.NoError(t, f.Close())
		require.NoError(t, w.Wait(t.Context(), wake, time.Hour, places...))
	}
	wake <- struct{}{}
	require.NoError(t, w.Wait(t.Context(), wake, time.Hour))
	require.Empty(t, wake)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, w.Wait(ctx, nil, time.Hour, places...), context.Canceled)
}

func TestReplacedTellsAnotherFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.jsonl")
	require.NoError(t, os.WriteFile(name, []byte("1\n"), 0o600))
	log, err := reader.Open(name, nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, log.Close()) }()
	r := log.Reader(0)
	_, err = r.Next()
	require.NoError(t, err)
	for _, step := range []struct {
		do   func() error
		want bool
	}{
		{func() error { return nil }, false},
		{func() error { return os.Rename(name, name+".1") }, false}, // gone, and not replaced
		{func() error { return os.WriteFile(name, []byte("2\n"), 0o600) }, true},
	} {
		require.NoError(t, step.do())
		replaced, err := r.Replaced()
		require.NoError(t, err)
		require.Equal(t, step.want, replaced)
	}
}
