package launch

import (
	"context"
	"errors"
	"math/rand"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/kernel"
)

// simulation drives a tuning with units of equal work. Version i takes ns[i] per work-item.
type simulation struct {
	*tuning
	ns     []float64
	random *rand.Rand
	done   []uint64 // work-items, by version
	made   []int
	fails  map[int]bool
}

func simulate(ns ...float64) *simulation {
	return &simulation{
		tuning: newTuning(time.Millisecond, slices.Repeat([]version{{after: Always}}, len(ns))...), ns: ns, random: rand.New(rand.NewSource(1)),
		done: make([]uint64, len(ns)), fails: map[int]bool{},
	}
}

// unit runs one unit. Its time varies by a tenth.
func (s *simulation) unit(items uint64, left time.Duration) {
	i, create := s.pick(left)
	if create {
		s.made = append(s.made, i)
		s.tuning.made(i, !s.fails[i])
		if s.fails[i] {
			i = 0
		}
	}
	s.done[i] += items
	s.record(i, items, time.Duration(s.ns[i]*float64(items)*(0.95+0.1*s.random.Float64())), false)
}

func (s *simulation) total() uint64 {
	n := uint64(0)
	for _, x := range s.done {
		n += x
	}
	return n
}

func TestTuningFindsTheFastest(t *testing.T) {
	for _, ns := range [][]float64{{10, 5}, {10, 20}, {10, 9, 8}, {10, 12, 5}, {100, 1, 100}, {10, 400}, {7, 7.5, 6}} {
		for _, items := range []uint64{100, 10_000, 1_000_000} {
			s := simulate(ns...)
			for range 100 + 50_000_000/items {
				s.unit(items, open)
			}
			best := 0
			for i := range ns {
				if ns[i] < ns[best] {
					best = i
				}
			}
			got, steady := s.best, !s.sampling
			require.Equal(t, best, got, "%v by %d", ns, items)
			require.True(t, steady, "%v by %d", ns, items)
			require.Equal(t, len(ns)-1, len(s.made), "%v by %d: each is made once", ns, items)
			lost := s.total() - s.done[best]
			require.Less(t, lost, max(s.total()/5, 20*items), "%v by %d", ns, items)
		}
	}
}

// Parts of a range may differ in work, as the ground and the sky of a picture do: adjacent
// units are compared.
func TestTuningComparesNeighbours(t *testing.T) {
	for _, ns := range [][]float64{{10, 8}, {8, 10}, {10, 10.5, 8.5, 10}, {9, 8, 20}} {
		for _, units := range []int{7, 40, 300} {
			s := simulate(ns...)
			for n := range 3000 {
				at := float64(n%units) / float64(units)
				items := uint64(10_000)
				if at > 0.4 {
					items = uint64(20_000 + 50_000*at)
				}
				before := slices.Clone(s.ns)
				for i := range s.ns { // the number of work-items stays 10,000
					s.ns[i] *= float64(items) / 10_000
				}
				s.unit(10_000, open)
				copy(s.ns, before)
			}
			best := slices.Index(ns, slices.Min(ns))
			require.Equal(t, best, s.best, "%v in ranges of %d", ns, units)
		}
	}
}

// A version that depends on another is created only once that one is the best.
func TestTuningCreatesDependentVersionsLate(t *testing.T) {
	for _, c := range []struct {
		ns   []float64
		best int
		made []int
	}{
		{[]float64{10, 5, 3, 20}, 2, []int{1, 2, 3}},
		{[]float64{10, 20, 3, 8}, 3, []int{1, 3}},
		{[]float64{10, 6, 9, 20}, 1, []int{1, 2, 3}},
	} {
		s := simulate(c.ns...)
		s.tuning = newTuning(time.Millisecond, version{after: Always}, version{after: Always}, version{after: 1}, version{after: Always})
		for range 2000 {
			s.unit(10_000, open)
		}
		require.Equal(t, c.best, s.best)
		require.Equal(t, c.made, s.made)
	}
}

