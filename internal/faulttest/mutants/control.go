package mutants

import (
	"context"
	"fmt"
	"slices"
	"sync"
)

// controls are the named tests without any mutant: a test that fails by itself
// kills everything and shows nothing.
type controls struct {
	packages []string
	tests    map[string][]Test // by package

	mu       sync.Mutex
	verdicts map[Test]verdict
	errs     map[Test]error
}

func newControls(list []Mutant) *controls {
	c := &controls{tests: map[string][]Test{}, verdicts: map[Test]verdict{}, errs: map[Test]error{}}
	for _, m := range list {
		for _, t := range m.Kills {
			if len(c.tests[t.Pkg]) == 0 {
				c.packages = append(c.packages, t.Pkg)
			}
			if !slices.Contains(c.tests[t.Pkg], t) {
				c.tests[t.Pkg] = append(c.tests[t.Pkg], t)
			}
		}
	}
	return c
}

// try runs the named tests of one package.
func (c *controls) try(ctx context.Context, t *tree, pkg string) {
	built := t.build(ctx, pkg)
	for _, test := range c.tests[pkg] {
		v, err := verdict{}, built
		if err == nil {
			v, err = t.run(ctx, test, controlLimit)
		}
		c.note(test, v, err)
	}
}

func (c *controls) note(test Test, v verdict, err error) {
	switch {
	case err != nil:
		err = fmt.Errorf("without the mutant: %w", err)
	case v.failed:
		err = fmt.Errorf("%s fails without the mutant:\n%s", test, v.output)
	case v.none:
		err = fmt.Errorf("%s: there is no such test", test)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.verdicts[test], c.errs[test] = v, err
}

func (c *controls) of(test Test) (verdict, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.verdicts[test], c.errs[test]
}
