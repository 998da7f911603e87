// Package offsets keeps what consumer groups have consumed: offsets.json and
// the places beside it.
//
// # On disk
//
// What is consumed is a topic directory, a partition directory on its own, or
// a bare file; [Locate] tells them apart. A partition directory that lies in a
// topic is consumed under the topic's files:
//
//	topic or partition DIR   DIR/offsets.json   DIR/offsets.json.lock   DIR/groups/<group>/<partition>/   DIR/dead/<group>/<partition>/
//	bare file F              F.offsets.json     F.offsets.json.lock     F.groups/<group>/0/               F.dead/<group>/0/
//
// offsets.json is one line of JSON:
//
//	{"format":1,"groups":{"billing":{"orders-0":{"next":89055,"check":"9f86d081884c7d65","gen":7,"held":true,"attempts":0}}}}
//
// The keys are the topic's name and the number of the partition, or 0 for what
// is no topic. Numbers are exact up to the last offset, 2^63-1. Fields that
// are not known are ignored, and gone when the file is next written; a higher
// format is refused. A field that comes twice, a number that is none, a name
// that is none or an entry without next is damage: nothing is guessed.
//
// # Changing it
//
// [Update] changes the file under the lock of offsets.json.lock, which is made
// when it is first needed and never removed, and waits for it for a bounded
// time. The file is replaced; its version before stays as offsets.json.prev.
// The first version is written twice, so that a file that was lost is told
// from one that never was; so is the last one, by [Settle], when a member ends.
//
// Crash table, by the step before which the power fails:
//
//	the new version in a temporary file, synced       nothing has changed
//	a second name for the old one, beside .prev       the same; two files that nobody looks at
//	.prev is replaced by that                         offsets.json and .prev are one file
//	offsets.json is replaced                          the same
//	the directory is synced                           the old or the new version, whole; .prev is the
//	                                                  old one or that before it
//
// A file that is missing, cut, empty or full of NUL is moved to
// offsets.json.bad (or .bad-1, …), and .prev is what counts; the [Fallback]
// says so. Before .bad has the name, and before the new version has taken its
// place, .prev is what the next one finds, too. Where .prev is no better, the
// error matches [ErrDamaged] and nothing changes: no group begins from the
// start because of it. Where neither is there, but the directory of groups
// is, both are lost, which is the same. So a group is registered by [Update]
// before anything of it is made in that directory.
//
// [Read] takes no lock and writes nothing. What seems lost it looks for twice:
// another process may have made it meanwhile, for the first time.
package offsets
