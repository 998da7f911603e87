package main

import "time"

// The incident: a new version of the payments service asks a bank that does
// not answer. Thirteen minutes later the old version is back.
var (
	rolledOut  = time.Date(2026, 3, 2, 8, 40, 0, 0, time.UTC)
	broken     = rolledOut.Add(2 * time.Minute)
	rolledBack = rolledOut.Add(15 * time.Minute)
)

// down reports whether the bank does not answer at a time.
func (s *shop) down(at time.Time) bool { return at.After(broken) && at.Before(rolledBack) }

// incident writes what people did about it.
func (s *shop) incident() {
	s.write(rolledOut, "payments", "info", "version rolled out").Version = "4.2.1"
	s.write(broken.Add(4*time.Minute), "payments", "fatal", "no payment taken for 4 minutes")
	s.write(rolledBack, "payments", "warn", "version rolled back").Version = "4.2.0"
}

// noAnswer is a bank that lets three attempts wait, of five seconds each, and
// answers in the end. It returns when. What the service writes of it comes to
// the log late.
func (s *shop) noAnswer(placed *record, at time.Time) time.Time {
	for attempt := 1; attempt <= 3; attempt++ {
		at = at.Add(5 * time.Second)
		r := s.write(at, "payments", "error", "bank does not answer")
		r.arrives = at.Add(s.between(0, 2*time.Second))
		r.Trace, r.Order, r.Attempt = placed.Trace, placed.Order, attempt
		r.Error = &failure{Kind: "timeout", Upstream: "bank-2", Address: "10.2.0.17:443"}
		r.Latency = 50000 + s.latency(20)
	}
	return at.Add(s.between(time.Second, 30*time.Second))
}
