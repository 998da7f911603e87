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
	`jlq filter shop 'exists(.version) || .level == "fatal"'`,
	`jlq count --since 2026-03-02T08:40 --until 2026-03-02T08:56 --where '.latency_ms >= 5000' shop`,
	`jlq head -n 1 --where '.latency_ms >= 5000' -F pretty --fields ts,order,error shop`,
	`jlq filter shop '.order == 9007199254741238' -F '%o  %{ts}  %{service}: %{msg}\n'`,
	`jlq grep --offsets 'rolled (out|back)' shop`,
	`jlq filter shop '.level = "fatal"'`,
}
