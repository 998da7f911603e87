// Picture makes docs/jlq.svg, the picture of the README: a session of the real
// tool on the sample log, on a real terminal, drawn as it was shown.
//
//	go run ./internal/picture
//
// It builds jlq, runs the commands of the session with a terminal as their
// stdout (record_linux.go), reads what they sent to it as a terminal would
// (screen.go), and draws that (svg.go). The same source makes the same picture;
// a test makes it again and compares, so that what it shows stays true.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

func main() {
	if err := draw(filepath.Join("docs", "jlq.svg")); err != nil {
		fmt.Fprintln(os.Stderr, "picture:", err)
		os.Exit(1)
	}
}

// draw makes the picture in the root of the module and stores it.
func draw(name string) error {
	picture, err := compose(".")
	if err != nil {
		return err
	}
	return os.WriteFile(name, picture, 0o644)
}

// compose records the session and draws it. The root is that of the module.
func compose(root string) ([]byte, error) {
	place, err := os.MkdirTemp("", "picture")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(place)
	if err := prepare(root, place); err != nil {
		return nil, err
	}
	var shots []shot
	for _, command := range session {
		shown, err := record(place, command)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", command, err)
		}
		lines, err := read(shown, columns)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", command, err)
		}
		shots = append(shots, shot{command, lines})
	}
	return svg(shots), nil
}

// prepare puts jlq and the sample log into a place.
func prepare(root, place string) error {
	build := exec.Command("go", "build", "-o", filepath.Join(place, "bin", "jlq"), "./cmd/jlq")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	sample, err := os.ReadFile(filepath.Join(root, "testdata", "sample", "shop.jsonl"))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(place, "shop.jsonl"), sample, 0o600)
}
