package bench

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/jlq/group"
)

// consumer is a member of a group in another process. It says "ready" when it
// has its share of the partitions, waits for "go", consumes all that they hold,
// says "done" and ends with its input.
type consumer struct {
	tb  testing.TB
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
}

// startConsumer starts one of so many members.
func startConsumer(tb testing.TB, path string, members int) *consumer {
	tb.Helper()
	c := &consumer{tb: tb, cmd: child(tb, "consume", members, path)}
	var err error
	c.in, err = c.cmd.StdinPipe()
	require.NoError(tb, err)
	out, err := c.cmd.StdoutPipe()
	require.NoError(tb, err)
	c.out = bufio.NewScanner(out)
	require.NoError(tb, c.cmd.Start())
	return c
}

// await reads the word that the consumer says next.
func (c *consumer) await(word string) {
	c.tb.Helper()
	if !c.out.Scan() || c.out.Text() != word {
		c.tb.Fatalf("the consumer said %q, want %q: %v", c.out.Text(), word, c.out.Err())
	}
}

func (c *consumer) say(word string) {
	c.tb.Helper()
	if _, err := fmt.Fprintln(c.in, word); err != nil {
		c.tb.Fatal(err)
	}
}

// childConsume is the process.
func childConsume(path string, members int) error {
	g, err := group.Open(path, "bench", nil)
	if err != nil {
		return err
	}
	m, err := g.Join(context.Background())
	if err != nil {
		return err
	}
	return errors.Join(consumeShare(g, m, shared/members), m.Close())
}

func consumeShare(g *group.Group, m *group.Member, share int) error {
	for len(m.Partitions()) != share {
		time.Sleep(time.Millisecond)
	}
	n, err := recordsOf(g, m.Partitions())
	if err != nil {
		return err
	}
	in := bufio.NewScanner(os.Stdin)
	fmt.Println("ready")
	if !in.Scan() {
		return in.Err()
	}
	if _, err := consume(context.Background(), m, n); err != nil {
		return err
	}
	fmt.Println("done")
	in.Scan() // nobody leaves before all are done: the shares would change
	return in.Err()
}

// recordsOf is how many records partitions hold that are not consumed.
func recordsOf(g *group.Group, partitions []int) (n int, err error) {
	lags, err := g.Lag(context.Background())
	for _, lag := range lags {
		for _, mine := range partitions {
			if lag.Partition == mine {
				n += int(lag.Lag)
			}
		}
	}
	return n, err
}
