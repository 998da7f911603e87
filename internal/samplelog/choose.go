package main

import (
	"fmt"
	"time"
)

var reasons = []string{"card expired", "limit reached", "wrong code"}

var goods = []string{"lamp", "thermos", "kettle", "gloves", "café filter", "Teekanne für zwei", "茶碗", "\"Gran\" blanket"}

var paths = []string{"/", "/cart", "/search?q=tea&page=2", "/about", "/item/17", "/item/22", "/item/67", "/sale"}

var customers = []user{
	{13, "Zoë Müller", address{"DE", "Köln", position{50.94, 6.96}}},
	{17, "Aroha Ngata", address{"NZ", "Ōtautahi", position{-43.53, 172.63}}},
	{42, "Łukasz Żak", address{"PL", "Łódź", position{51.77, 19.46}}},
	{57, "山田 花子", address{"JP", "京都", position{35.01, 135.77}}},
	{64, "Seán O'Neill", address{"IE", "Cork", position{51.9, -8.47}}},
	{88, "أمينة حداد", address{"MA", "فاس", position{34.03, -5}}},
	{108, "Jürgen Groß", address{"AT", "Graz", position{47.07, 15.44}}},
	{172, "Ana Souza 🌻", address{"BR", "São Paulo", position{-23.55, -46.63}}},
}

func pick[T any](s *shop, from []T) T { return from[s.chance.IntN(len(from))] }

func (s *shop) path() string { return pick(s, paths) }

func (s *shop) customer() *user { return &customers[s.chance.IntN(len(customers))] }

// visitor is a customer, or nobody that the shop knows.
func (s *shop) visitor() *user {
	if s.chance.IntN(3) > 0 {
		return nil
	}
	return s.customer()
}

// cart is what somebody buys, and what it costs.
func (s *shop) cart() (items []item, amount cents) {
	for range 1 + s.chance.IntN(3) {
		n := 1 + s.chance.IntN(2)
		items = append(items, item{pick(s, goods), n})
		amount += cents(n * 5 * (100 + s.chance.IntN(3000)))
	}
	return items, amount
}

// trace is the id of a request.
func (s *shop) trace() string { return fmt.Sprintf("%016x", s.chance.Uint64()) }

// latency is a time of which half are below a typical one, in tenths of a
// millisecond, and few far above.
func (s *shop) latency(typical int) tenths {
	return tenths(1 + int(s.chance.ExpFloat64()*float64(typical)))
}

func (s *shop) between(least, most time.Duration) time.Duration {
	return (least + time.Duration(s.chance.Int64N(int64(most-least)))).Truncate(time.Millisecond)
}
