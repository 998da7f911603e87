//go:build unix

package faulttest

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/jlq/group"
)

// TestStoppedConsumer stops one of two members for longer than a rebalance
// takes. What it has is nobody else's; then it goes on, and no record came
// twice.
func TestStoppedConsumer(t *testing.T) {
	t.Parallel()
	w := beginWork(t, "member")
	a, b := w.start(t), w.start(t)
	for _, c := range []*groupConsumer{a, b} {
		w.someFirst(t, []*groupConsumer{c}) // it has its share
	}
	require.NoError(t, a.cmd.Process.Signal(syscall.SIGSTOP))
	time.Sleep(3500 * time.Millisecond)
	require.NoError(t, a.cmd.Process.Signal(syscall.SIGCONT))
	close(w.stop)
	require.NoError(t, <-w.done)
	require.Eventually(t, func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		return len(w.seen) == len(w.at)
	}, runLimit, 5*time.Millisecond)
	a.kill()
	b.kill()
	w.check(t)
	for n, times := range w.seen {
		require.Equal(t, 1, times, "record %d, %v", n, w.at[n])
	}
}

// TestTopicRemovedUnderConsumers removes a topic by hand under consumers: they
// end by themselves, say why, and nothing of it comes back.
func TestTopicRemovedUnderConsumers(t *testing.T) {
	w := beginWork(t, "exec")
	w.start(t)
	one := exec.Command(jlq(t), "consume", "-f", "-g", "other", w.path)
	var said strings.Builder
	one.Stderr = &said
	require.NoError(t, one.Start())
	ended := make(chan error, 1)
	go func() { ended <- one.Wait() }()
	t.Cleanup(func() { _ = one.Process.Kill() })
	other, err := group.Open(w.path, "other", nil)
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		members, err := other.Members()
		return err == nil && len(members) == 1
	}, runLimit, 20*time.Millisecond)
	close(w.stop)
	require.NoError(t, <-w.done)
	require.NoError(t, os.Rename(w.path, w.path+".gone"))
	select {
	case err := <-ended:
		var exit *exec.ExitError
		require.ErrorAs(t, err, &exit)
		require.Contains(t, said.String(), w.path)
	case <-time.After(runLimit):
		t.Fatal("it goes on")
	}
	_, err = os.Stat(w.path)
	require.True(t, errors.Is(err, fs.ErrNotExist), "%v", err)
}
