package main

import (
	"fmt"
	"strconv"
)

func uintText(n uint64) string { return strconv.FormatUint(n, 10) }

// countText says a number of things: 1 record, 2 records.
func countText(n uint64, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return uintText(n) + " " + thing + "s"
}

func recordsText(n uint64) string { return countText(n, "record") }

// bytesText says a number of bytes for people: 14.2 MB.
func bytesText(n int64) string {
	if n < 1000 {
		return fmt.Sprintf("%d B", n)
	}
	value, units := float64(n)/1000, "kMGTPE"
	for value >= 999.95 {
		value /= 1000
		units = units[1:]
	}
	return fmt.Sprintf("%.1f %cB", value, units[0])
}
