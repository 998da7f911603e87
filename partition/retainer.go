package partition

import (
	"math"
	"strings"
	"sync"
	"time"
)

// retryRetention is when a round is made again that failed, or that found
// segments held: whoever holds them says nothing when he lets go.
const retryRetention = 10 * time.Second

// maxAgeRound is the longest time between two looks at the age of segments.
const maxAgeRound = time.Minute

// RetentionStats says what retention, by Options.Retention and by hand, did
// since the partition was opened.
type RetentionStats struct {
	Rounds   uint64 `json:"rounds"`          // times that it was looked what must go
	Segments uint64 `json:"segments"`        // segments dropped
	Records  uint64 `json:"records"`         // records in them
	Bytes    int64  `json:"bytes"`           // bytes of those
	Held     []Hold `json:"held,omitempty"`  // who kept segments from being dropped when it was last looked
	Lost     uint64 `json:"lost,omitempty"`  // records among them that somebody still needed
	Error    string `json:"error,omitempty"` // why the last time failed, if it did
}

// retainer applies Options.Retention in the background, from opening to Close.
// Its methods may be called of nil, where nothing is limited.
type retainer struct {
	p       *Partition
	due     chan struct{}
	quit    chan struct{}
	running sync.WaitGroup
}

func (p *Partition) newRetainer() *retainer {
	if !p.opts.Retention.any() {
		return nil
	}
	return &retainer{p: p, due: make(chan struct{}, 1), quit: make(chan struct{})}
}

// start begins with a first round.
func (r *retainer) start() {
	if r != nil {
		r.running.Go(r.run)
	}
}

// wake says that there may be more to drop: the log has rolled.
func (r *retainer) wake() {
	if r == nil {
		return
	}
	select {
	case r.due <- struct{}{}:
	default: // it will see all there is
	}
}

// stop ends it, and waits for the round under way.
func (r *retainer) stop() {
	if r == nil {
		return
	}
	close(r.quit)
	r.running.Wait()
}

func (r *retainer) run() {
	timer := time.NewTimer(r.round())
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
		case <-r.due:
		case <-r.quit:
			// What a writer leaves depends neither on how soon it closes nor on what
			// came first, the round behind the last roll or the next append.
			r.round()
			return
		}
		timer.Reset(r.round())
	}
}

// round drops what must go and returns how long it may take until more must
// without a roll.
func (r *retainer) round() time.Duration {
	policy := TrimPolicy{Retention: r.p.opts.Retention, brief: true}
	plan, err := r.p.trim(&policy, false)
	r.p.tellTrim(&plan, err)
	wait := time.Duration(math.MaxInt64)
	if age := policy.MaxAge; age > 0 {
		wait = min(max(age/8, time.Millisecond), maxAgeRound)
	}
	if err != nil || len(plan.Held) > 0 {
		wait = min(wait, retryRetention)
	}
	return wait
}

// retained is the state of [RetentionStats].
type retained struct {
	mu    sync.Mutex
	stats RetentionStats
	told  string // the last error that the Logger was told

	holders string // those that the Logger was told of last
}

// noteTrim counts what a trim did.
func (p *Partition) noteTrim(plan *TrimPlan, err error) {
	s := &p.retained
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stats.Rounds++
	if plan.Done {
		segments, records, bytes := plan.Dropped()
		s.stats.Segments += uint64(segments)
		s.stats.Records += records
		s.stats.Bytes += bytes
		lost := uint64(0)
		for _, l := range plan.Lost {
			lost = max(lost, l.Records)
		}
		s.stats.Lost += lost
	}
	s.stats.Held, s.stats.Error = plan.Held, errorText(err)
}

// tellTrim logs what a round in the background did, which is routine. What went
// wrong is told once, until something else does.
func (p *Partition) tellTrim(plan *TrimPlan, err error) {
	if plan.Done {
		segments, records, bytes := plan.Dropped()
		p.opts.Logger.Debug("retention dropped segments", "log", p.place.Path,
			"segments", segments, "records", records, "bytes", bytes, "start", plan.NewStart)
		for _, l := range plan.Lost {
			p.opts.Logger.Warn("retention dropped records that were still needed", "log", p.place.Path,
				"by", l.Name, "offset", l.Offset, "records", l.Records)
		}
	}
	p.tellHeld(plan.Held)
	text := errorText(err)
	p.retained.mu.Lock()
	news := text != p.retained.told
	p.retained.told = text
	p.retained.mu.Unlock()
	if news && err != nil {
		p.opts.Logger.Warn("retention could not drop segments; it is tried again", "log", p.place.Path, "error", err)
	}
}

// tellHeld logs who keeps segments from being dropped, once until it is others.
func (p *Partition) tellHeld(holds []Hold) {
	var names []string
	for _, h := range holds {
		names = append(names, h.Name)
	}
	text := strings.Join(names, ", ")
	p.retained.mu.Lock()
	news := text != p.retained.holders
	p.retained.holders = text
	p.retained.mu.Unlock()
	if news && text != "" {
		p.opts.Logger.Info("retention keeps segments that are still needed", "log", p.place.Path, "by", text)
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func (p *Partition) retentionStats() RetentionStats {
	p.retained.mu.Lock()
	defer p.retained.mu.Unlock()
	return p.retained.stats
}
