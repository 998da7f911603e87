package peers

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	streamName = "log"
	ready      = 10 * time.Second
)

// jetLog is a stream in a file of a NATS server within this process, used
// through the client library over a connection in memory: nothing goes through
// a socket, but every record still goes through the protocol. It numbers from 1.
type jetLog struct {
	server *server.Server
	conn   *nats.Conn
	js     jetstream.JetStream
	stream jetstream.Stream
}

// openJetStream has the server sync each message, or else every two minutes as
// it does unless told otherwise.
func openJetStream(dir string, sync bool) (Log, error) {
	s, err := server.NewServer(&server.Options{
		DontListen: true, NoLog: true, NoSigs: true,
		JetStream: true, StoreDir: dir, SyncAlways: sync,
	})
	if err != nil {
		return nil, err
	}
	j := &jetLog{server: s}
	s.Start()
	if err := j.connect(); err != nil {
		return nil, errors.Join(err, j.Close())
	}
	return j, nil
}

func openJetStreamTogether(dir string, _ int) (Log, error) { return openJetStream(dir, true) }

func (j *jetLog) connect() (err error) {
	if !j.server.ReadyForConnections(ready) {
		return errors.New("the server does not start")
	}
	if j.conn, err = nats.Connect("", nats.InProcessServer(j.server)); err != nil {
		return err
	}
	if j.js, err = jetstream.New(j.conn, jetstream.WithPublishAsyncMaxPending(2*fillBatch)); err != nil {
		return err
	}
	j.stream, err = j.js.CreateOrUpdateStream(context.Background(), jetstream.StreamConfig{
		Name: streamName, Subjects: []string{streamName}, Storage: jetstream.FileStorage, AllowDirect: true,
	})
	return err
}

// Append implements bench.Appender. The records of a batch are published
// without waiting, and then the acknowledgement of each is waited for.
func (j *jetLog) Append(batch [][]byte) error {
	if len(batch) == 1 {
		_, err := j.js.Publish(context.Background(), streamName, batch[0])
		return err
	}
	acks := make([]jetstream.PubAckFuture, len(batch))
	for i, record := range batch {
		ack, err := j.js.PublishAsync(streamName, record)
		if err != nil {
			return err
		}
		acks[i] = ack
	}
	for _, ack := range acks {
		select {
		case <-ack.Ok():
		case err := <-ack.Err():
			return err
		}
	}
	return nil
}

// Scan implements Log, with the consumer that is made for reading a stream in
// order.
func (j *jetLog) Scan(each func([]byte)) error {
	ctx := context.Background()
	info, err := j.stream.Info(ctx)
	if err != nil || info.State.Msgs == 0 {
		return err
	}
	consumer, err := j.stream.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{})
	if err != nil {
		return err
	}
	messages, err := consumer.Messages(jetstream.PullMaxMessages(10 * fillBatch))
	if err != nil {
		return err
	}
	defer messages.Stop()
	for range info.State.Msgs {
		message, err := messages.Next()
		if err != nil {
			return err
		}
		each(message.Data())
	}
	return nil
}

// Get implements Getter: a request and its answer.
func (j *jetLog) Get(dst []byte, offset uint64) ([]byte, error) {
	message, err := j.stream.GetMsg(context.Background(), offset+1)
	if err != nil {
		return nil, err
	}
	return append(dst[:0], message.Data...), nil
}

// Close implements bench.Appender.
func (j *jetLog) Close() error {
	if j.conn != nil {
		j.conn.Close()
	}
	j.server.Shutdown()
	j.server.WaitForShutdown()
	return nil
}
