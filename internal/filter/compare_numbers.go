package filter

// CompareNumbers compares two JSON numbers by value, exactly and of any size: -1
// where a is smaller than b, 1 where it is larger, 0 where they are equal.
func CompareNumbers(a, b []byte) int { return compareNumbers(a, b) }
