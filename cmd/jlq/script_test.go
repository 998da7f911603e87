package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) {
	// With the race detector each of the hundreds of processes would sleep a
	// second before it ends.
	os.Setenv("GORACE", strings.TrimSpace("atexit_sleep_ms=0 "+os.Getenv("GORACE")))
	completeTime = time.Minute
	testscript.Main(m, map[string]func(){"jlq": main})
}

// TestScripts runs the scripts of testdata/script. Beside what testscript
// knows, they have
//
//	code N PROG ARGS…          the exit code is N; stdin applies as with exec
//	repeat N TEXT              prints TEXT N times; %d is the number of the time
//	start NAME OUT PROG ARGS…  runs in the background; stdout goes to OUT, stderr to OUT.err
//	finish NAME SIGNAL N       sends INT or TERM to it, waits, the exit code is N; - sends none
//	await FILE REGEXP          waits until FILE matches
//	nobody N PROG ARGS…        code, run by a user who owns nothing
//
// and the conditions [root], and [nobody] where that user can be had. A short
// run, which is that under the race detector, keeps to scripts in which several
// processes run at once: the others start two thousand, each for a moment.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Files:               scripts(t),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Values[started{}] = map[string]*exec.Cmd{}
			env.Setenv("NO_COLOR", "1")
			env.Setenv("GORACE", os.Getenv("GORACE"))
			return nil
		},
		Condition: condition,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"code": codeOf, "repeat": repeat, "start": start, "finish": finish, "await": await, "nobody": asNobody,
		},
	})
}

func scripts(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "script", "*.txt"))
	require.NoError(t, err)
	if testing.Short() {
		files = slices.DeleteFunc(files, func(file string) bool {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			return !bytes.Contains(text, []byte("\nstart "))
		})
	}
	require.NotEmpty(t, files)
	return files
}

// started is the key of the processes that a script started.
type started struct{}

func condition(name string) (bool, error) {
	switch name {
	case "root":
		return os.Geteuid() == 0, nil
	case "nobody":
		return canBeNobody(), nil
	}
	return false, fmt.Errorf("unknown condition %q", name)
}

func codeOf(ts *testscript.TestScript, neg bool, args []string) {
	requireCode(ts, args[0], ts.Exec(args[1], args[2:]...))
}

func requireCode(ts *testscript.TestScript, want string, err error) {
	got := 0
	if exited, ok := errors.AsType[*exec.ExitError](err); ok {
		got = exited.ExitCode()
	} else {
		ts.Check(err)
	}
	if strconv.Itoa(got) != want {
		ts.Fatalf("exit code %d, want %s", got, want)
	}
}

func repeat(ts *testscript.TestScript, neg bool, args []string) {
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	for i := range n {
		_, err := fmt.Fprintln(ts.Stdout(), strings.ReplaceAll(args[1], "%d", strconv.Itoa(i)))
		ts.Check(err)
	}
}

func start(ts *testscript.TestScript, neg bool, args []string) {
	out, err := os.Create(ts.MkAbs(args[1]))
	ts.Check(err)
	defer out.Close()
	errs, err := os.Create(ts.MkAbs(args[1] + ".err"))
	ts.Check(err)
	defer errs.Close()
	cmd := exec.Command(lookPath(ts, args[2]), args[3:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = ts.MkAbs("."), out, errs
	cmd.Env = append(os.Environ(), "NO_COLOR=1")
	ts.Check(cmd.Start())
	ts.Value(started{}).(map[string]*exec.Cmd)[args[0]] = cmd
	ts.Defer(func() {
		if cmd.ProcessState == nil {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
	})
}

func lookPath(ts *testscript.TestScript, name string) string {
	path, err := exec.LookPath(name)
	ts.Check(err)
	return path
}

func finish(ts *testscript.TestScript, neg bool, args []string) {
	cmd := ts.Value(started{}).(map[string]*exec.Cmd)[args[0]]
	if sig, ok := map[string]syscall.Signal{"INT": syscall.SIGINT, "TERM": syscall.SIGTERM, "HUP": syscall.SIGHUP}[args[1]]; ok {
		ts.Check(cmd.Process.Signal(sig))
	}
	done := time.AfterFunc(20*time.Second, func() { _ = cmd.Process.Kill() })
	defer done.Stop()
	requireCode(ts, args[2], cmd.Wait())
}

func await(ts *testscript.TestScript, neg bool, args []string) {
	pattern := regexp.MustCompile("(?m)" + args[1])
	var text []byte
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		var err error
		text, err = os.ReadFile(ts.MkAbs(args[0]))
		if err == nil && pattern.Match(text) {
			return
		}
	}
	ts.Fatalf("%s does not come to match %q:\n%s", args[0], args[1], text)
}

// asNobody runs a command as a user who owns nothing. For that, the
// directories above the script's have to be open to others.
func asNobody(ts *testscript.TestScript, neg bool, args []string) {
	path := lookPath(ts, args[1])
	for _, dir := range []string{filepath.Dir(path), ts.MkAbs(".")} {
		for ; strings.HasPrefix(dir, filepath.Clean(os.TempDir())+"/"); dir = filepath.Dir(dir) {
			info, err := os.Stat(dir)
			ts.Check(err)
			ts.Check(os.Chmod(dir, info.Mode().Perm()|0o005))
		}
	}
	cmd := exec.Command(path, args[2:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = ts.MkAbs("."), ts.Stdout(), ts.Stderr()
	if stdin, err := os.Open(ts.MkAbs("stdin")); err == nil {
		defer stdin.Close()
		cmd.Stdin = stdin
	}
	cmd.SysProcAttr = nobodyAttr()
	requireCode(ts, args[0], cmd.Run())
}
