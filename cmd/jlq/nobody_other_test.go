//go:build !unix

package main

import "syscall"

func canBeNobody() bool { return false }

func nobodyAttr() *syscall.SysProcAttr { return nil }
