//go:build !windows

package vfs

import "testing"

// asUnix is for systems that have errors of their own.
func asUnix(err error) error { return err }

func needPOSIXNames(*testing.T) {}
