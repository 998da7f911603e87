package vfs

import "path/filepath"

// Parent is the directory in which path is a name, also where path ends in a
// separator or in dots, for which [filepath.Dir] returns path itself.
func Parent(path string) string {
	path = filepath.Clean(path)
	if base := filepath.Base(path); base == "." || base == ".." {
		return filepath.Join(path, "..")
	}
	return filepath.Dir(path)
}

// SyncParent makes the name of an existing directory durable in the one above
// it, however it was written: through a symbolic link, that is the one above
// what the link leads to.
func SyncParent(fsys FS, dir string) error {
	return fsys.SyncDir(dir + string(filepath.Separator) + "..")
}
