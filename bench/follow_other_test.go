package bench

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/stretchr/testify/require"

	"example.com/jlq/partition"
)

const (
	followed   = 300                  // records that are sent on their way
	followedAt = time.Millisecond     // one each
	sentPrefix = `{"sent":`           // and the nanoseconds, and a brace
	slowest    = 20 * followed * 1000 // µs; more is an error and not a latency
)

// BenchmarkFollowOther measures the way of a record from just before it is
// appended until a follower in another process holds it. The floors are a pipe
// between the two, and a file that the other process is notified of and reads.
func BenchmarkFollowOther(b *testing.B) {
	b.Run("pipe", func(b *testing.B) { runFollowOther(b, "follow-pipe", sendPipe) })
	b.Run("notify", func(b *testing.B) { runFollowOther(b, "follow-file", sendFile) })
	b.Run("jlq-always", func(b *testing.B) { runFollowOther(b, "follow", sendJLQ(partition.SyncAlways)) })
	b.Run("jlq-os", func(b *testing.B) { runFollowOther(b, "follow", sendJLQ(partition.SyncOS)) })
}

// sender opens what is followed in dir; in is the standard input of the child.
type sender func(dir string, in io.Writer) (send func(line []byte) error, end func() error, err error)

func runFollowOther(b *testing.B, job string, open sender) {
	b.Helper()
	var m Meter
	for b.Loop() {
		dir, remove := scratch(b)
		took, err := followOther(b, job, dir, open)
		require.NoError(b, err)
		m.Latency(took)
		remove()
	}
	m.Report(b)
}

// followOther sends records to a child, one at a time, and returns how long
// each took. The first is sent until the child says that it is there.
func followOther(tb testing.TB, job, dir string, open sender) (took []time.Duration, err error) {
	tb.Helper()
	cmd := child(tb, job, followed, dir)
	in, err := cmd.StdinPipe()
	require.NoError(tb, err)
	send, end, err := open(dir, in)
	require.NoError(tb, err)
	out, err := cmd.StdoutPipe()
	require.NoError(tb, err)
	require.NoError(tb, cmd.Start())
	defer func() {
		if err != nil {
			err = errors.Join(err, cmd.Process.Kill())
		}
		err = errors.Join(err, end(), cmd.Wait())
	}()
	answers := bufio.NewScanner(out)
	if err := send(stamped()); err != nil || !answers.Scan() {
		return nil, errors.Join(err, answers.Err(), errNoAnswer)
	}
	for range followed - 1 {
		time.Sleep(followedAt)
		if err := send(stamped()); err != nil {
			return nil, err
		}
	}
	for answers.Scan() {
		n, err := strconv.ParseInt(answers.Text(), 10, 64)
		if err != nil {
			return nil, err
		}
		took = append(took, time.Duration(n))
	}
	if len(took) != followed-1 {
		return nil, fmt.Errorf("%w: %d of %d records came", errNoAnswer, len(took), followed-1)
	}
	return took, answers.Err()
}

var errNoAnswer = errors.New("the follower ended before it had all")

func stamped() []byte {
	return fmt.Appendf(nil, "%s%d}", sentPrefix, time.Now().UnixNano())
}

func sendJLQ(mode partition.SyncMode) sender {
	return func(dir string, _ io.Writer) (func([]byte) error, func() error, error) {
		p, err := partition.Open(dir, &partition.Options{Sync: mode})
		if err != nil {
			return nil, nil, err
		}
		return func(line []byte) error {
			_, err := p.Append(line)
			return err
		}, p.Close, nil
	}
}

func sendPipe(_ string, in io.Writer) (func([]byte) error, func() error, error) {
	return func(line []byte) error {
		_, err := in.Write(append(line, '\n'))
		return err
	}, func() error { return nil }, nil
}

func sendFile(dir string, _ io.Writer) (func([]byte) error, func() error, error) {
	f, err := os.OpenFile(RecordsPath(dir), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, nil, err
	}
	return func(line []byte) error {
		_, err := f.Write(append(line, '\n'))
		return err
	}, f.Close, nil
}

// arrivals are what a child has to say: that the first record is there, and of
// each further one how long it took.
type arrivals struct{ took []time.Duration }

func (a *arrivals) add(record string) error {
	err := a.note(record)
	if err == nil && len(a.took) == 1 {
		_, err = fmt.Println("there")
	}
	return err
}

// note takes in how long a record took.
func (a *arrivals) note(record string) error {
	now := time.Now()
	sent, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimPrefix(record, sentPrefix), "}"), 10, 64)
	if err == nil {
		a.took = append(a.took, now.Sub(time.Unix(0, sent)))
	}
	return err
}

func (a *arrivals) print() error {
	for _, took := range a.took[1:] {
		if took < 0 || micros(took) > slowest {
			return fmt.Errorf("a record took %v", took)
		}
		if _, err := fmt.Println(took.Nanoseconds()); err != nil {
			return err
		}
	}
	return nil
}

func childFollow(dir string, n int) error {
	p, err := partition.OpenReader(dir, nil)
	if err != nil {
		return err
	}
	var a arrivals
	for record, err := range p.Follow(context.Background(), 0) {
		if err == nil {
			err = a.add(string(record.Data))
		}
		if err != nil {
			return errors.Join(err, p.Close())
		}
		if len(a.took) == n {
			break
		}
	}
	return errors.Join(a.print(), p.Close())
}

func childFollowPipe(_ string, n int) error {
	var a arrivals
	lines := bufio.NewScanner(os.Stdin)
	for len(a.took) < n && lines.Scan() {
		if err := a.add(lines.Text()); err != nil {
			return err
		}
	}
	return errors.Join(lines.Err(), a.print())
}

// childFollowFile is the least that a program does that is told of a file that
// grows: it reads on when it is notified, and knows nothing of half lines.
func childFollowFile(dir string, n int) error {
	f, err := os.Open(RecordsPath(dir))
	if err != nil {
		return err
	}
	w, err := fsnotify.NewWatcher()
	if err == nil {
		err = w.Add(RecordsPath(dir))
	}
	if err != nil {
		return err
	}
	var a arrivals
	buf := make([]byte, readBlock)
	for {
		got, err := f.Read(buf)
		if err != nil && err != io.EOF {
			return err
		}
		for line := range strings.Lines(string(buf[:got])) {
			if err := a.add(strings.TrimSuffix(line, "\n")); err != nil {
				return err
			}
		}
		if len(a.took) >= n {
			return errors.Join(a.print(), w.Close(), f.Close())
		}
		if got == 0 {
			<-w.Events
		}
	}
}

// What is measured must be all of the records, in order, and by both floors.
func TestFollowersInOtherProcesses(t *testing.T) {
	for job, open := range map[string]sender{
		"follow-pipe": sendPipe, "follow-file": sendFile, "follow": sendJLQ(partition.SyncOS),
	} {
		t.Run(job, func(t *testing.T) {
			took, err := followOther(t, job, t.TempDir(), open)
			require.NoError(t, err)
			require.Len(t, took, followed-1)
		})
	}
}
