package main

import "sync"

// longCount is how many bytes of lines are counted before it is worth saying how that
// is avoided.
const longCount = int64(1) << 30

// counting shows how far the lines of a file without index are counted. It is safe for
// concurrent use.
type counting struct {
	app  *app
	path string

	mu    sync.Mutex
	bar   *progress // nil while nothing is counted, or another bar is there
	last  int64
	bytes int64 // that were counted
}

// set takes how far it is; at last done is total.
func (c *counting) set(done, total int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if done == total {
		if c.bar != nil {
			c.bar.finish()
		}
		c.bar, c.last = nil, 0
		return
	}
	if c.bar == nil && c.app.bar.Load() == nil && !c.app.out.paged() {
		c.bar = c.app.startProgress("count " + c.path)
	}
	if c.last > 0 {
		c.bytes += done - c.last
		if c.bar != nil {
			c.bar.set(done, total)
		}
	}
	c.last = done
}

// tell says how the next time gets cheap, where this one was not.
func (c *counting) tell() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bytes >= longCount {
		c.app.hint("offsets took counting " + bytesText(c.bytes) + " of lines: jlq index " + c.path + " makes an index, and the next time cheap")
	}
}
