package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

// records is how many the log has.
const records = 3000

// firstOrder is 2^53+1, the first whole number that a float64 does not hold.
const firstOrder = 1<<53 + 1

// shop makes up what happens in a shop, and what its services write of it.
type shop struct {
	chance *rand.Rand
	now    time.Time
	order  uint64
	log    []*record
}

func newShop() *shop {
	return &shop{
		chance: rand.New(rand.NewPCG(2026, 3)),
		now:    time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC),
		order:  firstOrder,
	}
}

// open lets customers in until there are enough records, and returns them in
// the order in which they come to the log.
func (s *shop) open() []*record {
	s.incident()
	for len(s.log) < records+records/10 {
		s.now = s.now.Add(time.Duration(s.chance.ExpFloat64() * float64(3*time.Second)).Truncate(time.Millisecond))
		switch n := s.chance.IntN(100); {
		case n < 55:
			s.page()
		case n < 85:
			s.sale()
		default:
			s.stock()
		}
	}
	slices.SortStableFunc(s.log, func(a, b *record) int { return a.arrives.Compare(b.arrives) })
	return s.log[:records]
}

// write adds a record that a service writes at a time.
func (s *shop) write(at time.Time, service, level, msg string) *record {
	r := &record{arrives: at, TS: stamp(at), Service: service, Level: level, Msg: msg}
	s.log = append(s.log, r)
	return r
}

// page is somebody who looks at a page.
func (s *shop) page() {
	r := s.write(s.now, "web", "info", "page served")
	r.Trace = s.trace()
	r.HTTP = &request{Method: "GET", Path: s.path(), Status: 200}
	r.Latency = s.latency(70)
	who := s.visitor()
	r.User = &who
	switch s.chance.IntN(40) {
	case 0:
		r.Level, r.Msg, r.HTTP.Status = "warn", "page not found", 404
	case 1:
		r.HTTP.Method, r.HTTP.Path, r.Msg = "POST", "/cart", "put into the cart"
	}
}

// sale is an order, its payment, and the mail about it.
func (s *shop) sale() {
	who := s.customer()
	placed := s.write(s.now, "checkout", "info", "order placed")
	placed.Trace, placed.User, placed.Order = s.trace(), &who, s.order
	placed.Items, placed.Amount = s.cart()
	placed.Latency = s.latency(200)
	s.order++
	paid := s.now.Add(s.between(150*time.Millisecond, 900*time.Millisecond))
	if s.down(s.now) {
		paid = s.noAnswer(placed, paid)
	}
	s.pay(placed, paid)
}

// pay is what the bank said, and the mail to the customer.
func (s *shop) pay(placed *record, at time.Time) {
	r := s.write(at, "payments", "info", "payment taken")
	r.Trace, r.Order, r.Amount, r.Latency = placed.Trace, placed.Order, placed.Amount, s.latency(4000)
	if s.chance.IntN(25) == 0 {
		r.Level, r.Msg, r.Reason = "error", "payment refused", pick(s, reasons)
		return
	}
	mail := s.write(at.Add(s.between(time.Second, 4*time.Second)), "mail", "debug", "mail sent")
	mail.Trace, mail.Order = placed.Trace, placed.Order
	mail.To = fmt.Sprintf("customer-%d@example.com", (*placed.User).ID)
	mail.Latency = s.latency(900)
}

// stock is somebody who counts.
func (s *shop) stock() {
	r := s.write(s.now, "stock", "debug", "stock counted")
	left := s.chance.IntN(60)
	r.Item, r.Left = pick(s, goods), &left
	if left < 3 {
		r.Level, r.Msg = "warn", "nearly sold out"
	}
}
