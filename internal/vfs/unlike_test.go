package vfs

import (
	"io/fs"
	"runtime"
)

// onWindows are the answers that it may give where they are not those of
// the others. Nothing in jlq tells these apart.
var onWindows = func() map[string][]string {
	if runtime.GOOS != "windows" {
		return nil
	}
	const refused, absent = "permission denied", "file does not exist"
	return map[string][]string{
		"create in a file":               {absent},
		"cut what is only read":          {refused},
		"write what is only read":        {refused},
		"read what is only written":      {refused},
		"rename a directory over a file": {absent, refused, "ok"},
		"rename a directory into itself": {refused},
		"list a file":                    {absent},
		"sync a file as a directory":     {absent},
	}
}()

// posixNames are the tests in which the name of an open file is taken away
// or given to another.
var posixNames = map[string]bool{
	"a removed file is still read":     true,
	"rename over a file":               true,
	"lock what replaced a locked file": true,
}

// permOf is what becomes of permissions: Windows knows only those of the owner
// to write, and the in-memory file system is the same everywhere.
func permOf(fsys FS, perm fs.FileMode) fs.FileMode {
	if _, mem := fsys.(*Mem); mem || runtime.GOOS != "windows" {
		return perm
	}
	if perm.IsDir() {
		return perm | 0o777
	}
	return perm | 0o666
}