func TestTuningIsPatient(t *testing.T) {
	s := simulate(10, 5)
	for range 9 {
		s.unit(10_000, open) // 100 us each
	}
	require.Empty(t, s.made, "launches have taken less time than creating the candidate")
	for range 10 {
		s.unit(10_000, 5*time.Millisecond)
	}
	require.Empty(t, s.made, "the rest of the launch is too short")
	for range 3 {
		s.unit(10_000, 50*time.Millisecond)
	}
	require.Equal(t, []int{1}, s.made)
}

// TestTuningInAHurry checks that with hurry the versions are compared at once, once, and
// in every launch.
func TestTuningInAHurry(t *testing.T) {
	s := simulate(10, 4)
	s.hurry(true)
	for n := uint64(2); s.undecided(); n++ {
		require.Less(t, n, uint64(100))
		i, steady := s.steady(n)
		require.Equal(t, s.comparisons > 0, steady, "whole launches check the completed comparison")
		if steady {
			s.record(i, 10_000, time.Duration(s.ns[i]*10_000), true)
		} else {
			s.unit(10_000, open)
		}
	}
	require.Equal(t, 1, s.best)
	require.Equal(t, []int{1}, s.made)
	for range 20 {
		s.unit(10_000, open)
		require.False(t, s.sampling)
	}
}

func TestTuningDropsMuchSlowerVersions(t *testing.T) {
	s := simulate(1, 100)
	for range 1000 {
		s.unit(10_000, open) // 10 us, or 1 ms
	}
	require.LessOrEqual(t, s.done[1], uint64(30_000))
}

func TestTuningSkipsVersionsThatCannotBeCreated(t *testing.T) {
	s := simulate(10, 1, 5)
	s.fails[1] = true
	for range 1000 {
		s.unit(10_000, open)
	}
	require.False(t, s.sampling)
	require.Equal(t, 2, s.best)
	require.Equal(t, []int{1, 2}, s.made)
	require.Zero(t, s.done[1])
}

// TestTuningFollowsChanges checks that production ends now and then, as the best version
// for one launch's data may not be the best for another's.
func TestTuningFollowsChanges(t *testing.T) {
	s := simulate(10, 5)
	for range 100 {
		s.unit(100_000, open)
	}
	require.Equal(t, 1, s.best)
	s.ns = []float64{10, 50}
	for range 2000 {
		s.unit(100_000, open)
	}
	require.Equal(t, 0, s.best)
	require.Less(t, s.done[1], s.done[0])
}

// TestWholeLaunchesCheckTheChoice checks that a disturbance of the first version's units
// has no lasting effect.
func TestWholeLaunchesCheckTheChoice(t *testing.T) {
	for _, c := range []struct {
		parts, later []float64
		want, checks int
	}{
		{[]float64{20, 10}, []float64{5, 10}, 0, 2}, {[]float64{20, 10}, []float64{20, 10}, 1, 2},
		{[]float64{80, 10}, []float64{2, 10}, 0, 1}, {[]float64{80, 10}, []float64{80, 10}, 1, 1},
	} {
		s := simulate(c.parts...)
		for s.comparisons == 0 {
			s.unit(100_000, open)
		}
		require.Equal(t, 1, s.best)
		launched := []int{0, 0}
		for range 10 {
			i, steady := s.steady(2)
			require.True(t, steady)
			launched[i]++
			s.record(i, 100_000, time.Duration(c.later[i]*100_000), true)
		}
		require.Equal(t, c.want, s.best)
		require.Equal(t, c.checks, launched[1-c.want])
	}
}

