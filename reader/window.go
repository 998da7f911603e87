package reader

import "example.com/jlq/index"

// window is a run of entries of one index, read at once and used for several
// blocks.
type window struct {
	src   *source
	first uint64  // the record that posts[0] begins
	posts []int64 // one more than there are records
	raw   []byte
}

// ahead returns the posts of up to n records from record k on.
func (w *window) ahead(src *source, k, n uint64) ([]int64, error) {
	if held := w.held(src, k); len(held) > 1 {
		if uint64(len(held)-1) >= n {
			return held[:n+1], nil
		}
		if held[len(held)-1]-held[0] >= blockBytes/2 {
			return held, nil
		}
	}
	if err := w.read(src, k, min(n, blockPosts)); err != nil && len(w.posts) < 2 {
		return nil, err
	}
	return w.posts, nil // the records before a bad entry come first
}

// behind returns the posts of up to n records that end with record k-1.
func (w *window) behind(src *source, k, n uint64) ([]int64, error) {
	n = min(n, k)
	if w.src == src && k > w.first && k-w.first < uint64(len(w.posts)) {
		held := w.posts[:k-w.first+1]
		if uint64(len(held)-1) >= n {
			return held[uint64(len(held)-1)-n:], nil
		}
		if held[len(held)-1]-held[0] >= blockBytes/2 {
			return held, nil
		}
	}
	n = min(n, blockPosts)
	err := w.read(src, k-n, n)
	for ; err != nil && n > 1; err = w.read(src, k-n, n) {
		n /= 2 // the records behind a bad entry come first
	}
	if err != nil {
		return nil, err
	}
	return w.posts, nil
}

// held returns the posts from record k on that are there.
func (w *window) held(src *source, k uint64) []int64 {
	if w.src != src || k < w.first || k-w.first >= uint64(len(w.posts)) {
		return nil
	}
	return w.posts[k-w.first:]
}

// read reads the posts of n records from record first on. Where there is an
// error, the posts before the bad one are there.
func (w *window) read(src *source, first, n uint64) error {
	want := int(n) + 1
	w.raw = grown(w.raw, want*index.EntrySize)
	w.posts = grown(w.posts, want)
	got, err := index.ReadEntries(src.Idx, first, w.posts, w.raw)
	if err == nil && got < want {
		err = mismatch("it has been cut short: it ends before entry %d", first+n)
	}
	w.posts, w.src, w.first = w.posts[:got], src, first
	return err
}

// grown returns s with length n; what was in it is lost.
func grown[E any](s []E, n int) []E {
	if cap(s) < n {
		return make([]E, n)
	}
	return s[:n]
}
