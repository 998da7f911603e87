package group

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/vfs"
)

// The offsets file is damaged while a member consumes: whenever that is, it goes
// on, nothing is passed over, and what it commits from then on counts.
func TestOffsetsDamagedWhileConsuming(t *testing.T) {
	damages := map[string]func(*testing.T, vfs.FS, string){
		"cut":     func(t *testing.T, fsys vfs.FS, path string) { cut(t, fsys, path, []byte(`{"format":1,"gro`)) },
		"emptied": func(t *testing.T, fsys vfs.FS, path string) { cut(t, fsys, path, nil) },
		"NUL":     func(t *testing.T, fsys vfs.FS, path string) { cut(t, fsys, path, make([]byte, 200)) },
		"removed": func(t *testing.T, fsys vfs.FS, path string) { require.NoError(t, fsys.Remove(path)) },
	}
	for name, damage := range damages {
		for at := range 4 {
			t.Run(fmt.Sprintf("%s, %d", name, at), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					mem := vfs.NewMem()
					fill(t, mem, "log", 30)
					g := open(t, mem, "log", Options{CommitEvery: -1})
					m := join(t, g)
					done := map[uint64]bool{}
					work := func(m *Member, n int) {
						for msg, err := range m.Messages(t.Context()) {
							if err != nil {
								// What was damaged is all that said whose claim it is.
								require.ErrorIs(t, err, ErrFenced)
								require.Zero(t, at)
								continue
							}
							done[msg.Offset] = true
							msg.Ack()
							if n--; n == 0 {
								break
							}
						}
					}
					steps := []func(){
						func() {},
						func() { work(m, 5) },
						func() { require.NoError(t, m.CommitSync()) },
						func() { work(m, 5); require.NoError(t, m.CommitSync()) },
					}
					for _, step := range steps[:at+1] {
						step()
					}
					damage(t, mem, g.src.place.File)
					_, err := g.Lag(t.Context())
					require.NoError(t, err)
					time.Sleep(rebalanceWithin)
					work(m, 5)
					require.NoError(t, m.CommitSync())
					require.Equal(t, uint64(len(done)), place(t, g), "it counts")
					require.NoError(t, m.Close())
					m = join(t, g)
					work(m, 30-len(done))
					require.Len(t, done, 30)
					require.NoError(t, m.Close())
				})
			})
		}
	}
}
