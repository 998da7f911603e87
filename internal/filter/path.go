package filter

import "example.com/jlq/internal/jsonl"

// step is one step of a path: to the member that is called key, or to an
// element.
type step struct {
	key     string
	index   int // from the end where negative
	element bool
}

// node is a place in a record that paths lead to or through. The nodes of all
// paths of a filter make a tree, so that one walk over a record finds them all.
type node struct {
	slot    int // where the value is put
	wanted  bool
	keys    []keyNode
	indexes []indexNode
	negates bool // some index counts from the end
}

type keyNode struct {
	key    string
	quoted anchored // the key as it is spelt without escapes; no text where it cannot be
	node   *node
}

type indexNode struct {
	index int
	node  *node
}

// add makes path lead to slot. Equal paths have the same slot.
func (n *node) add(path []step, slot int) {
	for _, s := range path {
		n = n.child(s)
	}
	n.slot, n.wanted = slot, true
}

func (n *node) child(s step) *node {
	if s.element {
		for _, c := range n.indexes {
			if c.index == s.index {
				return c.node
			}
		}
		c := indexNode{s.index, new(node)}
		n.indexes = append(n.indexes, c)
		n.negates = n.negates || s.index < 0
		return c.node
	}
	for _, c := range n.keys {
		if c.key == s.key {
			return c.node
		}
	}
	c := keyNode{s.key, anchor(quotedKey(s.key)), new(node)}
	n.keys = append(n.keys, c)
	return c.node
}

// quotedKey is what a line holds that has the key and no escapes.
func quotedKey(key string) string {
	if text := plain(`"`, key, `"`); text != nil {
		return text[0].text
	}
	return ""
}

// named returns the child for the member whose key is spelt raw, or nil.
func (n *node) named(raw []byte) *node {
	for i := range n.keys {
		c := &n.keys[i]
		if string(raw) == c.key && c.quoted.text != "" || len(raw) >= len(c.key) && jsonl.StringIs(raw, c.key) {
			return c.node
		}
	}
	return nil
}
