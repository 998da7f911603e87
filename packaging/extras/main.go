// Extras writes what goes into a release beside the program: completion scripts
// and manual pages, made by the program itself.
//
//	go run ./packaging/extras DIR
//
//	DIR/completions/jlq.bash _jlq jlq.fish jlq.ps1
//	DIR/man/jlq.1 jlq-append.1 …
package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "extras: want a DIR")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "extras:", err)
		os.Exit(1)
	}
}

func write(dir string) error {
	program := filepath.Join(dir, "jlq.tmp")
	completions := filepath.Join(dir, "completions")
	if err := os.MkdirAll(completions, 0o755); err != nil {
		return err
	}
	defer os.Remove(program)
	if _, err := output("go", "build", "-o", program, "./cmd/jlq"); err != nil {
		return err
	}
	for shell, name := range map[string]string{"bash": "jlq.bash", "zsh": "_jlq", "fish": "jlq.fish", "powershell": "jlq.ps1"} {
		script, err := output(program, "completion", shell)
		if err == nil {
			err = os.WriteFile(filepath.Join(completions, name), script, 0o644)
		}
		if err != nil {
			return err
		}
	}
	_, err := output(program, "man", "--dir", filepath.Join(dir, "man"))
	return err
}

func output(name string, args ...string) ([]byte, error) {
	cmd := exec.Command(name, args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %v: %w", name, args, err)
	}
	return out, nil
}
