//go:build race || invariants

package group

// invariants makes a reader overwrite what it handed out as soon as the
// lifetime rule of [Record] says that it is no longer valid, so that a caller
// who keeps a slice fails its own tests.
const invariants = true
