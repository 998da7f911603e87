package profile

import "bytes"

// merge adds what m has seen, but for the paths below.
func (n *node) merge(m *node) {
	n.records += m.records
	n.values += m.values
	for t := range n.types {
		n.types[t] += m.types[t]
	}
	n.untimed = n.untimed || m.untimed
	if m.arrays {
		n.length(m.shortest)
		n.longest = max(n.longest, m.longest)
	}
	for _, e := range []extreme{m.least, m.most} {
		if e.raw != nil {
			n.number(e.raw)
		}
	}
	for _, e := range []extreme{m.first, m.final} {
		if e.raw != nil {
			n.between(e.raw, e.cut)
		}
	}
	for _, e := range []moment{m.early, m.late} {
		if e.raw != nil {
			n.moment(e.raw, e.at)
		}
	}
	n.mergeValues(m)
}

func (n *node) mergeValues(m *node) {
next:
	for _, c := range m.common {
		for i := range n.common {
			if bytes.Equal(n.common[i].raw, c.raw) {
				n.common[i].count += c.count
				continue next
			}
		}
		n.count(c.raw, c.count)
	}
	if m.many {
		if !n.many {
			n.many = true
			for _, c := range n.common {
				n.sketch.add(hash(c.raw))
			}
		}
		n.sketch.merge(&m.sketch)
	}
}
