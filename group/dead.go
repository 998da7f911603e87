package group

import (
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"example.com/jlq/internal/jsonl"
	"example.com/jlq/internal/vfs"
	"example.com/jlq/partition"
)

// Letter is one dead letter: a record that the group could not deal with, and
// why. It is one line of the partition of dead letters. A record that is not
// JSON has its bytes in Base64.
type Letter struct {
	Time      time.Time       `json:"time"`
	Group     string          `json:"group"`
	Partition string          `json:"partition"` // as in the offsets file: orders-0
	Offset    uint64          `json:"offset"`
	Attempts  int             `json:"attempts"`
	Error     string          `json:"error"`
	Record    json.RawMessage `json:"record,omitempty"`
	RecordB64 []byte          `json:"record_b64,omitempty"`

	// Lost is how many records from Offset on could not be read, where it was
	// that: there is no record then.
	Lost uint64 `json:"lost,omitempty"`
	// Left is set where the record is too large for a letter: it has to be
	// read where it lies.
	Left bool `json:"left,omitempty"`
}

// Data is the bytes of the record.
func (l *Letter) Data() []byte {
	if l.Record != nil {
		return l.Record
	}
	return l.RecordB64
}

const (
	maxReason = 4 << 10  // bytes of the text of an error
	maxLetter = 64 << 20 // bytes of a letter
)

// deadLetters writes the dead letters of one partition. It is opened when there
// is the first one. It is safe for concurrent use.
type deadLetters struct {
	dir    string
	opts   *Options
	mu     sync.Mutex
	p      *partition.Partition
	closed bool

	recovered bool // what a crash left of them was looked at
}

func (g *Group) deadLetters(number int) *deadLetters {
	return &deadLetters{dir: g.DeadPath(number), opts: &g.opts}
}

// letterOf is the dead letter of a message.
func (s *stream) letterOf(m *Message, reason error) *Letter {
	text := "no reason was given"
	if reason != nil {
		text = strings.ToValidUTF8(reason.Error(), string(utf8.RuneError))
	}
	if len(text) > maxReason {
		text = strings.ToValidUTF8(text[:maxReason], "") + "…"
	}
	l := &Letter{
		Time: time.Now().UTC(), Group: s.m.g.name, Partition: s.claim.key,
		Offset: m.Offset, Attempts: m.Attempts, Error: text,
	}
	if m.more != nil {
		l.Lost = m.more.lost
	}
	switch {
	case l.Lost > 0:
	case jsonl.CheckStrict(m.Data, -1) == nil:
		l.Record = m.Data
	default:
		l.RecordB64 = m.Data
	}
	return l
}

// write stores a letter: it survives a power loss when write returns. With
// Options.NoCommit nothing is stored.
func (d *deadLetters) write(l *Letter) error {
	if d.opts.NoCommit {
		return nil // it comes again next time
	}
	line, err := l.line()
	if err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	p, err := d.open()
	if err != nil {
		return err
	}
	if _, err = p.Append(line); errors.Is(err, partition.ErrPoisoned) {
		d.p = nil // it is opened again for the next attempt, and recovers
		return errors.Join(err, p.Close())
	}
	return err
}

// line encodes a letter. A record is in it as it is stored; one that is nested
// so deep that the letter would be too deep goes as bytes.
func (l *Letter) line() ([]byte, error) {
	line, err := jsonl.Marshal(l)
	if err == nil && l.Record != nil && jsonl.CheckStrict(line, -1) != nil {
		l.RecordB64, l.Record = l.Record, nil
		line, err = jsonl.Marshal(l)
	}
	if err == nil && len(line) > maxLetter {
		l.Record, l.RecordB64, l.Left = nil, nil, true
		line, err = jsonl.Marshal(l)
	}
	return line, err
}

func (d *deadLetters) open() (*partition.Partition, error) {
	if d.p != nil || d.closed {
		if d.closed {
			return nil, errGivenUp
		}
		return d.p, nil
	}
	if err := mkdirsDurably(d.opts.FS, d.opts.dirMode(), parents(d.dir, 3)...); err != nil {
		return nil, err
	}
	p, err := partition.Open(d.dir, &partition.Options{
		MaxRecordBytes: maxLetter, Mode: d.opts.Mode, Logger: d.opts.Logger, FS: d.opts.FS,
	})
	d.p = p
	return p, err
}

// recover opens the letters where there are any, once: what a power loss took of
// their index, and who lists them goes by that, is made again.
func (d *deadLetters) recover() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.recovered || d.closed {
		return nil
	}
	_, err := d.opts.FS.Stat(d.dir)
	if err == nil {
		_, err = d.open()
	}
	d.recovered = err == nil || errors.Is(err, fs.ErrNotExist)
	return ifExists(err)
}

// get reads a letter.
func (d *deadLetters) get(number uint64) (l Letter, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	p, err := d.open()
	if err != nil {
		return l, err
	}
	data, err := p.Get(number)
	if err == nil {
		err = jsonl.Unmarshal(data, &l)
	}
	return l, err
}

// close ends the writing of letters.
func (d *deadLetters) close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	p := d.p
	d.p, d.closed = nil, true
	if p == nil {
		return nil
	}
	return p.Close()
}

// mkdirsDurably is mkdirs for directories that must not be lost: a letter in
// one that a power loss takes away would be none. Those that are there already
// are synced as well: whoever made them may have been killed before.
func mkdirsDurably(fsys vfs.FS, perm fs.FileMode, dirs ...string) error {
	for _, dir := range dirs {
		if err := fsys.Mkdir(dir, perm); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		if err := fsys.SyncDir(filepath.Dir(dir)); err != nil {
			return err
		}
	}
	return nil
}