// Candidates of a kind that is much slower are not tried, and few whole launches are needed
// if parts of one launch gave a clear result.
func TestTuningDecidesAtOnce(t *testing.T) {
	for _, c := range []struct {
		ns, others []float64 // of kind 0 and of kind 1
		made       []int
		best       int
	}{
		{[]float64{30}, []float64{10, 9}, []int{1, 2}, 2},
		{[]float64{30}, []float64{10, 12}, []int{1, 2}, 1},
		{[]float64{10}, []float64{30, 9}, []int{1}, 0},
		{[]float64{10}, []float64{15, 9}, []int{1, 2}, 2},
	} {
		s := simulate(append(c.ns, c.others...)...)
		s.tuning = newTuning(time.Millisecond, version{after: Always}, version{after: Always, kind: 1}, version{after: Always, kind: 1})
		for s.comparisons == 0 {
			s.unit(100_000, open)
		}
		require.Equal(t, c.made, s.made, "%v", c)
		require.Equal(t, c.best, s.best, "%v", c)
		checks := 0
		if c.best > 0 {
			checks = 2
			if c.ns[0] < 20 {
				checks = 2 * checksEach
			}
		}
		require.Equal(t, checks, s.check.left, "%v", c)
	}
}

// timed is an executor that advances a clock, further in its first launch, and counts its
// launches.
type timed struct {
	clock    *time.Time
	takes    time.Duration
	first    time.Duration // additional
	launches int
	err      error
}

func (e *timed) Launch(context.Context, Range, []Arg, int) error {
	if e.launches++; e.launches == 1 {
		*e.clock = e.clock.Add(e.first)
	}
	*e.clock = e.clock.Add(e.takes)
	return e.err
}

func (e *timed) Close() error { return nil }

func TestTunedLaunchesOneVersionEachTime(t *testing.T) {
	clock := time.Unix(0, 0)
	slow, fast := &timed{clock: &clock, takes: 2 * time.Millisecond}, &timed{clock: &clock, takes: 100 * time.Microsecond}
	failed := 0
	x := NewTuned(slow, 0, 0, 0,
		Version{Make: func() (Executor, error) { failed++; return nil, errors.New("no") }, After: Always},
		Version{Make: func() (Executor, error) { return fast, nil }, After: Always})
	x.now = func() time.Time { return clock }
	const n = 30
	for range n {
		require.NoError(t, x.Launch(context.Background(), Of(64), nil, 1))
	}
	require.Equal(t, n, slow.launches+fast.launches)
	require.Equal(t, 2, x.Best())
	require.Equal(t, 1, failed)
	fast.err = errors.New("fault")
	require.ErrorIs(t, x.Launch(context.Background(), Of(64), nil, 1), fast.err)
}

// The first launch of a version uses new memory and is ignored, however long it takes.
func TestTunedForgivesFirstLaunches(t *testing.T) {
	clock := time.Unix(0, 0)
	slow := &timed{clock: &clock, takes: 5 * time.Millisecond, first: 20 * time.Millisecond}
	fast := &timed{clock: &clock, takes: 4 * time.Millisecond, first: 20 * time.Millisecond}
	x := NewTuned(slow, 0, 0, 0, Version{Make: func() (Executor, error) { return fast, nil }, After: Always})
	x.now = func() time.Time { return clock }
	for range 60 {
		require.NoError(t, x.Launch(context.Background(), Of(64), nil, 1))
	}
	require.Equal(t, 1, x.Best())
}

// The time of the first launch does not count towards the start of sampling.
func TestTunedIsPatientFromTheSecondLaunch(t *testing.T) {
	clock := time.Unix(0, 0)
	first := &timed{clock: &clock, takes: time.Millisecond, first: 20 * time.Millisecond}
	made := false
	x := NewTuned(first, 0, 0, 5*time.Millisecond, Version{Make: func() (Executor, error) { made = true; return &timed{clock: &clock}, nil }, After: Always})
	x.now = func() time.Time { return clock }
	for range 5 {
		require.NoError(t, x.Launch(context.Background(), Of(64), nil, 1))
	}
	require.False(t, made)
	for range 5 {
		require.NoError(t, x.Launch(context.Background(), Of(64), nil, 1))
	}
	require.True(t, made)
}

