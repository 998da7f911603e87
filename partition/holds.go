package partition

import (
	"errors"
	"fmt"

	"example.com/jlq/internal/offsets"
)

// held is what is known about who needs what, and for how long that stands.
type held struct {
	holds   []Hold
	unknown error        // why it is not known; with TrimPolicy.Force only
	release func() error // never nil
}

// holds asks who needs what. Where somebody is about to drop records, the
// answer stands until it is released.
func (p *Partition) holds(policy *TrimPolicy, dropping bool) (held, error) {
	h := held{release: func() error { return nil }}
	var err error
	switch {
	case policy.Hold != nil:
		var done func()
		if h.holds, done, err = policy.Hold(); done != nil {
			h.release = func() error { done(); return nil }
		}
	case dropping:
		err = h.stand(p)
	default:
		err = h.peek(p)
	}
	if err == nil {
		return h, nil
	}
	if policy.Force {
		h.unknown = err
		return h, nil
	}
	err = fmt.Errorf("nothing is dropped, because it is not known what is held: %w", err)
	return h, errors.Join(err, h.release())
}

// stand asks the groups that consume the log, and lets none of them commit or
// begin anew until it is released: one that went back in between would lose
// what it went back for. The place is found each time, which is a few looks at
// a directory, because the log may have become part of a topic since.
func (h *held) stand(p *Partition) error {
	place, err := offsets.Locate(p.opts.FS, p.place.Path)
	if err != nil {
		return err
	}
	found, release, err := offsets.Holds(p.opts.FS, place, place.Partition)
	h.take(found)
	h.release = release
	return err
}

// peek is stand for who drops nothing: it locks nothing and writes nothing.
func (h *held) peek(p *Partition) error {
	place, err := offsets.Locate(p.opts.FS, p.place.Path)
	if err != nil {
		return err
	}
	found, err := offsets.Peek(p.opts.FS, place, place.Partition)
	h.take(found)
	return err
}

func (h *held) take(found []offsets.Hold) {
	for _, f := range found {
		h.holds = append(h.holds, Hold{Name: f.Group, Offset: f.Next})
	}
}
