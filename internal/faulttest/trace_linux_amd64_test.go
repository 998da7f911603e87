package faulttest

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A call is one system call on a file of a log.
type call struct {
	name string // of the system call
	file string // base name
	nth  int    // of its name on this file, from 1
}

func (c call) String() string { return fmt.Sprintf("%s(%s) #%d", c.name, c.file, c.nth) }

// A fault says what happens instead of one call.
type fault struct {
	at    call
	errno syscall.Errno // it fails with this and does nothing; 0: the process is killed
	short bool          // a write writes all but its last byte; the next one fails with errno
}

func (f fault) String() string {
	switch {
	case f.short:
		return fmt.Sprintf("%v short, then %v", f.at, f.errno)
	case f.errno != 0:
		return fmt.Sprintf("%v %v", f.at, f.errno)
	}
	return fmt.Sprintf("%v killed", f.at)
}

// knownCalls are the system calls on files that the program makes, and where
// their arguments name the file.
var knownCalls = map[uint64]struct {
	name string
	fd   int // the argument that is a descriptor, or the directory of path
	path int // the argument that is a path; -1: none
}{
	unix.SYS_OPENAT:     {"openat", 0, 1},
	unix.SYS_NEWFSTATAT: {"newfstatat", 0, 1},
	unix.SYS_FSTAT:      {"fstat", 0, -1},
	unix.SYS_STATFS:     {"statfs", -1, 0},
	unix.SYS_MKDIRAT:    {"mkdirat", 0, 1},
	unix.SYS_UNLINKAT:   {"unlinkat", 0, 1},
	unix.SYS_RENAMEAT:   {"renameat", 0, 1},
	unix.SYS_LINKAT:     {"linkat", 0, 1},
	unix.SYS_FCHMOD:     {"fchmod", 0, -1},
	unix.SYS_FCHMODAT:   {"fchmodat", 0, 1},
	unix.SYS_FLOCK:      {"flock", 0, -1},
	unix.SYS_FTRUNCATE:  {"ftruncate", 0, -1},
	unix.SYS_FSYNC:      {"fsync", 0, -1},
	unix.SYS_FDATASYNC:  {"fdatasync", 0, -1},
	unix.SYS_READ:       {"read", 0, -1},
	unix.SYS_WRITE:      {"write", 0, -1},
	unix.SYS_PREAD64:    {"pread64", 0, -1},
	unix.SYS_PWRITE64:   {"pwrite64", 0, -1},
	unix.SYS_LSEEK:      {"lseek", 0, -1},
	unix.SYS_GETDENTS64: {"getdents64", 0, -1},
	unix.SYS_MMAP:       {"mmap", 4, -1},
	unix.SYS_FGETXATTR:  {"fgetxattr", 0, -1},
	unix.SYS_FSETXATTR:  {"fsetxattr", 0, -1},
	unix.SYS_CLOSE:      {"close", 0, -1},
	unix.SYS_FCNTL:      {"fcntl", 0, -1},
}

// tracer runs one process, stops it at each system call, and puts a fault in
// the place of one. It belongs to one thread of this process.
type tracer struct {
	dir   string // everything in it are the log's files
	fault *fault // nil: only watch

	pid    int
	calls  []call
	count  map[call]int // by name and file
	struck bool         // the fault was injected
	broken int          // the thread whose call is to fail, or 0
	seen   map[int]bool // threads
}

// start starts the process, stopped before its first instruction. The caller
// has locked its thread.
func (tr *tracer) start(args []string, files []*os.File) error {
	p, err := os.StartProcess(args[0], args, &os.ProcAttr{
		Dir: tr.dir, Files: files, Env: append(os.Environ(), "NO_COLOR=1"),
		Sys: &syscall.SysProcAttr{Ptrace: true, Pdeathsig: syscall.SIGKILL},
	})
	if err != nil {
		return err
	}
	tr.pid, tr.count, tr.seen = p.Pid, map[call]int{}, map[int]bool{p.Pid: true}
	if err := p.Release(); err != nil {
		return err
	}
	var status unix.WaitStatus
	if _, err := wait(tr.pid, &status); err != nil {
		return err
	}
	options := unix.PTRACE_O_TRACESYSGOOD | unix.PTRACE_O_TRACECLONE | unix.PTRACE_O_EXITKILL
	if err := unix.PtraceSetOptions(tr.pid, options); err != nil {
		return err
	}
	return unix.PtraceSyscall(tr.pid, 0)
}

