package partition

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"example.com/jlq/internal/segment"
)

// asides lists what was set aside of the segment's records. A directory that
// may be searched but not listed is one where nothing is known of any.
func (w *walk) asides() (segment.Asides, error) {
	w.listing.Do(func() {
		w.aside, w.listed = segment.FindAsides(w.v.p.opts.FS, w.h.Pair)
		if errors.Is(w.listed, fs.ErrPermission) {
			w.listed = nil
		}
	})
	return w.aside, w.listed
}

// gapReason says what a gap is, when it is known how far it reaches.
func gapReason(p *Problem) string {
	was, hold := "was", "holds its place as a blank line"
	if p.Records > 1 {
		was, hold = "were", "hold their place as blank lines"
	}
	return fmt.Sprintf("%s %s lost and %s; what was there is in %s", recordsText(p.Offset, p.Records), was, hold, filepath.Base(p.Saved))
}
