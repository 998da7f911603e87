package vfs

import (
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func TestFlockHolder(t *testing.T) {
	const table = `1: POSIX  ADVISORY  WRITE 11 08:02:131074 0 EOF
2: FLOCK  ADVISORY  WRITE 22 08:01:131074 0 EOF
3: FLOCK  ADVISORY  WRITE 33 08:02:131074 0 EOF
3: -> FLOCK  ADVISORY  WRITE 44 08:02:99 0 EOF
4: FLOCK  ADVISORY  WRITE 0 08:02:7 0 EOF
5: FLOCK  ADVISORY  WRITE 55 fd:1a:7 0 EOF
6: OFDLCK ADVISORY  WRITE -1 08:02:8 0 EOF
7: FLOCK
`
	tests := []struct {
		major, minor uint32
		ino          uint64
		want         int
	}{
		{8, 2, 131074, 33},
		{8, 1, 131074, 22},
		{8, 3, 131074, 0}, // the same number on another device
		{8, 2, 99, 0},     // waits only
		{8, 2, 7, 0},      // outside of this process's view
		{8, 2, 8, 0},
		{0xfd, 0x1a, 7, 55},
		{8, 2, 13107, 0},
	}
	for _, tt := range tests {
		info := Info{Dev: unix.Mkdev(tt.major, tt.minor), Ino: tt.ino}
		require.Equal(t, tt.want, flockHolder([]byte(table), info), "%+v", tt)
	}
}

func FuzzFlockHolder(f *testing.F) {
	f.Add([]byte("1: FLOCK  ADVISORY  WRITE 4711 08:02:131074 0 EOF\n"))
	f.Fuzz(func(t *testing.T, table []byte) {
		require.GreaterOrEqual(t, flockHolder(table, Info{Dev: unix.Mkdev(8, 2), Ino: 131074}), 0)
	})
}

func TestNetworkKinds(t *testing.T) {
	require.Equal(t, "nfs", networkKinds[0x6969])
	require.Equal(t, "cifs", networkKinds[0xff534d42])
	require.Equal(t, "9p", networkKinds[0x01021997])
	require.Empty(t, networkKinds[unix.EXT4_SUPER_MAGIC])
	require.Empty(t, networkKinds[unix.FUSE_SUPER_MAGIC])
}
