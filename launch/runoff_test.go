package launch

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// learner is an executor that takes less time in a launch that follows one of its own.
type learner struct {
	timed
	last   *Executor
	learns time.Duration
}

func (e *learner) Launch(ctx context.Context, r Range, args []Arg, threads int) error {
	if *e.last == e {
		*e.clock = e.clock.Add(-e.learns)
	}
	*e.last = e
	return e.timed.Launch(ctx, r, args, threads)
}

// learners returns versions that take takes[i] ms after a launch of another version, and
// learns[i] ms less after one of their own.
func learners(clock *time.Time, takes, learns []float64) *Tuned {
	var last Executor
	ms := func(x float64) time.Duration { return time.Duration(x * float64(time.Millisecond)) }
	var all []Executor
	for i := range takes {
		all = append(all, &learner{timed{clock: clock, takes: ms(takes[i])}, &last, ms(learns[i])})
	}
	var others []Version
	for _, e := range all[1:] {
		others = append(others, Version{Make: func() (Executor, error) { return e, nil }, After: Always})
	}
	x := NewTuned(all[0], 0, 0, 0, others...)
	x.now = func() time.Time { return *clock }
	return x
}

func tune(t *testing.T, x *Tuned, limit time.Duration) {
	t.Helper()
	require.NoError(t, x.Tune(limit, func() error { return x.Launch(t.Context(), Of(64), nil, 1) }))
}

// A version that is faster in alternating launches may be slower in consecutive ones.
func TestRunOffUsesConsecutiveLaunches(t *testing.T) {
	for _, c := range []struct {
		takes, learns  []float64
		sampled, found int
	}{
		{[]float64{10, 9}, []float64{5, 0}, 1, 0},         // the planned version profits from training
		{[]float64{10, 11}, []float64{0, 3}, 0, 1},        // the other version does
		{[]float64{20, 9, 10}, []float64{0, 0, 4}, 1, 2},  // between two that are faster than the planned one
		{[]float64{10, 15, 9}, []float64{0, 14, 0}, 2, 2}, // a much slower version takes no part
	} {
		clock := time.Unix(0, 0)
		x := learners(&clock, c.takes, c.learns)
		x.hurry(true)
		for x.undecided() {
			require.NoError(t, x.Launch(t.Context(), Of(64), nil, 1))
		}
		require.Equal(t, c.sampled, x.Best(), "%v", c)

		clock = time.Unix(0, 0)
		x = learners(&clock, c.takes, c.learns)
		tune(t, x, time.Hour)
		require.Equal(t, c.found, x.Best(), "%v", c)
		best, steady := x.steady(3)
		require.True(t, steady, "%v", c)
		require.Equal(t, c.found, best, "%v", c)
		began := clock
		tune(t, x, time.Hour) // everything is decided
		require.Equal(t, began, clock)
	}
}

// A turn that the time limit interrupts is ignored.
func TestRunOffEndsInTime(t *testing.T) {
	const turn = 6 * 10 * time.Millisecond
	clock := time.Unix(0, 0)
	x := learners(&clock, []float64{10, 9}, []float64{5, 0})
	x.hurry(true)
	for x.undecided() {
		require.NoError(t, x.Launch(t.Context(), Of(64), nil, 1))
	}
	sampling := clock.Sub(time.Unix(0, 0))
	for limit, want := range map[time.Duration]int{sampling + turn/2: 1, sampling + turn: 0} {
		clock = time.Unix(0, 0)
		x = learners(&clock, []float64{10, 9}, []float64{5, 0})
		tune(t, x, limit)
		require.Equal(t, want, x.Best())
		require.LessOrEqual(t, clock.Sub(time.Unix(0, 0)), limit+10*time.Millisecond)
	}
}

// A launch that fails ends the run-off, and launches run as before.
func TestRunOffThatFails(t *testing.T) {
	clock := time.Unix(0, 0)
	x := learners(&clock, []float64{10, 9}, []float64{5, 0})
	fault, n := errors.New("fault"), 0
	err := x.Tune(time.Hour, func() error {
		if !x.undecided() {
			if n++; n == 2 {
				return fault
			}
		}
		return x.Launch(t.Context(), Of(64), nil, 1)
	})
	require.ErrorIs(t, err, fault)
	require.Equal(t, none, x.forced)
	require.Equal(t, 1, x.Best())
}
