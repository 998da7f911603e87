package vfs

import (
	"runtime"
	"runtime/debug"
)

// Guard makes a page of mapped memory that is no longer in its file a panic of
// this goroutine, which [Unguard] ends, instead of the death of the process.
// What it returns goes to Unguard:
//
//	defer vfs.Unguard(vfs.Guard(), &fault)
func Guard() (was bool) { return debug.SetPanicOnFault(true) }

// Unguard is deferred by who called [Guard]. It sets fault where a page was
// missing; any other panic goes on.
func Unguard(was bool, fault *bool) {
	debug.SetPanicOnFault(was)
	if r := recover(); r != nil {
		if !isFault(r) {
			panic(r)
		}
		*fault = true
	}
}

// isFault reports whether a panic is one of memory that is not there, as
// opposed to a nil pointer or an index out of range.
func isFault(r any) bool {
	e, ok := r.(runtime.Error)
	if !ok {
		return false
	}
	_, ok = e.(interface{ Addr() uintptr })
	return ok
}
