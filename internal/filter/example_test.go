package filter_test

import (
	"errors"
	"fmt"
	"log"

	"example.com/jlq/internal/filter"
)

func Example() {
	f, err := filter.Compile(`.level == "error" && .user.id > 9007199254740992`)
	if err != nil {
		log.Fatal(err)
	}
	for _, line := range []string{
		`{"level":"error","user":{"id":9007199254740993}}`,
		`{"level":"err\u006fr","user":{"id":9007199254740992.5}}`,
		`{"level":"error","user":{"id":9007199254740992}}`,
		`{"level":"error",`,
	} {
		ok, err := f.Match([]byte(line))
		fmt.Println(ok, err)
	}
	// Output:
	// true <nil>
	// true <nil>
	// false <nil>
	// false invalid record at byte 17: unexpected end where a key should be
}

func ExampleError() {
	_, err := filter.Compile(`.level = "error"`)
	if wrong, ok := errors.AsType[*filter.Error](err); ok {
		fmt.Println(wrong)
	}
	// Output:
	// filter: = does not compare, == does, column 8
}

func ExampleFilter_Select() {
	f, err := filter.Compile(`.n >= 2`)
	if err != nil {
		log.Fatal(err)
	}
	block := "{\"n\":1}\n{\"n\":2}\ntext\n{\"n\":3}\n"
	lines, matched, bad := f.Select(nil, nil, []byte(block), false)
	fmt.Printf("%s%d, and line %d is not JSON\n", lines, matched, bad[0].Line)
	// Output:
	// {"n":2}
	// {"n":3}
	// 2, and line 2 is not JSON
}
