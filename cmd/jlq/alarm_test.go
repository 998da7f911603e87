package main

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestAlarm: once when a limit is crossed, once when it is over.
func TestAlarm(t *testing.T) {
	a := alarm{limits: limits{lag: 100, below: 80}}
	for _, step := range []struct {
		lag     uint64
		changed bool
		state   string
	}{
		{0, false, "ok"}, {100, false, "ok"}, {101, true, "over"}, {500, false, "over"},
		{100, false, "over"}, {81, false, "over"}, {80, true, "ok"}, {100, false, "ok"}, {101, true, "over"}, {0, true, "ok"},
	} {
		require.Equal(t, step.changed, a.look(backlog{lag: step.lag}), "%+v", step)
		require.Equal(t, step.state, a.state(), "%+v", step)
	}
}

// TestAlarmAge: either limit alarms, and both have to be kept again.
func TestAlarmAge(t *testing.T) {
	a := alarm{limits: limits{lag: 10, age: time.Minute, below: 50}}
	require.False(t, a.look(backlog{lag: 10, age: time.Minute}))
	require.True(t, a.look(backlog{lag: 1, age: 61 * time.Second}))
	require.False(t, a.look(backlog{lag: 11, age: 10 * time.Second}), "the other limit is crossed meanwhile")
	require.False(t, a.look(backlog{lag: 6, age: 10 * time.Second}), "not yet below half")
	require.True(t, a.look(backlog{lag: 5, age: 30 * time.Second}))
}

func TestPart(t *testing.T) {
	require.Equal(t, uint64(80), part(100, 80))
	require.Equal(t, uint64(0), part(1, 80))
	require.Equal(t, uint64(math.MaxUint64), part(math.MaxUint64, 100))
	require.Equal(t, uint64(math.MaxUint64/2), part(math.MaxUint64, 50))
	require.Equal(t, uint64(0), part(math.MaxUint64, 0))
}
