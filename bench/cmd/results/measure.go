package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// suite is a compiled test binary and where it runs.
type suite struct {
	binary, dir string
	args        []string
}

// measure builds the suites and runs all rounds.
func measure(ctx context.Context, root string, c config) (*samples, error) {
	tmp, err := os.MkdirTemp("", "jlq-results-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	own, err := build(ctx, filepath.Join(root, "bench"), filepath.Join(tmp, "jlq.test"))
	if err != nil {
		return nil, err
	}
	if c.big {
		own.args = []string{"-big"}
	}
	suites := []suite{own}
	if c.peers {
		peers, err := build(ctx, filepath.Join(root, "bench", "peers"), filepath.Join(tmp, "peers.test"))
		if err != nil {
			return nil, fmt.Errorf("%w (-peers=false leaves them out)", err)
		}
		suites = append(suites, peers)
	}
	return rounds(ctx, suites, c)
}

func build(ctx context.Context, dir, binary string) (suite, error) {
	cmd := exec.CommandContext(ctx, "go", "test", "-c", "-o", binary, ".")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return suite{}, fmt.Errorf("build %s: %w\n%s", dir, err, out)
	}
	return suite{binary: binary, dir: dir}, nil
}

func rounds(ctx context.Context, suites []suite, c config) (*samples, error) {
	all := newSamples(c.rounds)
	for round := range c.rounds {
		for _, w := range workloads {
			if !c.only.MatchString(w.bench) {
				continue
			}
			for i, s := range suites {
				if i > 0 && !w.peers {
					continue
				}
				fmt.Fprintf(os.Stderr, "results: round %d of %d: %s, %s\n", round+1, c.rounds, w.bench, filepath.Base(s.dir))
				out, err := s.run(ctx, w.bench, c)
				if err != nil {
					return nil, err
				}
				if err := all.parse(round, out); err != nil {
					return nil, err
				}
			}
		}
	}
	return all, nil
}

// run runs one workload once and returns what it printed.
func (s suite) run(ctx context.Context, bench string, c config) (string, error) {
	args := append([]string{
		"-test.run=^$", "-test.bench=^Benchmark" + bench + "$", "-test.timeout=30m",
		fmt.Sprintf("-test.benchtime=%dx", c.iterations),
	}, s.args...)
	cmd := exec.CommandContext(ctx, s.binary, args...)
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), "TMPDIR="+c.dir, "TMP="+c.dir)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, out.String())
	}
	return out.String(), nil
}

// moduleRoot finds the module that this command belongs to, from any directory
// within it.
func moduleRoot(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "example.com/jlq").Output()
	if err != nil {
		return "", fmt.Errorf("not inside the module of jlq: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}
