package group

import "context"

// Register makes the group known where it is new, at Options.Start, so that
// retention keeps for it what it has not consumed. Join does so as well: this is
// for who produces before anybody consumes.
func (g *Group) Register(ctx context.Context) error {
	numbers, err := g.src.numbers()
	if err != nil {
		return err
	}
	return g.register(ctx, numbers)
}
