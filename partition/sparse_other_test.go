//go:build !linux

package partition_test

import "testing"

// requireSparse is checked where the room that a file takes is known.
func requireSparse(*testing.T, string) {}
