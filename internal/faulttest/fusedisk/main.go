// Fusedisk is a disk that breaks on command, for tests of what a log does when
// its disk breaks. It serves one file, named disk, whose bytes are those of an
// image. A loop device on that file is a block device whose errors are real:
// the kernel meets them when it writes its cache back, and fdatasync tells them.
//
//	fusedisk IMAGE MOUNTPOINT
//
// Commands are read from stdin, one a line, and each is answered by one line on
// stdout, "ok" or what is wrong. A first "ok" says that the disk is there.
//
//	fail write N TEXT   the next N writes that hold TEXT fail with EIO, and nothing of them is stored
//	fail read N TEXT    the next N reads of bytes that hold TEXT fail with EIO
//	fail sync N         the next N flushes fail with EIO
//	failed              "ok" and how many operations failed so far
//	heal                nothing fails any more
//
// Where N is -1, all of them fail until the disk is healed. TEXT is a Go string in
// quotes; without it, every write or read is meant. The disk is unmounted when stdin ends, so it does not
// outlive the test that started it.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: fusedisk IMAGE MOUNTPOINT")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "fusedisk:", err)
		os.Exit(1)
	}
}

// run serves image at dir until commands ends.
func run(image, dir string, commands io.Reader, answers io.Writer) error {
	f, err := os.OpenFile(image, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	d := &disk{image: f}
	server, err := fs.Mount(dir, &root{disk: d}, &fs.Options{MountOptions: fuse.MountOptions{
		FsName: "fusedisk", Name: "fusedisk", DirectMountStrict: true, DisableSplice: true, MaxWrite: maxIO,
	}})
	if err != nil {
		return err
	}
	if err := obey(d, commands, answers); err != nil {
		return err
	}
	if err := server.Unmount(); err != nil {
		// A test that failed left the loop device in use. What is on its way
		// fails when this process ends.
		return errors.Join(err, syscall.Unmount(dir, syscall.MNT_DETACH))
	}
	return nil
}

// obey answers commands until they end.
func obey(d *disk, commands io.Reader, answers io.Writer) error {
	if _, err := fmt.Fprintln(answers, "ok"); err != nil {
		return err
	}
	lines := bufio.NewScanner(commands)
	for lines.Scan() {
		answer, err := d.command(lines.Text())
		if err != nil {
			answer = err.Error()
		}
		if _, err := fmt.Fprintln(answers, answer); err != nil {
			return err
		}
	}
	return lines.Err()
}