// wait waits for children of this thread only: those of the others are not
// ours.
func wait(pid int, status *unix.WaitStatus) (int, error) {
	for {
		tid, err := unix.Wait4(pid, status, unix.WALL|unix.WNOTHREAD, nil)
		if err != unix.EINTR {
			return tid, err
		}
	}
}

// run watches the process until it ends.
func (tr *tracer) run() (unix.WaitStatus, error) {
	for {
		var status unix.WaitStatus
		tid, err := wait(-1, &status)
		if err != nil {
			return status, fmt.Errorf("wait: %w", err)
		}
		if status.Exited() || status.Signaled() {
			if tid == tr.pid {
				return status, nil
			}
			continue
		}
		sig := tr.stopped(tid, status)
		// A thread that was killed meanwhile cannot go on; its end comes next.
		if err := unix.PtraceSyscall(tid, int(sig)); err != nil && err != unix.ESRCH {
			return status, fmt.Errorf("go on: %w", err)
		}
	}
}

// stopped looks at a stop and returns the signal that the thread is to get.
func (tr *tracer) stopped(tid int, status unix.WaitStatus) syscall.Signal {
	sig := status.StopSignal()
	switch {
	case sig == unix.SIGTRAP|0x80:
		tr.atCall(tid)
		return 0
	case sig == unix.SIGTRAP:
		return 0 // a clone
	case sig == unix.SIGSTOP && !tr.seen[tid]:
		tr.seen[tid] = true
		return 0 // the stop that every new thread begins with
	}
	return sig
}

// callInfo is struct ptrace_syscall_info of the kernel.
type callInfo struct {
	op   uint8
	_    [7]byte
	_    [2]uint64
	nr   uint64 // of an exit: the result
	args [6]uint64
}

// atCall looks at the beginning or the end of a system call.
func (tr *tracer) atCall(tid int) {
	const getSyscallInfo, entry, exit = 0x420e, 1, 2
	var info callInfo
	_, _, errno := syscall.Syscall6(syscall.SYS_PTRACE, getSyscallInfo, uintptr(tid),
		unsafe.Sizeof(info), uintptr(unsafe.Pointer(&info)), 0, 0)
	switch {
	case errno != 0: // it was killed
	case info.op == entry:
		tr.enter(tid, &info)
	case info.op == exit && tr.broken == tid:
		tr.broken = 0
		tr.setRegs(tid, func(regs *unix.PtraceRegs) { regs.Rax = -uint64(tr.fault.errno) })
	}
}

// enter counts a call on the log's files and strikes where the fault is.
func (tr *tracer) enter(tid int, info *callInfo) {
	k, ok := knownCalls[info.nr]
	if !ok {
		return
	}
	path := tr.pathOf(tid, k.fd, k.path, info)
	if path != tr.dir && !strings.HasPrefix(path, tr.dir+"/") {
		return
	}
	c := call{name: k.name, file: filepath.Base(path)}
	if path == tr.dir {
		c.file = "."
	}
	tr.count[c]++
	c.nth = tr.count[c]
	tr.calls = append(tr.calls, c)
	if f := tr.fault; f != nil && f.hits(c, tr.struck) {
		tr.strike(tid, info.args[2])
	}
}

// hits reports whether c is the call that the fault is for; the one after a
// short write is, too.
func (f *fault) hits(c call, struck bool) bool {
	if f.short && struck {
		c.nth--
		return c == f.at
	}
	return !struck && c == f.at
}

