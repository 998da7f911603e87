package main

import (
	"fmt"
	"strconv"
	"time"
)

// record is a line of the log. The order of its fields is that of the line.
type record struct {
	arrives time.Time // in the log; what a service says of the time is TS

	TS      stamp  `json:"ts"`
	Level   string `json:"level"`
	Service string `json:"service"`
	Msg     string `json:"msg"`
	Trace   string `json:"trace_id,omitempty"`

	User    **user   `json:"user,omitempty"` // a guest is null
	HTTP    *request `json:"http,omitempty"`
	Order   uint64   `json:"order,omitempty"`
	Items   []item   `json:"items,omitempty"`
	Amount  cents    `json:"amount,omitempty"`
	Reason  string   `json:"reason,omitempty"`
	Attempt int      `json:"attempt,omitempty"`
	Error   *failure `json:"error,omitempty"`
	To      string   `json:"to,omitempty"`
	Item    string   `json:"item,omitempty"`
	Left    *int     `json:"left,omitempty"`
	Version string   `json:"version,omitempty"`
	Latency tenths   `json:"latency_ms,omitempty"`
}

type user struct {
	ID      int     `json:"id"`
	Name    string  `json:"name"`
	Address address `json:"address"`
}

type address struct {
	Country string   `json:"country"`
	City    string   `json:"city"`
	Geo     position `json:"geo"`
}

type position struct {
	Lat float64 `json:"lat"`
	Lon float64 `json:"lon"`
}

type request struct {
	Method string `json:"method"`
	Path   string `json:"path"`
	Status int    `json:"status"`
}

type item struct {
	Name string `json:"name"`
	N    int    `json:"n"`
}

type failure struct {
	Kind     string `json:"kind"`
	Upstream string `json:"upstream"`
	Address  string `json:"address"`
}

// cents is an amount of money, written with both decimals.
type cents int

func (c cents) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, "%d.%02d", c/100, c%100), nil
}

// tenths is a time in tenths of a millisecond, written in milliseconds.
type tenths int

func (t tenths) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, "%d.%d", t/10, t%10), nil
}

// stamp is a time as services write it, in milliseconds.
type stamp time.Time

func (s stamp) MarshalJSON() ([]byte, error) {
	return strconv.AppendQuote(nil, time.Time(s).Format("2006-01-02T15:04:05.000Z")), nil
}
