package main

// The terminal that the session runs on.
const (
	columns = 100
	rows    = 34
)

// session is what the picture shows. No command may print what differs from
// run to run, such as a time it took.
var session = []string{
	`jlq append shop shop.jsonl`,
	`jlq get -F pretty shop 10`,
	`jlq count --where '.level == "error" && .latency_ms >= 5000' shop`,
	`jlq filter shop '.level = "error"'`,
}
