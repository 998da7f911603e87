package peers

import (
	"errors"

	"github.com/prometheus/prometheus/tsdb/wlog"
	"github.com/prometheus/prometheus/util/compression"
)

// wlogs is a log of Prometheus. It has no numbers: a record is found by reading
// from the start.
type wlogs struct {
	log  *wlog.WL
	dir  string
	sync bool
}

func openWlog(dir string, sync bool) (Log, error) {
	log, err := wlog.New(nil, nil, dir, compression.None)
	return &wlogs{log: log, dir: dir, sync: sync}, err
}

// openWlogTogether needs nothing more: Log and Sync may be called at once, and
// each goroutine syncs for itself.
func openWlogTogether(dir string, _ int) (Log, error) { return openWlog(dir, true) }

// Append implements bench.Appender.
func (w *wlogs) Append(batch [][]byte) error {
	if err := w.log.Log(batch...); err != nil || !w.sync {
		return err
	}
	return w.log.Sync()
}

// Scan implements Log.
func (w *wlogs) Scan(each func([]byte)) error {
	segments, err := wlog.NewSegmentsReader(w.dir)
	if err != nil {
		return err
	}
	r := wlog.NewReader(segments)
	for r.Next() {
		each(r.Record())
	}
	return errors.Join(r.Err(), segments.Close())
}

// Close implements bench.Appender.
func (w *wlogs) Close() error { return w.log.Close() }
