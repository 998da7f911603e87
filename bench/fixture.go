package bench

import "errors"

// Fixture writes the set as a log into dir, with its index. jlq and the naive
// readers read the same files.
func Fixture(dir string, set *Set) error {
	log, err := CreateNaive(dir, CheckFrame, 0)
	if err != nil {
		return err
	}
	return errors.Join(appendAll(log, set, 1000), log.Close())
}
