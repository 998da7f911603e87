package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"
)

// exampleWorld makes what the examples talk about, in one of three shapes: orders
// is a partition, a topic of four partitions, or not there yet. $1 says which.
const exampleWorld = `set -e
n=0; while [ $n -lt 120 ]; do
	echo '{"ts":"'$(date -u +%Y-%m-%dT%H:%M:%SZ)'","level":"error","n":'$n',"user":{"id":'$n'},"customer":"c'$((n % 7))'","total":1000,"event":{"created":"2026-01-02"},"msg":"time out"}'
	n=$((n + 1))
done > app.jsonl
cp app.jsonl more.jsonl; cp app.jsonl train.jsonl; cp app.jsonl input.jsonl; cp app.jsonl queue.records
printf '{\n "a": 1\n}\n' > pretty.json
gzip -c app.jsonl > old.jsonl.gz
mkdir -p var/lib/jlq var/log
echo '{"mailer":{"orders-0":0}}' > consume-offsets.json
case $1 in
partition) jlq append --sync os orders more.jsonl; jlq topic create topic --partitions 2 ;;
topic) jlq topic create orders --partitions 4; jlq append --sync os orders more.jsonl ;;
nothing) exit ;;
esac
jlq group commit --partition 0 orders billing 1
jlq consume -g billing -n 1 --max-attempts 1 --exec false orders || true
`

// exampleTools stand for the programs of others that examples name.
var exampleTools = map[string]string{
	"app": "cat app.jsonl", "mail": "cat >/dev/null", "consumer": "cat >/dev/null", "man": "cat >/dev/null",
	"jq": "cat >/dev/null", "ops": "cat >/dev/null", "train": "cat >/dev/null",
}

// TestExamples runs each example of each command: it does something, or says that
// what it looks for is not there; one that follows is ended.
func TestExamples(t *testing.T) {
	if testing.Short() {
		t.Skip("processes: nothing for the race detector")
	}
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash")
	}
	bin := exampleBin(t)
	worlds := map[string]string{}
	for _, kind := range []string{"partition", "topic", "nothing"} {
		worlds[kind] = t.TempDir()
		out, code := runExample(bash, bin, worlds[kind], exampleWorld, kind)
		require.Zero(t, code, "%s: %s", kind, out)
	}
	eachCommand(newApp(nil, nil, nil).root(), func(cmd *cobra.Command) {
		t.Run(strings.ReplaceAll(cmd.CommandPath(), " ", "-"), func(t *testing.T) {
			t.Parallel()
			for line := range strings.SplitSeq(strings.ReplaceAll(cmd.Example, "\\\n", " "), "\n") {
				requireExample(t, bash, bin, worlds, strings.TrimSpace(line))
			}
		})
	})
}

// TestFirstSteps: the five things of the bare command, in this order.
func TestFirstSteps(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash")
	}
	bin, dir := exampleBin(t), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "app.jsonl"), []byte(`{"level":"error"}`+"\n"), 0o600))
	for _, m := range regexp.MustCompile(`(?m)^  (.+?)   `).FindAllStringSubmatch(firstSteps, -1) {
		out, code := runExample(bash, bin, dir, m[1])
		require.Contains(t, []int{0, 124}, code, "%s: %s", m[1], out)
	}
}

func exampleBin(t *testing.T) string {
	t.Helper()
	bin := t.TempDir()
	jlq, err := exec.LookPath("jlq")
	require.NoError(t, err)
	tool := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+text+"\n"), 0o700))
	}
	// Those that follow get as long as it takes to find out that they are wrong.
	tool("jlq", fmt.Sprintf("exec timeout -s INT 1 '%s' \"$@\"", jlq))
	for name, text := range exampleTools {
		tool(name, text)
	}
	return bin
}

// runExample runs a script in dir and returns what it printed and its exit code.
func runExample(bash, bin, dir, script string, args ...string) (string, int) {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	cmd := exec.CommandContext(ctx, bash, append([]string{"-o", "pipefail", "-c", script, "bash"}, args...)...)
	var out bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &out
	cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "HOME="+dir, "NO_COLOR=1")
	err := cmd.Run()
	if exited, ok := errors.AsType[*exec.ExitError](err); ok {
		return out.String(), exited.ExitCode()
	}
	if err != nil {
		return err.Error(), -1
	}
	return out.String(), 0
}

var (
	aboutTopic = regexp.MustCompile(`consume-offsets|orders-\d@|--partition |^jlq topic |--order |--key customer input`)
	creates    = regexp.MustCompile(`^jlq (topic create|import (--wrap )?queue)`)
)

func requireExample(t *testing.T, bash, bin string, worlds map[string]string, line string) {
	if line == "" {
		return
	}
	kind := "partition"
	switch {
	case creates.MatchString(line):
		kind = "nothing"
	case aboutTopic.MatchString(line):
		kind = "topic"
	}
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(worlds[kind])))
	out, code := runExample(bash, bin, dir, strings.ReplaceAll(line, "/var/", dir+"/var/"))
	// 1: what it looks for is not there; 124: it followed; 141: who read it left.
	require.Contains(t, []int{0, 1, 124, 141}, code, "%s\n%s", line, out)
	require.NotContains(t, out, "unknown", line)
	require.NotContains(t, out, "command not found", line)
}
