package group_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"example.com/jlq/group"
	"example.com/jlq/partition"
)

// A program that deals with each record once it has it, and goes on after a
// restart where it was.
func Example() {
	path, remove := orders(3)
	defer remove()

	g, err := group.Open(path, "billing", nil)
	if err != nil {
		log.Fatal(err)
	}
	m, err := g.Join(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	for msg, err := range m.MessagesToEnd(context.Background()) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s %s\n", msg, msg.Data)
		msg.Ack()
	}
	if err := m.Close(); err != nil { // commits
		log.Fatal(err)
	}
	lags, err := g.Lag(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("committed", lags[0].Committed, "lag", lags[0].Lag)
	// Output:
	// 0@0 {"n":0}
	// 0@1 {"n":1}
	// 0@2 {"n":2}
	// committed 3 lag 0
}

// The committed offsets are set while nobody consumes.
func ExampleGroup_Reset() {
	path, remove := orders(5)
	defer remove()

	g, err := group.Open(path, "billing", &group.Options{Start: group.ToEnd()})
	if err != nil {
		log.Fatal(err)
	}
	m, err := g.Join(context.Background()) // registers the group
	if err != nil {
		log.Fatal(err)
	}
	_, err = g.Reset(context.Background(), group.ToStart())
	fmt.Println("while a member has it:", err != nil)
	if err := m.Close(); err != nil {
		log.Fatal(err)
	}
	for _, to := range []group.To{group.ToBy(-2), group.ToStart(), group.ToOffset(4)} {
		moved, err := g.Reset(context.Background(), to)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s: from %d to %d\n", to, moved[0].From, moved[0].To)
	}
	// Output:
	// while a member has it: true
	// -2 records: from 5 to 3
	// the start: from 3 to 0
	// offset 4: from 0 to 4
}

// Groups are listed, and forgotten so that retention keeps nothing for them.
func ExampleGroup_Unregister() {
	path, remove := orders(1)
	defer remove()

	for _, name := range []string{"shipping", "billing"} {
		g, err := group.Open(path, name, nil)
		if err != nil {
			log.Fatal(err)
		}
		m, err := g.Join(context.Background())
		if err != nil {
			log.Fatal(err)
		}
		if err := m.Close(); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(group.List(path, nil))
	g, err := group.Open(path, "shipping", nil)
	if err != nil {
		log.Fatal(err)
	}
	if err := g.Unregister(context.Background()); err != nil {
		log.Fatal(err)
	}
	fmt.Println(group.List(path, nil))
	// Output:
	// [billing shipping] <nil>
	// [billing] <nil>
}

// orders makes a log of n records, in a directory that remove removes.
func orders(n int) (path string, remove func()) {
	dir, err := os.MkdirTemp("", "jlq")
	if err != nil {
		log.Fatal(err)
	}
	path = filepath.Join(dir, "orders")
	p, err := partition.Open(path, nil)
	if err != nil {
		log.Fatal(err)
	}
	for i := range n {
		if _, err := p.Append(fmt.Appendf(nil, `{"n":%d}`, i)); err != nil {
			log.Fatal(err)
		}
	}
	if err := p.Close(); err != nil {
		log.Fatal(err)
	}
	return path, func() {
		if err := os.RemoveAll(dir); err != nil {
			log.Fatal(err)
		}
	}
}
