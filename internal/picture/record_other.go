//go:build !linux

package main

// record needs a terminal of its own, which is had on Linux.
func record(_, _ string) ([]byte, error) { return nil, errNoTerminal }
