package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// soak runs bench/soak and returns the section that it writes.
func soak(ctx context.Context, root, dir string) (string, error) {
	tmp, err := os.MkdirTemp("", "jlq-results-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(tmp)
	// Not go run: an interrupt is to end the soak and not only its parent.
	binary := filepath.Join(tmp, "soak")
	build := exec.CommandContext(ctx, "go", "build", "-o", binary, "./bench/soak")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build soak: %w\n%s", err, out)
	}
	fmt.Fprintln(os.Stderr, "results: soak")
	cmd := exec.CommandContext(ctx, binary, "-dir", dir)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // it removes its log
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, os.Stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("soak: %w", err)
	}
	return out.String(), nil
}