func TestTunedTakesLaunchesAtOnce(t *testing.T) {
	var mu sync.Mutex
	made := 0
	x := NewTuned(&counted{mu: &mu}, 0, 0, 0, Version{Make: func() (Executor, error) { made++; return &counted{mu: &mu}, nil }, After: Always})
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for range 200 {
				if err := x.Launch(context.Background(), Of(1), nil, 1); err != nil {
					panic(err)
				}
			}
		})
	}
	group.Wait()
	first, second := x.executors[0].(*counted), x.executors[1].(*counted)
	require.Equal(t, 1, made)
	require.Equal(t, 800, first.n+second.n)
	require.Positive(t, second.n)
}

type counted struct {
	mu *sync.Mutex
	n  int
}

func (e *counted) Launch(context.Context, Range, []Arg, int) error {
	e.mu.Lock()
	e.n++
	e.mu.Unlock()
	time.Sleep(10 * time.Microsecond)
	return nil
}

func (e *counted) Close() error { return nil }

// A range of many rows is divided into whole, adjacent rows: otherwise versions that take
// turns might get the same part of every row.
func TestUnitsAreWholeRows(t *testing.T) {
	p := Program{Kernel: &kernel.Func{}, Width: 8}
	r, err := Range{Dims: 2, Global: [3]uint64{1024, 768}}.Resolve([3]int{})
	require.NoError(t, err)
	units := p.divide(r, 1, maxUnits, false)
	require.GreaterOrEqual(t, units.total, uint64(32))
	for i := range units.total {
		x := units.unit(i)
		require.Zero(t, x.start[0])
		require.Equal(t, uint64(1024), x.count)
	}
}

// TestUnitsCoverTheRange checks that the units that versions share contain every work-item
// once and start where each version may start.
func TestUnitsCoverTheRange(t *testing.T) {
	random := rand.New(rand.NewSource(2))
	for range 100 {
		r := Range{Dims: 3}
		for d := range 3 {
			r.Global[d] = uint64(1 + random.Intn([]int{5000, 40, 7}[d]))
		}
		r.Local[0] = uint64(1 + random.Intn(40))
		r, err := r.Resolve([3]int{})
		require.NoError(t, err)
		p := Program{Kernel: &kernel.Func{}, Width: 8, Groups: random.Intn(2) == 0}
		units, sum := p.divide(r, 1+random.Intn(4), uint64(1+random.Intn(maxUnits)), false), uint64(0)
		for i := range units.total {
			x := units.unit(i)
			sum += x.items()
			if !p.Groups {
				require.Zero(t, x.start[0]%64)
			}
		}
		require.Equal(t, r.Global[0]*r.Global[1]*r.Global[2], sum)
	}
}

// Versions with a minimum number of work-items get units of that size, and not always the
// same half of a launch.
func TestUnitsAreLargeEnough(t *testing.T) {
	x := NewTuned(&counted{}, 0, 0, 0)
	require.Equal(t, uint64(1), x.want(Of(100), 1, 8192))
	require.Equal(t, uint64(3), x.want(Of(16384), 1, 8192))
	require.Equal(t, uint64(4), x.want(Of(16384), 4, 8192))
	require.Equal(t, uint64(maxUnits), x.want(Of(1<<20), 1, 8192))
	require.Equal(t, uint64(maxUnits), x.want(Of(100), 1, 0))
}

// Units are enlarged only while a version with a minimum number of work-items is compared;
// in a launch that began before, the best version runs in its turn.
func TestLargeUnitsOnlyWhereNeeded(t *testing.T) {
	x := newTuning(0, version{after: Always}, version{after: Always}, version{after: Always, minItems: 8192})
	require.Zero(t, x.minItems())
	x.begin()
	require.Zero(t, x.minItems())
	require.Equal(t, 1, x.atMost(1, x.minItems()))
	small := x.minItems()
	x.next()
	require.Equal(t, 2, x.candidate)
	require.Equal(t, 0, x.atMost(2, small))
	require.Equal(t, uint64(8192), x.minItems())
	require.Equal(t, 2, x.atMost(2, x.minItems()))
}
