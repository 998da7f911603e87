package bench

import (
	"flag"
	"os"
	"testing"
)

// big adds what takes a minute and gigabytes of disk.
var big = flag.Bool("big", false, "also measure logs of 10,000,000 records")

func TestMain(m *testing.M) {
	if job := os.Getenv(childJob); job != "" {
		os.Exit(runChild(job, os.Getenv(childDir)))
	}
	os.Exit(m.Run())
}