// strike injects the fault into the call that tid is about to make.
func (tr *tracer) strike(tid int, size uint64) {
	first := !tr.struck
	tr.struck = true
	switch {
	case tr.fault.errno == 0:
		_ = unix.Kill(tr.pid, unix.SIGKILL)
	case tr.fault.short && first && size > 1:
		tr.setRegs(tid, func(regs *unix.PtraceRegs) { regs.Rdx = size - 1 })
	default:
		// A call without a number does nothing.
		tr.broken = tid
		tr.setRegs(tid, func(regs *unix.PtraceRegs) { regs.Orig_rax = ^uint64(0) })
	}
}

func (tr *tracer) setRegs(tid int, set func(*unix.PtraceRegs)) {
	var regs unix.PtraceRegs
	if unix.PtraceGetRegs(tid, &regs) == nil {
		set(&regs)
		_ = unix.PtraceSetRegs(tid, &regs) // fails only where the thread is dead
	}
}

// pathOf is the file that a call is about; "" where there is none.
func (tr *tracer) pathOf(tid, fd, path int, info *callInfo) string {
	name := ""
	if path >= 0 {
		name = readString(tid, uintptr(info.args[path]))
		if filepath.IsAbs(name) {
			return filepath.Clean(name)
		}
		if name == "" {
			return ""
		}
	}
	at := "cwd"
	if fd >= 0 && int32(info.args[fd]) != unix.AT_FDCWD {
		at = "fd/" + strconv.Itoa(int(int32(info.args[fd])))
	}
	dir, err := os.Readlink(fmt.Sprintf("/proc/%d/%s", tr.pid, at))
	if err != nil {
		return ""
	}
	return filepath.Join(strings.TrimSuffix(dir, " (deleted)"), name)
}

// readString reads a string of the traced process, page by page: behind the
// page that it ends in there may be no memory.
func readString(tid int, addr uintptr) string {
	const page = 4096
	var text, buf []byte
	for buf = make([]byte, page); len(text) < page; {
		n := page - int(addr%page)
		got, err := unix.ProcessVMReadv(tid,
			[]unix.Iovec{{Base: &buf[0], Len: uint64(n)}}, []unix.RemoteIovec{{Base: addr, Len: n}}, 0)
		if err != nil {
			return ""
		}
		if end := bytes.IndexByte(buf[:got], 0); end >= 0 {
			return string(append(text, buf[:end]...))
		}
		text = append(text, buf[:got]...)
		addr += uintptr(got)
	}
	return ""
}

// traced is how a traced run ended.
type traced struct {
	calls  []call
	struck bool
	status unix.WaitStatus
	stderr string
}

// traceRun runs args in dir under a fault while talk has the other ends of its
// pipes. A process that does not end in time is killed, which is an error.
func traceRun(dir string, f *fault, args []string, talk func(*process) error) (*traced, error) {
	var p process
	theirs, err := p.pipes()
	if err != nil {
		return nil, err
	}
	defer p.close()
	tr := &tracer{dir: dir, fault: f}
	started, ended := make(chan error), make(chan error)
	var status unix.WaitStatus
	go func() {
		// The thread ends with this goroutine: it is not to be used again by
		// code that does not expect to be a parent.
		runtime.LockOSThread()
		err := tr.start(args, theirs)
		_ = theirs[0].Close()
		_ = theirs[1].Close()
		started <- err
		if err == nil {
			status, err = tr.run()
			ended <- err
		}
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start: %w", err)
	}
	var hangs atomic.Bool
	limit := time.AfterFunc(runLimit, func() { hangs.Store(true); _ = unix.Kill(tr.pid, unix.SIGKILL) })
	defer limit.Stop()
	talked := talk(&p)
	err = errors.Join(<-ended, talked)
	if hangs.Load() {
		err = errors.Join(err, errors.New("it hangs"))
	}
	return &traced{tr.calls, tr.struck, status, p.said()}, err
}
