// Package power takes real file systems their power and breaks real disks under
// a log, and holds what is left against what was promised. It has tests only,
// for Linux and root.
//
//	volume     ext4 and XFS on loop devices, cut by the ioctl FS_IOC_SHUTDOWN: what
//	           the kernel had not written is gone when they are mounted again
//	disk       a loop device on the FUSE file of ../fusedisk, whose writes and reads
//	           fail on command: the errors come to fdatasync the way they come from
//	           a broken disk, once, and the pages count as clean then
//	child      the processes that append and read until the power goes
//	history    what they were told and saw, which the log must still hold
//
// Each of them has a negative control (control_linux_test.go): a log that breaks
// the promise is caught by the same means.
//
// A plain run is short. CI=true makes it longer, JLQ_FAULTS=all ten times as long
// as that (give go test a -timeout of half an hour), and JLQ_FAULTS_SEED=N repeats
// the random choices of a run, though not its moments.
package power
