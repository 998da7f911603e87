package group

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"example.com/jlq/internal/vfs"
)

// MemberInfo says who a member is.
type MemberInfo struct {
	ID    string    `json:"id"`
	Name  string    `json:"name"`
	PID   int       `json:"pid"`
	Host  string    `json:"host"`
	Since time.Time `json:"since"`
	Only  *int      `json:"only,omitempty"` // the one partition that it asked for
}

// String names the member for people.
func (i MemberInfo) String() string {
	switch {
	case i.PID == 0:
		return "another member"
	case i.Name == "":
		return fmt.Sprintf("process %d", i.PID)
	}
	return fmt.Sprintf("%s, process %d", i.Name, i.PID)
}

const (
	maxMemberBytes = 4096
	newSuffix      = ".new"
	maxNewMember   = 8 // times that somebody may clear away the file, or the directory, of one that begins
)

// lastID keeps the members of one process apart.
var lastID atomic.Uint64

// newID names a member so that older ones sort first, also where the clock says
// that it is before 1970. Nothing but who gets the odd partition hangs on the
// order.
func newID(now time.Time) string {
	return fmt.Sprintf("%016x-%d-%d", max(0, now.UnixNano()), os.Getpid(), lastID.Add(1))
}

// membership is the locked file by which the others know that a member lives.
type membership struct {
	fs   vfs.FS
	path string
	info MemberInfo
	lock vfs.Lock
}

// announce writes and locks the file of a new member. It gets its name only
// once it is locked: who finds it unlocked then knows that its member is dead.
func (g *Group) announce() (*membership, error) {
	info := MemberInfo{Name: g.opts.Member, PID: os.Getpid(), Since: time.Now().UTC()}
	info.Host, _ = os.Hostname() // for people only: "" says as much as an error
	if number, ok := g.src.pinned(); ok {
		info.Only = &number
	}
	var err error
	for range maxNewMember {
		info.ID = newID(info.Since)
		m := &membership{fs: g.src.fs, path: filepath.Join(g.membersDir(), info.ID), info: info}
		if err = m.create(g.opts.fileMode()); err == nil {
			return m, nil
		}
		// Between creating and locking, another member may have taken it for a dead one's.
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrExist) && !errors.Is(err, vfs.ErrLocked) {
			return nil, err
		}
	}
	return nil, err
}

func (m *membership) create(perm fs.FileMode) (err error) {
	data, err := json.Marshal(m.info)
	if err != nil {
		return err
	}
	temp := m.path + newSuffix
	f, err := m.fs.Open(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, perm)
	if err != nil {
		return err
	}
	if _, err = f.Write(append(data, '\n')); err != nil {
		return errors.Join(err, f.Close(), m.fs.Remove(temp))
	}
	if err = f.Close(); err != nil {
		return errors.Join(err, m.fs.Remove(temp))
	}
	if m.lock, err = m.fs.Lock(temp); err != nil {
		return err
	}
	if err = m.fs.Rename(temp, m.path); err != nil {
		return errors.Join(err, m.lock.Close())
	}
	return nil
}

// leave takes the file away while it is still locked, so that nobody has to
// find out that it means nothing any more.
func (m *membership) leave() error {
	return errors.Join(ifExists(m.fs.Remove(m.path)), m.lock.Close())
}

// ifExists is err, but nil where it says that something is not there.
func ifExists(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// roster knows the members of a group. Members do not change while they live,
// so each file is read once.
type roster struct {
	g     *Group
	self  string // ID of the member that asks, "" for none
	known map[string]MemberInfo
}

func newRoster(g *Group, self *membership) *roster {
	r := &roster{g: g, known: map[string]MemberInfo{}}
	if self != nil {
		r.self = self.info.ID
		r.known[self.info.ID] = self.info
	}
	return r
}

// live returns the members that live, the oldest first. What dead ones left
// is cleared away where this is asked by a member.
func (r *roster) live() ([]MemberInfo, error) {
	dir := r.g.membersDir()
	names, err := r.g.src.fs.List(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []MemberInfo
	for _, name := range names {
		info, alive, err := r.look(filepath.Join(dir, name), name)
		if err != nil {
			return nil, err
		}
		if alive {
			out = append(out, info)
		}
	}
	return out, nil
}

// look reports whether the member whose file this is lives, and who it is.
func (r *roster) look(path, name string) (info MemberInfo, alive bool, err error) {
	if name == r.self {
		return r.known[name], true, nil
	}
	id, beginning := strings.CutSuffix(name, newSuffix)
	if !isID(id) {
		return info, false, nil
	}
	lock, err := lockNamed(r.g.src.fs, path)
	switch {
	case err == nil:
		delete(r.known, name)
		return info, false, r.bury(path, lock)
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, errMoved):
		return info, false, nil
	case !errors.Is(err, vfs.ErrLocked):
		return info, false, err
	case beginning:
		return info, false, nil
	}
	info, err = r.read(path, name)
	return info, err == nil, ifExists(err)
}

// bury removes the file of a dead member. The lock is held until it is gone.
func (r *roster) bury(path string, lock vfs.Lock) error {
	var err error
	if r.self != "" {
		err = ifExists(r.g.src.fs.Remove(path))
	}
	return errors.Join(err, lock.Close())
}

func (r *roster) read(path, name string) (MemberInfo, error) {
	if info, ok := r.known[name]; ok {
		return info, nil
	}
	data, err := vfs.ReadFile(r.g.src.fs, path, maxMemberBytes)
	if err != nil {
		return MemberInfo{}, err
	}
	var info MemberInfo
	if json.Unmarshal(data, &info) != nil {
		info = MemberInfo{} // somebody wrote to it; that it is locked is what counts
	}
	info.ID = name
	r.known[name] = info
	return info, nil
}

// isID tells the files of members from what else lies in the directory.
func isID(name string) bool {
	parts := strings.Split(name, "-")
	if len(parts) != 3 || len(parts[0]) != 16 {
		return false
	}
	_, err := strconv.ParseUint(parts[0], 16, 64)
	return err == nil
}
