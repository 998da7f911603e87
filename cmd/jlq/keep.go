package main

import (
	"math"
	"time"

	"github.com/spf13/cobra"

	"example.com/jlq/partition"
)

// keepFlags are the limits of what a log keeps.
type keepFlags struct {
	records, segments countFlag // negative while not given
	bytes             diskSizeFlag
	age               ageFlag
	heldBytes         diskSizeFlag
	heldAge           ageFlag
}

func newKeep() keepFlags { return keepFlags{records: -1, segments: -1} }

func (f *keepFlags) add(cmd *cobra.Command) {
	cmd.Flags().Var(&f.records, "keep-records", "drop segments in front as long as `N` records remain")
	cmd.Flags().Var(&f.bytes, "keep-bytes", "drop segments in front as long as `BYTES` of records remain, such as 500M or 20G (the index adds 8 a record)")
	cmd.Flags().Var(&f.segments, "keep-segments", "drop segments in front as long as `N` remain; the last counts where it is not empty")
	cmd.Flags().Var(&f.age, "max-age", "drop segments in front whose last append is longer ago than `AGE`, such as 36h or 7d")
	cmd.Flags().Var(&f.heldBytes, "max-held-bytes", "drop what a consumer group still needs, too, once `BYTES` of records lie behind it")
	cmd.Flags().Var(&f.heldAge, "max-held-age", "drop what a consumer group still needs, too, once its last append is longer ago than `AGE`")
}

// given reports whether there is a limit. How long a hold counts is none.
func (f *keepFlags) given() bool {
	limits := *f
	limits.heldBytes, limits.heldAge = 0, 0
	return limits != newKeep()
}

// nothing reports whether a limit is 0, so that nothing is kept.
func (f *keepFlags) nothing() bool { return f.records == 0 || f.segments == 0 }

// retention is what was given; a limit of 0 has no place there.
func (f *keepFlags) retention() partition.Retention {
	return partition.Retention{
		MaxRecords:  uint64(max(f.records, 0)),
		MaxBytes:    int64(f.bytes),
		MaxSegments: int(min(max(f.segments, 0), math.MaxInt32)),
		MaxAge:      time.Duration(f.age),

		MaxHeldBytes: int64(f.heldBytes),
		MaxHeldAge:   time.Duration(f.heldAge),
	}
}
