package main

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// machine says where the figures come from. What cannot be found out is empty.
type machine struct {
	cpu, kernel, fileSystem, version, commit string
	cores                                    int
	load                                     string
}

func describe(ctx context.Context, root, dir string) machine {
	return machine{
		cpu: cpuName(), cores: runtime.NumCPU(), kernel: kernel(), fileSystem: fileSystemOf(dir),
		version: runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH,
		commit:  commit(ctx, root), load: loadAverage(),
	}
}

func cpuName() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	defer f.Close()
	for sc := bufio.NewScanner(f); sc.Scan(); {
		if name, value, ok := strings.Cut(sc.Text(), ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

func kernel() string {
	release := firstFields("/proc/sys/kernel/osrelease", 1)
	return strings.TrimSpace(runtime.GOOS + " " + release)
}

// loadAverage returns that of the last minute, over all cores.
func loadAverage() string { return firstFields("/proc/loadavg", 1) }

func firstFields(path string, n int) string {
	data, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	fields := strings.Fields(string(data))
	return strings.Join(fields[:min(n, len(fields))], " ")
}

// commit names the state of the project that was measured.
func commit(ctx context.Context, root string) string {
	cmd := exec.CommandContext(ctx, "git", "describe", "--always", "--dirty", "--exclude=*")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// fileSystemOf returns the type of the file system that dir is on.
func fileSystemOf(dir string) string {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return ""
	}
	mounts, err := os.ReadFile("/proc/self/mounts")
	if err != nil {
		return ""
	}
	return fileSystemIn(string(mounts), dir)
}

// fileSystemIn looks dir up in a mount table: the longest mount point above it
// counts, and of two equal ones the later.
func fileSystemIn(mounts, dir string) string {
	best, kind := "", ""
	for line := range strings.Lines(mounts) {
		f := strings.Fields(line)
		if len(f) < 3 {
			continue
		}
		point := strings.TrimSuffix(f[1], "/")
		if (dir == point || strings.HasPrefix(dir, point+"/")) && len(point) >= len(best) {
			best, kind = point, f[2]
		}
	}
	return kind
}
