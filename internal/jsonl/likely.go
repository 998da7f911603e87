package jsonl

import (
	"slices"
	"strings"
)

const (
	likelyDepth = 4  // how deep LikelyTimes looks
	likelyMost  = 10 // how many names it returns
)

// timeEndings are how the names of fields end that hold a time as a number.
var timeEndings = [...]string{"time", "stamp", "date", "created", "updated", "_at", "_ts", ".ts"}

// LikelyTimes names the fields of rec that look as if they held a time, in their
// order; those of objects within are paths with dots, as [Time] takes them. It is
// for telling people what they may have meant.
func LikelyTimes(rec []byte) []string {
	obj, _ := soleValue(skipBOM(rec))
	return likelyTimes(nil, "", obj, likelyDepth)
}

func likelyTimes(names []string, prefix string, obj []byte, depth int) []string {
	members(obj, func(key, value []byte) {
		name := prefix + string(appendUnescaped(nil, key))
		switch {
		case len(names) >= likelyMost || len(value) == 0:
		case value[0] == '{' && depth > 1:
			names = likelyTimes(names, name+".", value, depth-1)
		case likelyTime(name, value):
			names = append(names, name)
		}
	})
	return names
}

// likelyTime reports whether a value reads as a time of these decades. A number
// must be called a time, too.
func likelyTime(name string, value []byte) bool {
	t, ok := parseTime(value)
	if !ok || t.Year() < 1990 || t.Year() > 2100 {
		return false
	}
	_, number := parseUnix(value)
	if value[0] == '"' {
		_, number = parseUnix(value[1 : len(value)-1])
	}
	return !number || namesTime(name)
}

// namesTime reports whether a field of that name may hold a time.
func namesTime(name string) bool {
	name = "." + strings.ToLower(name)
	return strings.Contains(name, ".time") || slices.ContainsFunc(timeEndings[:], func(end string) bool { return strings.HasSuffix(name, end) })
}
