package topic_test

import (
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"example.com/jlq/topic"
)

// inScratch makes a topic in a directory that goes away.
func inScratch(partitions int) (dir string, done func()) {
	scratch, err := os.MkdirTemp("", "topic")
	if err != nil {
		log.Fatal(err)
	}
	dir = filepath.Join(scratch, "orders")
	if err := topic.Create(dir, partitions, nil); err != nil {
		log.Fatal(err)
	}
	return dir, func() { os.RemoveAll(scratch) }
}

func Example() {
	dir, done := inScratch(4)
	defer done()
	t, err := topic.Open(dir, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer t.Close()
	for n, customer := range []string{"anna", "bert", "anna", "carl"} {
		id, err := t.Append([]byte(customer), fmt.Appendf(nil, `{"ts":%d,"customer":%q}`, 1700000000+n, customer))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(customer, id)
	}
	for rec, err := range t.Records(nil) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(rec.ID, string(rec.Data))
	}
	// Output:
	// anna orders-0@0
	// bert orders-1@0
	// anna orders-0@1
	// carl orders-3@0
	// orders-0@0 {"ts":1700000000,"customer":"anna"}
	// orders-1@0 {"ts":1700000001,"customer":"bert"}
	// orders-0@1 {"ts":1700000002,"customer":"anna"}
	// orders-3@0 {"ts":1700000003,"customer":"carl"}
}

func ExampleParseID() {
	id, err := topic.ParseID("orders-0@42")
	fmt.Println(id.Topic, id.Partition, id.Offset, err)
	// Output: orders 0 42 <nil>
}

func ExamplePartitionOf() {
	fmt.Println(topic.PartitionOf([]byte("user-17"), 4))
	// Output: 0
}

func ExampleDelete() {
	dir, done := inScratch(2)
	defer done()
	one := topic.Deletion{Partitions: []int{1}}
	_, err := topic.Delete(dir, one, nil)
	if refused, ok := errors.AsType[*topic.RefusedError](err); ok {
		fmt.Println(refused.Plan.Against())
	}
	if _, err := topic.Hide(dir, 1, topic.Producers|topic.Consumers, nil); err != nil {
		log.Fatal(err)
	}
	plan, err := topic.Delete(dir, one, nil)
	fmt.Println(plan.Done, err)
	// Output:
	// [partition 1 is not hidden from producers partition 1 is not hidden from consumers]
	// true <nil>
}

func ExampleTopic_AppendBatch() {
	dir, done := inScratch(2)
	defer done()
	t, err := topic.Open(dir, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer t.Close()
	ids, err := t.AppendBatch([]topic.Keyed{{Data: []byte(`1`)}, {Data: []byte(`2`)}, {Data: []byte(`3`)}})
	fmt.Println(ids, err)
	// Output: [orders-0@0 orders-1@0 orders-0@1] <nil>
}
