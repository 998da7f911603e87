package segment

import "example.com/jlq/index"

// Promised returns how far the last writer vouched for the records of a pair
// whose files have these sizes; meta is nil where nobody did. What lies behind
// it may have been acknowledged by a weak mode only, which does not promise that
// it survives a power loss.
func Promised(h *Handle, recSize, idxSize int64, meta *Meta) (int64, error) {
	s := surveyor{pair: h.Pair, rec: h.Rec, idx: h.Idx, meta: meta}
	s.recSize, s.idxSize, s.claimed = recSize, idxSize, index.Count(idxSize)
	highest, err := s.highest()
	s.setPromise(highest.pos)
	return s.promise, err
}
