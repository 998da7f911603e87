package main

import "example.com/jlq/internal/format"

// appendVisible appends src as it may be shown on a terminal.
func appendVisible(dst, src []byte) []byte { return format.AppendVisible(dst, src) }
