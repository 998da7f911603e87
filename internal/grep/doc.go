// Package grep finds the lines that patterns match, among many at a time:
//
//	m, err := grep.Compile([]string{`"level":"(error|fatal)"`}, nil)
//	for start, end := range m.Runs(block) {
//		use(block[start:end])
//	}
//
// # The language
//
// A pattern is a regular expression of RE2, as package regexp reads it, or a fixed
// text. It is matched against one line without its newline: ^ and $ are the ends
// of the line, and nothing matches a newline. A carriage return before the newline
// belongs to the line. Bytes that are not UTF-8 match what U+FFFD matches, so that .
// and [^a] do and none of them hides the rest of the line.
//
// # How it is found
//
// Three ways to look at a block of lines, the fastest first:
//
//   - Where every match holds one of a few texts, the block is searched for the
//     rarest byte of each, and only lines that hold a text are looked at. Where the
//     pattern is such a text, that is all there is to do.
//   - A table that says for each state of the search and each byte what the next
//     state is. It is filled in as it is used, and runs across line ends.
//   - Package regexp, line by line, for patterns that need too many states.
//
// The first gives way to the second where most lines hold the texts, the second to
// the third where the table is filled faster than it is used. All three agree.
//
// A Matcher is immutable and may be used by many goroutines at once.
package grep
