package partition_test

import (
	"fmt"
	"os"
	"path/filepath"

	"example.com/jlq/partition"
)

// Two programs append to one log. Here both are in one process, which makes no
// difference.
func ExampleOptions_shared() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "orders")

	open := func() *partition.Partition {
		p, err := partition.Open(path, &partition.Options{Shared: true})
		if err != nil {
			panic(err)
		}
		return p
	}
	shop, stock := open(), open()
	for _, p := range []*partition.Partition{shop, stock, shop} {
		offset, err := p.Append([]byte(`{"id":17}`))
		if err != nil {
			panic(err)
		}
		fmt.Println(offset)
	}
	// A conditional append compares across processes.
	fmt.Println(stock.AppendAt(2, []byte(`{"id":18}`)))
	for _, p := range []*partition.Partition{shop, stock} {
		if err := p.Close(); err != nil {
			panic(err)
		}
	}
	// Output:
	// 0
	// 1
	// 2
	// append: expected the next offset to be 2, it is 3
}
