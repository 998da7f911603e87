package group

import (
	"context"
	"errors"
)

// joinUnsaved opens every partition where the group is, and claims nothing.
func (m *Member) joinUnsaved(ctx context.Context) error {
	numbers, err := m.g.src.numbers()
	if err != nil {
		return err
	}
	for _, n := range numbers {
		c, lost, err := m.g.peek(ctx, n)
		if err != nil {
			m.report(&PartitionError{Partition: n, Err: err})
			continue
		}
		m.addUnsaved(c, lost)
	}
	return nil
}

func (m *Member) addUnsaved(c *claim, lost *LostError) {
	if lost != nil {
		m.report(&PartitionError{Partition: c.number, Err: lost})
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.streams[c.number] = newStream(m, c)
	m.publish()
}

// peek is take without a claim: of a group that is not registered it begins
// at the start position.
func (g *Group) peek(ctx context.Context, number int) (c *claim, lost *LostError, err error) {
	c = g.newClaim(number)
	defer func() {
		if err != nil {
			err = errors.Join(err, c.close())
		}
	}()
	if err = c.openLog(); err != nil {
		return c, nil, err
	}
	file, err := g.read()
	if err != nil {
		return c, nil, err
	}
	e, ok := file.Lookup(g.name, c.key)
	if !ok {
		to := g.opts.Start
		if file.Groups[g.name] != nil {
			to = ToStart()
		}
		c.next, err = to.resolve(ctx, c.log, 0)
		return c, nil, err
	}
	lost, err = c.compare(ctx, e)
	return c, lost, err
}
